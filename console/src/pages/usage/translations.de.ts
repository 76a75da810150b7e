/** The German text of each English one; see i18n/translate.ts. */
export const german = {
  // The page.
  Periods: 'Zeiträume',
  'By hour': 'Stündlich',
  'by hour': 'stündlich',
  'By day': 'Täglich',
  'by day': 'täglich',
  'By month': 'Monatlich',
  'by month': 'monatlich',

  // The metered quantities, alone and within a sentence.
  'Devices connected at once': 'Gleichzeitig verbundene Geräte',
  'devices connected at once': 'gleichzeitig verbundene Geräte',
  messages: 'Nachrichten',
  'Bytes of messages': 'Datenmenge der Nachrichten',
  'bytes of messages': 'Datenmenge der Nachrichten',
  'API requests': 'API-Anfragen',

  // Charts.
  'Peak {value}': 'Höchstwert {value}',
  'Total {value}': 'Gesamt {value}',
  '{meter}, {step}: peak {value}': '{meter}, {step}: Höchstwert {value}',
  '{meter}, {step}: total {value}': '{meter}, {step}: gesamt {value}',
  'No device connected in this period.': 'In diesem Zeitraum war kein Gerät verbunden.',
  'No messages in this period.': 'In diesem Zeitraum gab es keine Nachrichten.',
  'No limit.': 'Kein Limit.',
  '{included} included, then {price} a month each':
    '{included} enthalten, danach je {price} im Monat',
  '{included} included, then {price} a month for {unit}':
    '{included} enthalten, danach {price} im Monat für {unit}',
  '{included} a month included, then {price} each':
    '{included} im Monat enthalten, danach je {price}',
  '{included} a month included, then {price} for {unit}':
    '{included} im Monat enthalten, danach {price} für {unit}',
  'Limit of the plan: {value} devices.': 'Limit des Tarifs: {value} Geräte.',
  'Limit of the plan: {value} a month.': 'Limit des Tarifs: {value} pro Monat.',

  // Tables.
  Figures: 'Zahlen',
  'From (UTC)': 'Ab (UTC)',
  'so far': 'bisher',
  'not final yet': 'noch nicht endgültig',
  'Usage is counted from the first hour on.': 'Die Nutzung wird ab der ersten Stunde gezählt.',
  'Without a template (console, programs, some devices)':
    'Ohne Vorlage (Konsole, Programme, manche Geräte)',
  'This month, by template': 'Dieser Monat, nach Vorlage',
  'What devices of a template use appears here.':
    'Hier erscheint, was die Geräte einer Vorlage nutzen.',

  // The data that could not be read.
  'The usage could not be read.': 'Die Nutzung konnte nicht gelesen werden.',
  'Usage by template': 'Nutzung nach Vorlage',
  'The usage': 'Nutzung',
}
