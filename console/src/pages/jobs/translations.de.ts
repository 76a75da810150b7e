/** The German text of each English one; see translations.ts. */
export const german = {
  'The failures': 'Fehlschläge',
  '{done} of {total}': '{done} von {total}',
  '{done} of {total} devices attempted': '{done} von {total} Geräten bearbeitet',
  // The actions of jobs, and their progress.
  Job: 'Auftrag',
  preparing: 'in Vorbereitung',
  running: 'läuft',
  cancelling: 'wird abgebrochen',
  completed: 'abgeschlossen',
  'completed, {n} failed': 'abgeschlossen, {n} fehlgeschlagen',
  cancelled: 'abgebrochen',
  pending: 'ausstehend',
  succeeded: 'erfolgreich',
  skipped: 'übersprungen',
  'Attempted devices': 'Bearbeitete Geräte',

  // The list.
  'No jobs yet': 'Noch keine Aufträge',
  'Start a job': 'Auftrag starten',
  'A job changes many devices, each exactly once: tags, templates, configuration, commands. To change credentials wave after wave, {act}.':
    'Ein Auftrag ändert viele Geräte, jedes genau einmal: Schlagwörter, Vorlagen, Konfiguration, Befehle. Um Zugangsdaten in Wellen zu erneuern, {act}.',
  'start a rotation': 'starten Sie eine Erneuerung',
  'Choose devices by a filter and start one.':
    'Wählen Sie Geräte mit einem Filter aus und starten Sie einen.',

  // One job.
  'Cancel this job?': 'Diesen Auftrag abbrechen?',
  'Cancel the job': 'Auftrag abbrechen',
  'Devices in progress are finished, at most 500. {pending} of {total} devices have not been attempted; what is done stays done.':
    'Angefangene Geräte werden fertig bearbeitet, höchstens 500. {pending} von {total} Geräten sind noch nicht bearbeitet; was erledigt ist, bleibt erledigt.',
  Retrying: 'Erneuter Versuch',
  'Retry the {n} failed': '{n} fehlgeschlagene erneut versuchen',
  '{n} device selected': '{n} ausgewähltes Gerät',
  '{n} devices selected': '{n} ausgewählte Geräte',
  'Sets {tags}': 'Setzt {tags}',
  'Removes {tags}': 'Entfernt {tags}',
  'Retry of': 'Erneuter Versuch von',
  'an earlier job': 'einem früheren Auftrag',
  Pending: 'Ausstehend',
  Succeeded: 'Erfolgreich',
  'what the devices answered is below': 'was die Geräte geantwortet haben, steht unten',
  asked: 'aufgefordert',
  Asked: 'Aufgefordert',
  'command queued': 'Befehl eingereiht',
  'Command queued': 'Befehl eingereiht',
  'Could not be asked': 'Nicht aufgefordert',
  'Could not be queued': 'Nicht eingereiht',
  'Failed on the device': 'Auf dem Gerät fehlgeschlagen',
  'completed, {n} not done': 'abgeschlossen, {n} nicht ausgeführt',
  'What became of the commands': 'Was aus den Befehlen wurde',
  'counted in {n} of the commands': 'gezählt in {n} der Befehle',
  'Not fetched yet': 'Noch nicht abgeholt',
  'Sent, not answered yet': 'Gesendet, noch nicht beantwortet',
  'Done by the device': 'Vom Gerät ausgeführt',
  'Not answered in time': 'Nicht rechtzeitig beantwortet',
  Skipped: 'Übersprungen',
  'nothing to do': 'nichts zu tun',
  Cancelled: 'Abgebrochen',
  'The job has failed': 'Der Auftrag ist fehlgeschlagen',

  // Its devices.
  Results: 'Ergebnisse',
  'No device of this job has this result.': 'Kein Gerät dieses Auftrags hat dieses Ergebnis.',
  'For example': 'Zum Beispiel',
  'Why devices failed': 'Warum Geräte fehlgeschlagen sind',
  'of the first {n} failures': 'der ersten {n} Fehlschläge',

  // The data that could not be read.
  'The job': 'Auftrag',
}
