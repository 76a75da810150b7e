/** The German text of each English one; see i18n/translate.ts. */
export const german = {
  // General.
  'All MQTT sessions of the workspace end.': 'Alle MQTT-Sitzungen des Workspace enden.',
  'It can be changed only while there are no devices, and their number could not be read.':
    'Änderbar nur, solange es keine Geräte gibt. Ihre Anzahl konnte nicht gelesen werden.',
  'The first level of all topics of the workspace.': 'Die erste Ebene aller Topics des Workspace.',
  'MQTT sessions survive a restart': 'MQTT-Sitzungen überstehen einen Neustart',
  'Members need a second factor': 'Mitglieder brauchen einen zweiten Faktor',
  'Members without one reach the workspace again only once they have set up an authenticator or a passkey. API keys need none.':
    'Mitglieder ohne zweiten Faktor erreichen den Workspace erst wieder, sobald sie eine Authenticator-App oder einen Passkey eingerichtet haben. API-Schlüssel brauchen keinen.',
  'Only owners can change this.': 'Nur Inhaber können das ändern.',
  'Programs that use topics below {slug}/ need the new slug.':
    'Programme, die Topics unter {slug}/ verwenden, brauchen den neuen Slug.',
  'The embedded broker stores sessions, queued and retained messages in the database, from the next connection of each client.':
    'Der eingebaute Broker speichert Sitzungen, wartende und aufbewahrte Nachrichten in der Datenbank, ab der nächsten Verbindung jedes Clients.',
  'The operator of this installation has not allowed this (MOORING_MQTT_DURABLE).':
    'Der Betreiber dieser Installation hat das nicht erlaubt (MOORING_MQTT_DURABLE).',
  'The operator of this installation has switched this on for all (MOORING_MQTT_DURABLE).':
    'Der Betreiber dieser Installation hat das für alle eingeschaltet (MOORING_MQTT_DURABLE).',
  'The first level of all topics of the workspace. It cannot change any more, because there are devices.':
    'Die erste Ebene aller Topics des Workspace. Er kann nicht mehr geändert werden, weil es Geräte gibt.',
  'The first level of all topics of the workspace, and part of the address of this page. It is fixed once there is a device.':
    'Die erste Ebene aller Topics des Workspace und ein Teil der Adresse dieser Seite. Er steht fest, sobald es ein Gerät gibt.',

  // Custom fields.
  'Devices with a value': 'Geräte mit einem Wert',
  'A custom field adds a value to each device, such as a serial number of your own or a site, with a type and limits. Filters find devices by it.':
    'Ein eigenes Feld gibt jedem Gerät einen weiteren Wert, zum Beispiel eine eigene Seriennummer oder einen Standort, mit Typ und Grenzwerten. Geräte lassen sich danach filtern.',
  'A field that devices have values of is refused, unless the values go with it.':
    'Ein Feld, das Geräte ausgefüllt haben, wird nur zusammen mit den Werten gelöscht.',
  'Add field': 'Feld hinzufügen',
  'Add a custom field': 'Eigenes Feld hinzufügen',
  'Allowed values': 'Erlaubte Werte',
  'Custom fields of devices': 'Eigene Felder',
  'Delete the field {name}?': 'Feld {name} löschen?',
  'Delete the values of all devices too': 'Auch die Werte aller Geräte löschen',
  'Field {name}': 'Feld {name}',
  'Field {name} is being deleted': 'Feld {name} wird gelöscht',
  'In the background. There is no way back.': 'Im Hintergrund. Es gibt kein Zurück.',
  'It cannot be changed later.': 'Später nicht änderbar.',
  'It cannot be changed later. Letters, digits, _ . and -.':
    'Später nicht änderbar. Buchstaben, Ziffern, _ . und -.',
  'Longest value, in characters': 'Längster Wert, in Zeichen',
  'No custom fields': 'Keine eigenen Felder',
  'One per line. Empty: any text.': 'Einer je Zeile. Leer: beliebiger Text.',
  any: 'beliebig',
  'at least {n}': 'mindestens {n}',
  'at most {n}': 'höchstens {n}',
  deleting: 'wird gelöscht',
  number: 'Zahl',
  text: 'Text',
  'yes or no': 'ja oder nein',
  '{n} characters': '{n} Zeichen',

  // Leaving and deleting.
  'Delete the workspace': 'Workspace löschen',
  'Delete the workspace…': 'Workspace löschen…',
  'Delete {name}?': '{name} löschen?',
  'For 30 days the operator of this service can restore all of it. Then it is erased permanently, with the history and the audit log, and others may take the slug “{slug}”.':
    '30 Tage lang kann der Betreiber dieses Dienstes alles wiederherstellen. Danach wird es endgültig gelöscht, mit Verlauf und Audit-Protokoll, und andere können den Slug „{slug}“ verwenden.',
  'charged until the end of this hour; the last invoice comes within a week':
    'berechnet bis zum Ende dieser Stunde; die letzte Rechnung kommt binnen einer Woche',
  'only you': 'nur Sie',
  'What would be lost': 'Was verloren geht',
  'What would be lost is not known.': 'Es ist nicht bekannt, was verloren geht.',
  'Leave or delete': 'Verlassen oder löschen',
  'Leave the workspace…': 'Workspace verlassen…',
  'Leaving ends your access at once. Deleting ends the workspace for everybody: its devices, its keys and its people.':
    'Verlassen beendet Ihren Zugriff sofort. Löschen beendet den Workspace für alle: Geräte, Schlüssel und Mitglieder verlieren den Zugriff.',
  'The operator of this service can restore it until {time}. Then it is erased.':
    'Der Betreiber dieses Dienstes kann ihn bis {time} wiederherstellen. Danach wird er endgültig gelöscht.',
  'What ends:': 'Das endet:',
  '{name} is deleted': '{name} ist gelöscht',
  '{n}, disconnected and refused at once': '{n}, sofort getrennt und abgelehnt',
  '{n}, refused at once': '{n}, sofort abgelehnt',
  '{n}, whose phones lose their devices': '{n}; die Smartphones verlieren ihre Geräte',
  '{n}, who lose access at once': '{n}, die den Zugriff sofort verlieren',
}
