/** The German text of each English one; see translations.ts. */
export const german = {
  'The clients that are connected to MQTT now, and those that were refused.':
    'Wer gerade mit MQTT verbunden ist und wer abgelehnt wurde.',
  'Open connections': 'Offene Verbindungen',
  // Live connections.
  'WebSocket, TLS': 'WebSocket, TLS',
  Transport: 'Über',
  'no. {n}': 'Nr. {n}',
  Process: 'Prozess',
  'Filter of connections': 'Filter der Verbindungen',
  'Key, name or address, or: protocol = "3.1.1" AND transport = tcp':
    'Kennung, Name oder Adresse, oder: protocol = "3.1.1" AND transport = tcp',
  'No connection passes this filter': 'Keine Verbindung passt zu diesem Filter',
  'Change the filter, or clear it to see all connections.':
    'Ändern oder leeren Sie den Filter, um alle Verbindungen zu sehen.',
  'No connections': 'Keine Verbindungen',
  'Where to connect': 'Adressen für Verbindungen',
  'Devices, phones and MQTT logins appear here as long as they are connected.':
    'Geräte, Smartphones und MQTT-Zugänge erscheinen hier, solange sie verbunden sind.',
  '{n} selected': '{n} ausgewählt',
  'Clear selection': 'Auswahl aufheben',
  'Disconnect all {n} that match…': 'Alle {n} passenden trennen…',
  'Disconnect…': 'Trennen…',
  'They may connect again at once. To refuse a client, suspend it.':
    'Sie dürfen sich sofort wieder verbinden. Um einen Client abzulehnen, sperren Sie ihn.',

  // How many were connected.
  'Connected devices': 'Verbundene Geräte',
  'Most at once: {max}': 'Höchstwert {max}',
  'Connected devices by the hour: at most {max}': 'Verbundene Geräte je Stunde: höchstens {max}',
  'Connected devices every five minutes: at most {max}':
    'Verbundene Geräte alle fünf Minuten: höchstens {max}',
  '{hours} hours': '{hours} Stunden',
  'Time shown': 'Zeitraum',
  '{time}: at most {max}': '{time}: höchstens {max}',
  '{hours} hours ago': 'Vor {hours} Stunden',
  'This hour so far': 'Diese Stunde bisher',

  // Disconnecting.
  'There are more.': 'Es gibt weitere.',
  'The first {n} are in this receipt; the others end in the background.':
    'Die ersten {n} stehen in dieser Quittung; die übrigen enden im Hintergrund.',
  'Disconnect 1 session?': '1 Sitzung trennen?',
  'Disconnect {count} sessions?': '{count} Sitzungen trennen?',
  'Disconnect {count}': '{count} trennen',
  '1 session and the messages that wait for it on the broker end now. Its credentials stay as they are: the client may connect again at once.':
    '1 Sitzung und die Nachrichten, die auf dem Broker auf sie warten, enden jetzt. Ihre Zugangsdaten bleiben gültig: Der Client darf sich sofort wieder verbinden.',
  '{count} sessions and the messages that wait for them on the broker end now. Their credentials stay as they are: the clients may connect again at once.':
    '{count} Sitzungen und die Nachrichten, die auf dem Broker auf sie warten, enden jetzt. Ihre Zugangsdaten bleiben gültig: Die Clients dürfen sich sofort wieder verbinden.',

  // Refused clients.
  'and {n} more': 'und {n} weitere',
  Clients: 'Clients',
  Last: 'Zuletzt',
  '{key} or {id}': '{key} oder {id}',
  '{who} used the client id {used}. Use {right}.':
    '{who} hat die Client-ID {used} gesendet. Verwenden Sie {right}.',
  '{who} sent an empty client id. Use {right}.':
    '{who} hat eine leere Client-ID gesendet. Verwenden Sie {right}.',
  'from {address}': 'von {address}',
  'Who tried last': 'Letzte Versuche von',
  'Refused in the last 24 hours': 'Abgelehnt in den letzten 24 Stunden',
  'Refused connections by reason': 'Abgelehnte Verbindungen nach Grund',
  'No refused connections': 'Keine abgelehnten Verbindungen',
  'Each refusal appears here with its reason.': 'Jede Ablehnung erscheint hier mit ihrem Grund.',
}
