/** The German text of each English one; see words/translate.ts. */
export const german = {
  'Filter events': 'Ereignisse filtern',
  'Filter…': 'Filtern…',
  'Only {types}': 'Nur {types}',
  'Only of {device}': 'Nur von {device}',
  'Only {types} of {device}': 'Nur {types} von {device}',
  'Its id, dev_…: also of a deleted one.': 'Seine ID, dev_…: auch eines gelöschten.',
  'The event': 'Das Ereignis',
  'Show {event} {id}': '{event} {id} anzeigen',
  'The linked event is not in this list': 'Das verlinkte Ereignis ist nicht in dieser Liste',
  'It is older than the newest {n}, or of a type or a device that is not chosen.':
    'Es ist älter als die neuesten {n}, oder sein Typ oder Gerät ist nicht ausgewählt.',
  'The events cannot be read now': 'Die Ereignisse sind gerade nicht lesbar',
  'It is tried again every two seconds.': 'Alle zwei Sekunden folgt ein neuer Versuch.',
  'No such event yet': 'Noch kein solches Ereignis',
  'Each change writes an event. New ones appear here as they come.':
    'Jede Änderung schreibt ein Ereignis. Neue erscheinen hier sofort.',
  'Show up to {n} earlier ones': 'Bis zu {n} frühere anzeigen',
}
