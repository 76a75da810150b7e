/** The German text of each English one of the pages of groups. */
export const german = {
  // All groups.
  '1 device passes it now.': 'Jetzt passt 1 Gerät dazu.',
  'A group names a set of devices, for filters, jobs and rotations: those of a customer, of a site, or all that pass a filter.':
    'Eine Gruppe fasst Geräte für Filter, Aufträge und Erneuerungen zusammen: die eines Kunden, eines Standorts oder alle, die zu einem Filter passen.',
  'As in the list of devices: status = active AND tags.floor = ground':
    'Wie in der Geräteliste: status = active AND tags.floor = ground',
  'Create a group': 'Gruppe anlegen',
  'You add devices by their keys, and remove them.':
    'Sie fügen Geräte über ihre Kennungen hinzu und entfernen sie.',
  'By filter': 'Nach Filter',
  'No groups yet': 'Noch keine Gruppen',
  'A fixed list': 'Feste Liste',
  'Every device that passes a filter, later ones too.':
    'Alle Geräte, die zu einem Filter passen, auch spätere.',
  'by filter': 'nach Filter',
  'fixed list': 'feste Liste',
  '{count} devices pass it now.': 'Jetzt passen {count} Geräte dazu.',

  // One group.
  'Clear selection': 'Auswahl aufheben',
  'Delete {name}?': '{name} löschen?',
  'Devices in the group': 'Geräte in der Gruppe',
  'Devices of the group': 'Geräte der Gruppe',
  Group: 'Gruppe',
  'Change the filter of {names} first.': 'Ändern Sie zuerst den Filter von {names}.',
  'Its devices stay. Saved views and links that name it stop working. A group whose filter names it has to be changed first.':
    'Ihre Geräte bleiben. Gespeicherte Ansichten und Links, die sie nennen, funktionieren nicht mehr. Eine Gruppe, deren Filter sie nennt, muss zuerst geändert werden.',
  'Name and filter': 'Name und Filter',
  'No device passes the filter': 'Kein Gerät passt zum Filter',
  'No devices yet': 'Noch keine Geräte',
  'Paste the keys of devices to add them.':
    'Fügen Sie die Kennungen von Geräten ein, um sie hinzuzufügen.',
  'Remove from the group': 'Aus der Gruppe entfernen',
  'The devices themselves stay.': 'Die Geräte selbst bleiben.',
  'Those that will, appear here.': 'Sobald eines passt, erscheint es hier.',
  'by name': 'nach Namen',
  'in the order of the filter': 'in der Reihenfolge des Filters',
  'newest first': 'neueste zuerst',
  '{n} removed': '{n} entfernt',
  '{n} selected': '{n} ausgewählt',

  // A pasted list of keys.
  'Add by keys…': 'Per Kennung hinzufügen…',
  'Add devices to {name}': 'Geräte zu {name} hinzufügen',
  'Add {n}': '{n} hinzufügen',
  'Devices that were in it already are not counted.':
    'Geräte, die schon dabei waren, sind nicht mitgezählt.',
  Keys: 'Kennungen',
  'One a line, or separated by commas or spaces, as from a spreadsheet.':
    'Eine je Zeile oder durch Kommas oder Leerzeichen getrennt, etwa aus einer Tabelle.',
  'Paste keys first.': 'Fügen Sie zuerst Kennungen ein.',
  '{n} added.': '{n} hinzugefügt.',
  '{n} key belongs to no device': '{n} Kennung gehört zu keinem Gerät',
  '{n} keys belong to no device': '{n} Kennungen gehören zu keinem Gerät',

  // The data that could not be read.
  'The group': 'Gruppe',
}
