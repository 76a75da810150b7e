/** The German text of each English one; see i18n/translate.ts. */
export const german = {
  Resume: 'Fortsetzen',
  'Nothing chosen: all events.': 'Ohne Auswahl alle Ereignisse.',
  'Choose single types': 'Einzelne Typen wählen',
  'Single types': 'Einzelne Typen',
  'Search types': 'Typen suchen',
  'No type has this in its name.': 'Kein Typ hat das im Namen.',
  'Every change in this workspace, as it happens. Webhooks receive the same; who did it is in the audit log.':
    'Jede Änderung in diesem Workspace, sobald sie geschieht. Webhooks empfangen dasselbe; wer es war, steht im Audit-Protokoll.',
  'Filter events': 'Ereignisse filtern',
  'Filter…': 'Filtern…',
  'Only: {types}': 'Nur: {types}',
  'Only of {device}': 'Nur von {device}',
  'Only {types} of {device}': 'Nur {types} von {device}',
  'Its key, name or id. The id also finds a deleted device.':
    'Kennung, Name oder ID. Mit der ID finden Sie auch ein gelöschtes Gerät.',
  'No device has this key or name.': 'Kein Gerät hat diese Kennung oder diesen Namen.',
  'Show events': 'Ereignisse anzeigen',
  'The event': 'Das Ereignis',
  'Show {event} {id}': '{event} {id} anzeigen',
  'The linked event is not in this list': 'Das verlinkte Ereignis ist nicht in dieser Liste',
  'It may be of a type or a device that is not chosen, or older than the newest {n}.':
    'Sein Typ oder Gerät ist vielleicht nicht ausgewählt, oder es ist älter als die neuesten {n}.',
  'It is older than the newest {n}. What was changed is in the {log}, too.':
    'Es ist älter als die neuesten {n}. Was geändert wurde, steht auch im {log}.',
  'These are the newest {n}. The {log} goes further back, and a {webhook} sends each event as it happens.':
    'Das sind die neuesten {n}. Das {log} reicht weiter zurück, und ein {webhook} sendet jedes Ereignis sofort.',
  'and {n} more like it': 'und {n} weitere dieser Art',
  'Show all events': 'Alle Ereignisse anzeigen',
  'audit log': 'Audit-Protokoll',
  'The events cannot be read now': 'Die Ereignisse sind gerade nicht lesbar',
  'No such event yet': 'Noch kein solches Ereignis',
  'Each change writes an event. New ones appear here as they come.':
    'Jede Änderung schreibt ein Ereignis. Neue erscheinen hier sofort.',
  'Device claimed for phone {phone}': 'Gerät mit Smartphone {phone} gekoppelt',
  'Device released from phone {phone}': 'Gerät von Smartphone {phone} entkoppelt',
  'Access refused: {code}': 'Zugriff abgelehnt: {code}',
  'Connection refused: {why}': 'Verbindung abgelehnt: {why}',
  'Began to watch {topic}': 'Mitlesen von {topic} begonnen',
  'Stopped watching {topic} ({count} in {time})':
    'Mitlesen von {topic} beendet ({count} in {time})',
  '{n} message': '{n} Nachricht',
  '{n} messages': '{n} Nachrichten',
  'Show up to {n} earlier ones': 'Bis zu {n} frühere anzeigen',
}
