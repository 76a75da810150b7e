/** The German text of each English one; see i18n/translate.ts. */
export const german = {
  'A workspace holds devices, their keys and rules, and the people who manage them. Create one, or ask a colleague to invite you.':
    'Ein Workspace enthält Geräte, ihre Schlüssel und Regeln und die Personen, die sie verwalten. Legen Sie einen an, oder lassen Sie sich von einem Kollegen einladen.',
  'Create workspace': 'Workspace anlegen',
  'Its short name in addresses, and the first level of all its topics. It can be changed until the first device exists.':
    'Sein kurzer Name in Adressen und die erste Ebene aller seiner Topics. Er lässt sich ändern, bis es das erste Gerät gibt.',
  'You are in no workspace yet': 'Sie sind noch in keinem Workspace',
  deleting: 'wird gelöscht',
}
