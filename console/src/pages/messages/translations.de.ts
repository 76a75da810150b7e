/** The German text of each English one; see translations.ts. */
export const german = {
  'What is published in this workspace, as it passes. Nothing is stored.':
    'Was in diesem Workspace gerade gesendet wird. Nichts davon wird gespeichert.',
  Stop: 'Beenden',
  Resume: 'Fortsetzen',
  // Watching.
  'What to watch': 'Was mitgelesen wird',
  'Topic filter': 'Topic-Filter',
  'It begins with {slug}/. A + stands for one level, a # at the end for all that follow.':
    'Er beginnt mit {slug}/. Ein + steht für eine Ebene, ein # am Ende für alle folgenden.',
  'Configurations too': 'Auch Konfigurationen',
  'They may hold secrets, so they are shown only if asked for.':
    'Konfigurationen können Geheimnisse enthalten; deshalb werden sie nur auf Wunsch angezeigt.',
  Watch: 'Mitlesen',
  'Watch this instead': 'Stattdessen mitlesen',
  'This is watched already.': 'Das wird schon mitgelesen.',
  'The audit log says who watched what, and for how long.':
    'Das Audit-Protokoll hält fest, wer was wie lange mitgelesen hat.',
  'Search in what is shown': 'In den angezeigten suchen',
  '{n} skipped': '{n} übersprungen',
  'More than 50 messages a second come. A narrower topic filter shows all of them.':
    'Es kommen mehr als 50 Nachrichten je Sekunde. Ein engerer Topic-Filter zeigt alle.',
  'Messages appear here as they are published. To try it, press “Publish…” above.':
    'Nachrichten erscheinen hier, sobald sie veröffentlicht werden. Zum Ausprobieren drücken Sie oben „Veröffentlichen…“.',
  'The stream of messages is interrupted': 'Der Nachrichtenstrom ist unterbrochen',
  'The service does not answer': 'Der Dienst antwortet nicht',
  'Nothing is watched': 'Es wird nichts mitgelesen',
  'The service has refused it: see above.': 'Der Dienst hat es abgelehnt: siehe oben.',
  'There is nothing to clear.': 'Es gibt nichts zu leeren.',
  'Messages published now are missed.':
    'Nachrichten, die jetzt veröffentlicht werden, erscheinen hier nicht.',
  'Messages appear here once the stream is open.':
    'Nachrichten erscheinen hier, sobald der Stream geöffnet ist.',
  'Nothing is watched yet': 'Noch wird nichts mitgelesen',
  'Choose a topic filter and press Watch. Messages appear here as they are published.':
    'Wählen Sie einen Topic-Filter und „Mitlesen“. Nachrichten erscheinen hier, sobald sie veröffentlicht werden.',
  'No message contains this': 'Keine Nachricht enthält das',
  'Search looks at the last 1,000 messages.': 'Durchsucht werden die letzten 1.000 Nachrichten.',

  // The messages.
  Message: 'Nachricht',
  '{n} bytes, no text': '{n} Byte, kein Text',
  '{n} byte': '{n} Byte',
  '{n} bytes': '{n} Byte',
  'The message is empty.': 'Die Nachricht ist leer.',
  'It is no UTF-8 text. This is base64.': 'Es ist kein UTF-8-Text. Das ist Base64.',
  Payload: 'Nutzdaten',
  QoS: 'QoS',
  '{qos}, retained': '{qos}, aufbewahrt',
  retained: 'aufbewahrt',
  Kept: 'Aufbewahrung',
  'Only its first 4,096 bytes are shown.': 'Nur die ersten 4.096 Byte werden angezeigt.',
  'Show message {number}': 'Nachricht {number} anzeigen',

  // Publishing.
  'Publish…': 'Veröffentlichen…',
  Published: 'Veröffentlicht',
  'Publish a message': 'Nachricht veröffentlichen',
  'As it is sent: JSON, or any text.': 'So, wie sie gesendet wird: JSON oder beliebiger Text.',
  'Quality of service': 'Dienstgüte (QoS)',
  '0: at most once': '0: höchstens einmal',
  '1: at least once': '1: mindestens einmal',
  '2: exactly once': '2: genau einmal',
  'Retain it': 'Aufbewahren (retained)',
  'The broker keeps it for later subscribers. An empty message deletes what it keeps.':
    'Der Broker bewahrt sie für spätere Abonnenten auf. Eine leere Nachricht löscht, was er aufbewahrt.',
}
