/** The German text of each English one; see words/translate.ts. */
export const german = {
  // The page.
  Periods: 'Zeiträume',
  'A day by the hour': 'Ein Tag, stündlich',
  'a day by the hour': 'ein Tag, stündlich',
  'A month by the day': 'Ein Monat, täglich',
  'a month by the day': 'ein Monat, täglich',
  'A year by the month': 'Ein Jahr, monatlich',
  'a year by the month': 'ein Jahr, monatlich',

  // What is metered, alone and within a sentence.
  'Devices connected at once': 'Gleichzeitig verbundene Geräte',
  'devices connected at once': 'gleichzeitig verbundene Geräte',
  messages: 'Nachrichten',
  'Bytes of messages': 'Bytes der Nachrichten',
  'bytes of messages': 'Bytes der Nachrichten',
  'API requests': 'API-Anfragen',

  // Charts.
  'at most {value}': 'höchstens {value}',
  'in all {value}': 'insgesamt {value}',
  '{meter}, {step}: at most {value}': '{meter}, {step}: höchstens {value}',
  '{meter}, {step}: in all {value}': '{meter}, {step}: insgesamt {value}',
  'Without a limit.': 'Ohne Limit.',
  'Limit of the plan: {value}.': 'Limit des Tarifs: {value}.',
  'Limit of the plan: {value} a month.': 'Limit des Tarifs: {value} pro Monat.',

  // Tables.
  Figures: 'Zahlen',
  'From (UTC)': 'Ab (UTC)',
  'so far': 'bisher',
  'Use is counted from the first hour on.': 'Die Nutzung wird ab der ersten Stunde gezählt.',
  'no template': 'ohne Vorlage',
  'This month, by template': 'Dieser Monat, nach Vorlage',
  'What devices of a template use appears here.':
    'Hier erscheint, was die Geräte einer Vorlage nutzen.',
}
