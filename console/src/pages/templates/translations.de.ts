/** The German text of each English one; see translations.ts. */
export const german = {
  'The effect of the roll-back': 'Wirkung des Zurücksetzens',
  'The version': 'Version',
  // The list, and a new template.
  'Model key': 'Modellkennung',
  'Device keys': 'Gerätekennungen',
  '{variable} is {slug}, {key} the key of each device.':
    '{variable} ist {slug}, {key} die Kennung des jeweiligen Geräts.',
  'Format of device keys': 'Format der Gerätekennungen',
  default: 'Standard',
  'Create a template': 'Vorlage anlegen',
  'No templates yet': 'Noch keine Vorlagen',
  'A template holds what the devices of one model have in common: how their keys look, which topics they may use, and their configuration.':
    'Eine Vorlage enthält, was die Geräte eines Modells gemeinsam haben: wie ihre Kennungen aussehen, welche Topics sie verwenden dürfen und ihre Konfiguration.',
  'The name of the model in your own systems. It cannot change.':
    'Der Name des Modells in Ihren eigenen Systemen. Er lässt sich später nicht ändern.',
  year: 'Jahr',
  month: 'Monat',
  day: 'Tag',
  hour: 'Stunde',
  'running number': 'laufende Nummer',
  '4 random characters': '4 zufällige Zeichen',
  '6 random characters': '6 zufällige Zeichen',
  'For devices that are registered without a key.':
    'Für Geräte, die ohne Kennung registriert werden.',
  'They look like {keys}': 'So sehen sie aus: {keys}',

  // The common settings of a template's devices.
  'Parts of the template': 'Teile der Vorlage',
  'No device has this template yet': 'Noch kein Gerät hat diese Vorlage',
  'What it is': 'Grunddaten',
  'Rotation overlap': 'Überlappung bei der Erneuerung',
  'How long new credentials that were never used are valid in addition to the old ones. Then they expire, and the old ones stay valid. Such as 7 d, 12 h or 30 min.':
    'Wie lange neue Zugangsdaten neben den alten gelten, solange sie nicht verwendet werden. Danach verfallen die neuen, und die alten gelten weiter. Zum Beispiel 7 Tage, 12 h oder 30 min.',
  'Write it like 7 d, 12 h or 30 min.': 'Schreiben Sie zum Beispiel 7 Tage, 12 h oder 30 min.',
  Firmware: 'Firmware',
  'Address of the image': 'Adresse des Images',
  'Devices read it with their configuration.': 'Geräte lesen sie mit ihrer Konfiguration.',
  'Size in bytes': 'Größe in Byte',
  'Default configuration': 'Standardkonfiguration',
  'What a device has unless it sets its own': 'Gilt für jedes Gerät ohne eigene Werte',
  'Template saved': 'Vorlage gespeichert',
  'The configuration is no JSON object.': 'Die Konfiguration ist kein JSON-Objekt.',

  // Capabilities.
  Capabilities: 'Fähigkeiten',
  'No capabilities': 'Keine Fähigkeiten',
  'What a device reports and accepts. The page of a device makes its commands from it.':
    'Was ein Gerät meldet und annimmt. Daraus entstehen die Befehle auf der Seite eines Geräts.',
  reported: 'gemeldet',
  accepted: 'angenommen',
  both: 'beides',
  'in {unit}': 'in {unit}',
  'from {min}': 'ab {min}',
  'to {max}': 'bis {max}',
  'any value': 'beliebiger Wert',
  Mode: 'Richtung',
  'not stated': 'keine Angabe',
  'the device reports it': 'das Gerät meldet sie',
  'the device accepts it': 'das Gerät nimmt sie an',
  Unit: 'Einheit',
  'Allowed values, as a JSON list': 'Erlaubte Werte, als JSON-Liste',
  'Default, as JSON': 'Vorgabe, als JSON',
  'Add a capability': 'Fähigkeit hinzufügen',
  'Capability {name}': 'Fähigkeit {name}',
  'Name it.': 'Geben Sie einen Namen an.',
  'Add to the draft': 'In den Entwurf',
  'As in the state of a device: temperature': 'Wie im Zustand eines Geräts: temperature',
  'Change in the draft': 'Im Entwurf ändern',
  'For example {json}.': 'Zum Beispiel {json}.',
  'Its name begins with a letter, and has a-z, 0-9, “_”, “.” and “-” only.':
    'Der Name beginnt mit einem Buchstaben und besteht nur aus a-z, 0-9, „_“, „.“ und „-“.',
  'Save the template afterwards: until then nothing changes for its devices.':
    'Speichern Sie danach die Vorlage: Bis dahin ändert sich für ihre Geräte nichts.',
  'There is already a capability {name}.': 'Eine Fähigkeit {name} gibt es schon.',
  number: 'Zahl',
  integer: 'ganze Zahl',
  'yes or no': 'ja oder nein',
  text: 'Text',
  object: 'Objekt',
  'Numbers, values and the default are written as JSON: 1.5, ["on"], "on".':
    'Zahlen, Werte und die Vorgabe werden als JSON geschrieben: 1.5, ["on"], "on".',

  // Rules, their effect, and trying them.
  '{n} or more': 'mindestens {n}',
  '{devices} device has this template, {connected} of them connected. Live sessions get the change within a second.':
    '{devices} Gerät hat diese Vorlage, {connected} davon verbunden. Laufende Sitzungen erhalten die Änderung binnen einer Sekunde.',
  '{devices} devices have this template, {connected} of them connected. Live sessions get the change within a second.':
    '{devices} Geräte haben diese Vorlage, {connected} davon verbunden. Laufende Sitzungen erhalten die Änderung binnen einer Sekunde.',
  'Each of them loses': 'Jedes davon verliert',
  'Each of them gains': 'Jedes davon erhält',
  'Rule {position}': 'Regel {position}',
  'Move rule {position} up': 'Regel {position} nach oben',
  'Move rule {position} down': 'Regel {position} nach unten',
  'Remove rule {position}': 'Regel {position} entfernen',
  'Add rule': 'Regel hinzufügen',
  'See the default rules': 'Standardregeln ansehen',
  'Start with the default rules': 'Mit den Standardregeln beginnen',
  'The default rules apply': 'Es gelten die Standardregeln',
  'Each device may use its own topics. The first rule here replaces all of them.':
    'Jedes Gerät darf seine eigenen Topics verwenden. Die erste Regel hier ersetzt alle Standardregeln.',
  'Rules saved': 'Regeln gespeichert',
  'Rules: the first match decides, no match denies': 'Regeln: die erste passende entscheidet',
  'See the effect and save…': 'Auswirkung ansehen und speichern…',
  'Save these rules?': 'Diese Regeln speichern?',
  Then: 'Danach',
  Change: 'Änderung',
  gains: 'kommt hinzu',
  loses: 'fällt weg',
  'Why then': 'Begründung',
  'Try these rules on devices, without saving them':
    'Diese Regeln an Geräten ausprobieren, ohne sie zu speichern',
  '{slug}, {device_key} and {device_id} are those of each device.':
    '{slug}, {device_key} und {device_id} stehen für die Werte des jeweiligen Geräts.',
  'A filter, such as tags.floor = ground. The first {max} that match are checked.':
    'Ein Filter wie tags.floor = ground. Geprüft werden die ersten {max} passenden Geräte.',
  Try: 'Ausprobieren',
  'What devices may do': 'Was Geräte dürfen',
  'No device of this template matches.': 'Kein Gerät dieser Vorlage passt.',

  // Versions.
  'Back to version {version}': 'Zurück auf Version {version}',
  'As a new version.': 'Als neue Version.',
  'From now to version {version}': 'Von jetzt zu Version {version}',
  'Its effect is not known yet.': 'Die Auswirkung ist noch nicht bekannt.',
  'Roll back': 'Zurücksetzen',
  name: 'Name',
  description: 'Beschreibung',
  'format of device keys': 'Format der Gerätekennungen',
  capabilities: 'Fähigkeiten',
  'capability definitions': 'Definitionen der Fähigkeiten',
  'default configuration': 'Standardkonfiguration',
  rules: 'Regeln',
  'rotation overlap': 'Überlappung bei der Erneuerung',
  firmware: 'Firmware',
  created: 'angelegt',
  'No versions': 'Keine Versionen',
  'Each change is kept.': 'Jede Änderung bleibt erhalten.',

  // Deleting.
  'Devices of this template': 'Geräte dieser Vorlage',
  'Deleted: {name}': 'Gelöscht: {name}',
  'Delete {name}?': '{name} löschen?',
  'Its rules, its default configuration and its versions are deleted permanently.':
    'Ihre Regeln, ihre Standardkonfiguration und ihre Versionen werden endgültig gelöscht.',
  'Its devices could not be counted': 'Die Geräte konnten nicht gezählt werden',
  'Its devices are not counted yet.': 'Die Geräte sind noch nicht gezählt.',
  'It is the only template. Create another one for its devices, or delete the devices first.':
    'Sie ist die einzige Vorlage. Legen Sie eine andere für ihre Geräte an, oder löschen Sie zuerst die Geräte.',
  'These are too many to move at once. Move them to another template with a job first.':
    'Das sind zu viele, um sie auf einmal zu verschieben. Verschieben Sie sie zuerst mit einem Auftrag in eine andere Vorlage.',
  'Move its device to': 'Gerät verschieben nach',
  'Move its {n} devices to': '{n} Geräte verschieben nach',
  'Choose a template': 'Vorlage wählen',
  'Choose where its devices go.': 'Wählen Sie, wohin die Geräte kommen.',
  'The rules and the default configuration of that template apply at once.':
    'Die Regeln und die Standardkonfiguration der gewählten Vorlage gelten sofort.',
  'Move 1 device and delete': '1 Gerät verschieben und löschen',
  'Move {n} devices and delete': '{n} Geräte verschieben und löschen',

  // The data that could not be read.
  'The template': 'Vorlage',
}
