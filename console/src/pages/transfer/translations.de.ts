/** The German text of each English one of import and export. */
export const german = {
  'Only device_key or hardware_id is required. A column model_key may name a template.':
    'Nur device_key oder hardware_id ist nötig. Eine Spalte model_key kann eine Vorlage nennen.',
  'Only device_key or hardware_id is required. A column model_key may name a template; there is none yet.':
    'Nur device_key oder hardware_id ist nötig. Eine Spalte model_key kann eine Vorlage nennen; noch gibt es keine.',
  // The file and its columns.
  'A table (CSV) whose first row names its columns, or lines of JSON. Nothing is sent before you say so.':
    'Eine Tabelle (CSV), deren erste Zeile die Spalten benennt, oder JSON Lines. Gesendet wird erst, wenn Sie es auslösen.',
  'Another file': 'Andere Datei',
  Column: 'Spalte',
  'Column {name} is': 'Spalte {name} ist',
  'Columns of the file': 'Spalten der Datei',
  'Custom field: {name}': 'Eigenes Feld: {name}',
  'Download the sample': 'Beispiel herunterladen',
  File: 'Datei',
  'First values': 'Erste Werte',
  'Import devices': 'Geräte importieren',
  'Imported as': 'Importiert als',
  'Not imported': 'Nicht importiert',
  Sample: 'Beispiel',
  'Tag: {name}': 'Schlagwort: {name}',
  "The file can't be read": 'Die Datei ist nicht lesbar',
  '{n} row': '{n} Zeile',
  '{n} rows': '{n} Zeilen',

  // How it is imported.
  'All rows are wrong.': 'Alle Zeilen sind fehlerhaft.',
  'Create credentials': 'Zugangsdaten anlegen',
  'Create new devices, and change those that exist': 'Neue Geräte anlegen und vorhandene ändern',
  'For devices of the file that have none. They are shown this once, as a file.':
    'Für Geräte der Datei, die keine haben. Sie werden nur einmal angezeigt, als Datei.',
  Import: 'Import',
  'Import {n} row': '{n} Zeile importieren',
  'Import {n} rows': '{n} Zeilen importieren',
  'Only change; a row about no device is wrong':
    'Nur ändern; eine Zeile ohne vorhandenes Gerät ist fehlerhaft',
  'Only create; a row about another device is wrong':
    'Nur anlegen; eine Zeile zu einem vorhandenen Gerät ist fehlerhaft',
  Stop: 'Anhalten',
  'Dry run': 'Probelauf',
  'Try it first.': 'Starten Sie zuerst den Probelauf.',
  'Try it, and write nothing': 'Probelauf, ohne zu schreiben',
  'What it may do': 'Was der Import darf',

  // The result of the search.
  'Choose the corrected rows, or drop them here': 'Korrigierte Zeilen auswählen oder hier ablegen',
  'Credentials of {n} devices: there is no other time to store them':
    'Zugangsdaten von {n} Geräten: Speichern Sie sie jetzt, später geht es nicht mehr',
  'Download credentials': 'Zugangsdaten herunterladen',
  'Download the wrong rows, correct them, and bring them back: the columns keep their meaning, and the rows that are done stay as they are.':
    'Laden Sie die fehlerhaften Zeilen herunter, korrigieren Sie sie, und wählen Sie sie hier aus: Die Spalten behalten ihre Bedeutung, und erledigte Zeilen bleiben, wie sie sind.',
  'Download them': 'Herunterladen',
  'Import: done': 'Import: fertig',
  'Import: running': 'Import: läuft',
  'Import: stopped': 'Import: angehalten',
  'It says': 'Inhalt der Zeile',
  'Nothing was written.': 'Nichts wurde geschrieben.',
  Row: 'Zeile',
  'The new devices cannot connect yet: they have no credentials':
    'Die neuen Geräte können sich noch nicht verbinden: Sie haben keine Zugangsdaten',
  'The devices of the file are there': 'Die Geräte der Datei sind da',
  'Open devices': 'Geräte öffnen',
  'The factory fetches them, device by device, with a provision key. Or import the file again with “Create credentials”.':
    'Die Fertigung holt sie Gerät für Gerät mit einem Provisionierungsschlüssel. Oder importieren Sie die Datei noch einmal mit „Zugangsdaten anlegen“.',
  'The import also creates credentials for devices of the file without any':
    'Der Import legt auch Zugangsdaten für Geräte der Datei an, die keine haben',
  'They can be downloaded after it, this once.':
    'Danach können Sie sie herunterladen, nur dieses eine Mal.',
  'Leave without the credentials?': 'Ohne die Zugangsdaten verlassen?',
  'The credentials of {n} device were not downloaded. Nobody can show them again: the device would have to be reset.':
    'Die Zugangsdaten von {n} Gerät wurden nicht heruntergeladen. Niemand kann sie noch einmal anzeigen: Das Gerät müsste zurückgesetzt werden.',
  'The credentials of {n} devices were not downloaded. Nobody can show them again: each device would have to be reset.':
    'Die Zugangsdaten von {n} Geräten wurden nicht heruntergeladen. Niemand kann sie noch einmal anzeigen: Jedes Gerät müsste zurückgesetzt werden.',
  '{n} column is not imported.': '{n} Spalte wird nicht importiert.',
  '{n} columns are not imported.': '{n} Spalten werden nicht importiert.',
  'The import was stopped': 'Der Import wurde angehalten',
  'The service keeps only hashes. They are gone once you leave this page.':
    'Der Dienst bewahrt nur Hashes auf. Die Zugangsdaten sind weg, sobald Sie diese Seite verlassen.',
  'The dry run was stopped': 'Der Probelauf wurde angehalten',
  'Dry run: done': 'Probelauf: fertig',
  'Dry run: running': 'Probelauf: läuft',
  'Dry run: stopped': 'Probelauf: angehalten',
  Unchanged: 'Unverändert',
  Updated: 'Geändert',
  'What is done stays done. Run it again: rows that are done are unchanged then.':
    'Was erledigt ist, bleibt erledigt. Starten Sie den Import erneut: Erledigte Zeilen bleiben dann unverändert.',
  'What is wrong': 'Fehler',
  'Would be created': 'Würden angelegt',
  'Would be updated': 'Würden geändert',
  Wrong: 'Fehlerhaft',
  'Wrong rows': 'Fehlerhafte Zeilen',
  '{done} of {total} rows': '{done} von {total} Zeilen',
  '{n} wrong row': '{n} fehlerhafte Zeile',
  '{n} wrong rows': '{n} fehlerhafte Zeilen',

  // Export.
  As: 'Format',
  'As in the list of devices. Empty: all of them.': 'Wie in der Geräteliste. Leer: alle Geräte.',
  CSV: 'CSV',
  'Export devices': 'Geräte exportieren',
  'For programs.': 'Für Programme.',
  'For spreadsheets.': 'Für Tabellenkalkulationen.',
  'JSON Lines (NDJSON)': 'JSON Lines (NDJSON)',
}
