/** The German text of each English one; see translations.ts. */
export const german = {
  'Where devices and programs connect, and how.':
    'Wohin und wie sich Geräte und Programme verbinden.',
  // Where clients connect.
  'MQTT, not encrypted': 'MQTT, unverschlüsselt',
  'MQTT over TLS': 'MQTT über TLS',
  'WebSocket, not encrypted': 'WebSocket, unverschlüsselt',
  'WebSocket over TLS': 'WebSocket über TLS',
  Protocol: 'Protokoll',
  Host: 'Host',
  Port: 'Port',
  Path: 'Pfad',
  'How a device signs in': 'So meldet sich ein Gerät an',
  'its id (starts with dev_)': 'seine ID (beginnt mit dev_)',
  'its MQTT password, shown once when it is created or reset':
    'sein MQTT-Passwort, einmal angezeigt, wenn das Gerät angelegt oder zurückgesetzt wird',
  'How a program signs in': 'So meldet sich ein Programm an',
  'the id of an MQTT login (starts with mqp_)': 'die ID eines MQTT-Zugangs (beginnt mit mqp_)',
  'that of the login, shown once when it is created or rotated':
    'das des Zugangs, einmal angezeigt, wenn es erstellt oder erneuert wird',
  'its user name.': 'der Benutzername.',
  'those of its rules': 'die seiner Regeln',
  'its id or its key.': 'seine ID oder seine Kennung.',

  // Receipts.
  'unknown: the service cannot observe it': 'unbekannt: Der Dienst kann es nicht beobachten',
  '{bound} s at most': 'höchstens {bound} s',
  'How soon a revocation takes effect': 'Widerruf wirkt nach',
  'Ask for a receipt': 'Quittung anfordern',
  'A receipt is the proof: every process and every broker checks all sessions of this workspace, ends those that have lost their rights, and says when it was done.':
    'Eine Quittung ist der Nachweis: Jeder Prozess und jeder Broker prüft alle Sitzungen dieses Workspace, beendet die, die ihre Rechte verloren haben, und meldet, wann das erledigt war.',
  verified: 'bestätigt',
  gone: 'beendet',
  checking: 'wird geprüft',
  'open: {problem}': 'offen: {problem}',
  Node: 'Knoten',
  Nodes: 'Knoten',
  'Refuses after': 'Lehnt ab nach',
  'Cache cleared after': 'Cache geleert nach',
  'Verified after': 'Bestätigt nach',
  'Sessions ended': 'Sitzungen beendet',
  'Disconnected on {n} of {n} nodes': 'Auf {n} von {n} Knoten getrennt',
  'Refused on {n} of {n} nodes': 'Auf {n} von {n} Knoten abgelehnt',
  'Verified on {n} of {n} nodes': 'Auf {n} von {n} Knoten bestätigt',
  'after {ms} ms. No session was open.': 'nach {ms} ms. Keine Sitzung war offen.',
  'after {ms} ms: {n} session.': 'nach {ms} ms: {n} Sitzung.',
  'after {ms} ms: {n} sessions.': 'nach {ms} ms: {n} Sitzungen.',
  'after {ms} ms. No live session has more rights than it would get now.':
    'nach {ms} ms. Keine laufende Sitzung hat mehr Rechte, als sie jetzt erhielte.',
  Checking: 'Wird geprüft',
  'Each process and each broker reports when it is done.':
    'Jeder Prozess und jeder Broker meldet, wenn er fertig ist.',
  'There is no node.': 'Es gibt keinen Knoten.',
  'A check that was asked for': 'Eine angeforderte Prüfung',
  'Its time was up': 'Zeit abgelaufen',
  'Admitted with a right that had just ended':
    'Zugelassen mit einem Recht, das gerade geendet hatte',
  'the whole workspace': 'der ganze Workspace',
  Requested: 'Angefordert',
  'The service keeps it for 30 days, {here}. Download it to keep it for longer.':
    'Der Dienst behält sie 30 Tage, {here}. Laden Sie sie herunter, um sie länger zu behalten.',
  'at this address': 'unter dieser Adresse',
  'Copy as JSON': 'Als JSON kopieren',

  // The data that could not be read.
  'The receipt': 'Quittung',
}
