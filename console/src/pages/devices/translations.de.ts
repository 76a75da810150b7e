/** The German text of each English one of the pages of devices. */
import { reasons } from './reasons.de.ts'

export const german = {
  ...reasons,

  // The parts that several of these pages use.
  'The person who creates the device gets its credentials, and code that connects it.':
    'Wer das Gerät anlegt, erhält seine Zugangsdaten und Code, der es verbindet.',
  'Leave without the credentials?': 'Ohne die Zugangsdaten verlassen?',
  'Nobody can show them again: the device would have to be reset.':
    'Niemand kann sie noch einmal anzeigen: Das Gerät müsste zurückgesetzt werden.',
  'It answers with the id of the command on {topic}: {form}':
    'Es antwortet mit der ID des Befehls auf {topic}: {form}',
  Claimed: 'Gekoppelt',
  Configuration: 'Konfiguration',
  Connection: 'Verbindung',
  Note: 'Notiz',
  Tag: 'Schlagwort',
  'Tag {name}': 'Schlagwort {name}',
  Tags: 'Schlagwörter',
  Timeline: 'Verlauf',
  'What is shown': 'Was angezeigt wird',

  // The condition of a device.
  Approval: 'Freigabe',
  'Awaits approval': 'Wartet auf Freigabe',
  Decommissioned: 'Ausgemustert',
  Offline: 'Offline',
  Online: 'Online',
  Registered: 'Registriert',
  Rejected: 'Abgelehnt',
  applied: 'angewendet',
  approved: 'freigegeben',
  pending: 'ausstehend',
  registered: 'registriert',
  rejected: 'abgelehnt',

  // The list, its filter and its columns.
  'Online and Offline: connected = true or false; Awaits approval: approval = pending':
    'Online und Offline: connected = true oder false; Wartet auf Freigabe: approval = pending',
  'The last column stays.': 'Die letzte Spalte bleibt.',
  'At most {n} columns.': 'Höchstens {n} Spalten.',
  'A device gets an identity, a password for MQTT and topics of its own. The next page makes one, shows code for it, and waits until it connects.':
    'Ein Gerät erhält eine Identität, ein Passwort für MQTT und eigene Topics. Die nächste Seite legt eines an, zeigt Code dafür und wartet, bis es sich verbindet.',
  'Name or key, or: connected = true AND tags.floor = ground':
    'Name oder Kennung, oder: connected = true AND tags.floor = ground',
  'Connect your first device': 'Verbinden Sie Ihr erstes Gerät',
  'Field {name}': 'Feld {name}',
  'Move {name} down': '{name} nach unten',
  'Move {name} up': '{name} nach oben',
  'Show these': 'Diese anzeigen',
  'The filter is read by the service; {grammar} is short.':
    'Den Filter wertet der Dienst aus; {grammar} ist kurz.',
  'The usual ones': 'Standard',
  'its grammar': 'seine Grammatik',
  'tag of {count}': 'Schlagwort ({count})',
  '{matching} of {total}': '{matching} von {total}',
  Lifecycle: 'Lebenszyklus',

  // Views.
  'All devices': 'Alle Geräte',
  'As viewer you may not share views. Only owners, admins and members may.':
    'Als Betrachter dürfen Sie keine Ansichten teilen. Nur Inhaber, Administratoren und Mitglieder dürfen das.',
  'Delete the view {name}': 'Ansicht {name} löschen',
  'Delete view': 'Ansicht löschen',
  'It disappears for all members. The devices stay.':
    'Sie verschwindet für alle Mitglieder. Die Geräte bleiben.',
  'It is shared': 'Sie ist geteilt',
  'It is yours': 'Sie gehört nur Ihnen',
  'Make it mine': 'Nur für mich',
  'Nothing has changed.': 'Nichts wurde geändert.',
  'Only you have it. The devices stay.': 'Nur Sie haben sie. Die Geräte bleiben.',
  'Otherwise only you see it.': 'Sonst sehen nur Sie sie.',
  'Rename view': 'Ansicht umbenennen',
  'Rename…': 'Umbenennen…',
  'Save as…': 'Speichern unter…',
  'Save changes': 'Änderungen speichern',
  'Save view': 'Ansicht speichern',
  'Share with all members': 'Mit allen Mitgliedern teilen',
  Shared: 'Geteilt',
  'The view is saved': 'Die Ansicht ist gespeichert',
  'The view was not changed': 'Die Ansicht wurde nicht geändert',
  'View: {name}': 'Ansicht: {name}',
  'View: {name} (changed)': 'Ansicht: {name} (geändert)',
  'The view': 'Die Ansicht',
  'The views are still being read.': 'Die Ansichten werden noch gelesen.',
  Views: 'Ansichten',
  Yours: 'Eigene',

  // A change of many. Their events have no verb that counts them.
  'A job does it; it can be cancelled while it runs.':
    'Das erledigt ein Auftrag; er lässt sich abbrechen, solange er läuft.',
  'All that match': 'Alle Treffer',
  'All {n} that match': 'Alle {n} Treffer',
  'Arguments as JSON': 'Argumente als JSON',
  'Change devices': 'Geräte ändern',
  'Change the configuration': 'Konfiguration ändern',
  'Changes as JSON': 'Änderungen als JSON',
  'Clear selection': 'Auswahl aufheben',
  'Select the devices to change': 'Wählen Sie die Geräte, die geändert werden sollen',
  'Filter first if there are many. With the first selected one, “Select all that match” and “Change…” appear here.':
    'Bei vielen Geräten filtern Sie zuerst. Ist eines ausgewählt, erscheinen hier „Alle Treffer auswählen“ und „Ändern…“.',
  'Change…': 'Ändern…',
  'It is merged into the own configuration of {count}.':
    'Sie werden mit der eigenen Konfiguration zusammengeführt: {count}.',
  'Members that are null are removed.': 'Felder mit null werden entfernt.',
  'Choose…': 'Auswählen…',
  'Choose a template first.': 'Wählen Sie zuerst eine Vorlage.',
  'Only the selected ones': 'Nur die ausgewählten',
  'Remove a tag': 'Schlagwort entfernen',
  'Select all that match': 'Alle Treffer auswählen',
  'Select all {n} that match': 'Alle {n} Treffer auswählen',
  'Send command': 'Befehl senden',
  'Set a tag': 'Schlagwort setzen',
  'Devices that have this tag get the new value.':
    'Geräte, die dieses Schlagwort schon haben, erhalten den neuen Wert.',
  'It asks them all at once; a rotation asks in waves, and halts if many fail: {act}':
    'Er fordert alle auf einmal auf; eine Erneuerung tut das in Wellen und hält an, wenn viele fehlschlagen: {act}',
  'Type {word} first.': 'Geben Sie zuerst {word} ein.',
  'Type {word} to confirm': 'Zur Bestätigung {word} eingeben',
  '{count}: asked to take new credentials; the old ones work until the new ones are used.':
    '{count}: Aufforderung, neue Zugangsdaten zu holen; die alten gelten, bis die neuen verwendet werden.',
  '{count}: disconnected, and refused until resumed.':
    '{count}: Verbindungen werden getrennt und bis zum Entsperren abgelehnt.',
  '{count}: the command is sent.': '{count}: Der Befehl wird gesendet.',
  '{count}: the rules, the configuration and the commands of the template apply.':
    '{count}: Regeln, Konfiguration und Befehle der Vorlage gelten.',
  '{count}: the tag is set.': '{count}: Das Schlagwort wird gesetzt.',
  '{count}: the credentials are deleted permanently.':
    '{count}: Die Zugangsdaten werden endgültig gelöscht.',
  '{count}: the tag is removed.': '{count}: Das Schlagwort wird entfernt.',
  '{count} may connect again.': '{count}: Verbindungen sind wieder erlaubt.',
  '{n} selected': '{n} ausgewählt',

  // One device: its properties, and its state.
  'Device id': 'Geräte-ID',
  Identity: 'Identität',
  'Last attempts to connect': 'Letzte Verbindungsversuche',
  'No state yet.': 'Noch kein Zustand.',
  'Reported state': 'Gemeldeter Zustand',
  rules: 'Regeln',
  'Watch its messages': 'Nachrichten ansehen',
  Owner: 'Besitzer',
  'Parts of the device': 'Bereiche des Geräts',
  'Let the device publish JSON, such as {example}, to {topic}. Its {rules} must allow that.':
    'Lassen Sie das Gerät JSON auf {topic} veröffentlichen, zum Beispiel {example}. Seine {rules} müssen das erlauben.',
  'a phone, claimed {time}': 'ein Smartphone, gekoppelt {time}',
  '{phone}, claimed {time}': '{phone}, gekoppelt {time}',
  nobody: 'niemand',
  'reported {time}': 'gemeldet {time}',

  // Acts on one device.
  'Open commands': 'Offene Befehle',
  'Approve {key}?': '{key} freigeben?',
  Approved: 'Freigegeben',
  Decommission: 'Ausmustern',
  'Decommission {key}?': '{key} ausmustern?',
  'Decommission…': 'Ausmustern…',
  'Delete {key}?': '{key} löschen?',
  'Disconnect {key}?': '{key} trennen?',
  'It is disconnected now and refused everywhere until it is resumed. It loses nothing.':
    'Das Gerät wird sofort getrennt und überall abgelehnt, bis Sie es entsperren. Es verliert nichts.',
  'It may connect again, with the credentials that it has.':
    'Das Gerät darf sich mit seinen bisherigen Zugangsdaten wieder verbinden.',
  'It may connect, and use its topics.':
    'Das Gerät darf sich verbinden und seine Topics verwenden.',
  'It stays refused. It can be approved later.':
    'Das Gerät wird weiter abgelehnt. Sie können es später freigeben.',
  'It is disconnected and never let in again: its credentials end. Its history and its key stay. There is no way back.':
    'Das Gerät wird getrennt und nie wieder zugelassen: Seine Zugangsdaten enden. Verlauf und Gerätekennung bleiben. Das lässt sich nicht rückgängig machen.',
  '{phone}, which loses the device': '{phone}; verliert das Gerät',
  'Its firmware has to know how: it calls {operation}, as “Rotation” in {page} says.':
    'Die Firmware muss das können: Sie ruft {operation} auf, siehe „Rotation“ in {page}.',
  'It is offline, and is asked to fetch new credentials when it connects.':
    'Das Gerät ist offline und wird aufgefordert, neue Zugangsdaten zu holen, sobald es sich verbindet.',
  'It has been asked to fetch new credentials.':
    'Das Gerät ist aufgefordert, neue Zugangsdaten zu holen.',
  'It has fetched new credentials.': 'Das Gerät hat neue Zugangsdaten geholt.',
  'Rotation done at {time}.': 'Zugangsdaten erneuert: {time}.',
  'It has connected with the new password; the old one has ended.':
    'Das Gerät hat sich mit dem neuen Passwort verbunden; das alte gilt nicht mehr.',
  'Its credentials were reset meanwhile.': 'Die Zugangsdaten wurden inzwischen zurückgesetzt.',
  'The rotation is not due any more. The device needs the password of the reset.':
    'Die Erneuerung ist hinfällig. Das Gerät braucht das Passwort, das beim Zurücksetzen angezeigt wurde.',
  'On {brokers} the new password has replaced the old one, and no use of it is reported here. If the device is connected there again, as “Connections” shows, the rotation is done; if it stays away, reset its credentials.':
    'Auf {brokers} hat das neue Passwort das alte ersetzt, und seine Verwendung wird hier nicht gemeldet. Ist das Gerät dort laut „Verbindungen“ wieder verbunden, ist die Erneuerung abgeschlossen; bleibt es weg, setzen Sie die Zugangsdaten zurück.',
  'It is being asked to rotate its credentials.':
    'Das Gerät wird aufgefordert, seine Zugangsdaten zu erneuern.',
  'It was not asked to rotate its credentials.':
    'Das Gerät wurde nicht aufgefordert, seine Zugangsdaten zu erneuern.',
  'Open the job': 'Auftrag öffnen',
  'Reject {key}?': '{key} ablehnen?',
  'Release from its phone…': 'Vom Smartphone entkoppeln…',
  Resume: 'Entsperren',
  'Resume {key}?': '{key} entsperren?',
  'Rotate credentials…': 'Zugangsdaten erneuern…',
  'Rotate the credentials of {key}?': 'Zugangsdaten von {key} erneuern?',
  'Suspend {key}?': '{key} sperren?',
  'It is offline: it is asked to fetch a new password and a new token when it connects, or when it asks the service by HTTP. For that it needs its token, not its password; if it has lost both, reset its credentials.':
    'Das Gerät ist offline: Es wird aufgefordert, ein neues Passwort und ein neues Token zu holen, sobald es sich verbindet oder den Dienst über HTTP fragt. Dafür braucht es sein Token, nicht sein Passwort; hat es beide verloren, setzen Sie die Zugangsdaten zurück.',
  'The device gets the command to fetch a new password and a new token.':
    'Das Gerät erhält den Befehl, ein neues Passwort und ein neues Token zu holen.',
  'The job says why.': 'Der Auftrag nennt den Grund.',
  'The old ones work until it has used the new ones.':
    'Die alten gelten, bis es die neuen verwendet hat.',
  'It is disconnected and refused. The device, its credentials, state, configuration and commands are deleted permanently. Its key can be used again.':
    'Das Gerät wird getrennt und abgelehnt. Das Gerät, seine Zugangsdaten, sein Zustand, seine Konfiguration und seine Befehle werden endgültig gelöscht. Die Gerätekennung kann wieder vergeben werden.',
  'To keep its history, decommission it instead.':
    'Soll der Verlauf bleiben, mustern Sie das Gerät stattdessen aus.',

  // Commands.
  'Cancelled by {who}': 'Abgebrochen von {who}',
  'It ended with a reset of the credentials, by {who}':
    'Durch das Zurücksetzen der Zugangsdaten beendet, von {who}',
  'It counts as failed, since it did not use a new password in time: {rotation}':
    'Es zählt als fehlgeschlagen, da es nicht rechtzeitig ein neues Passwort verwendet hat: {rotation}',
  'Asked to rotate its credentials: {rotation}':
    'Aufgefordert, seine Zugangsdaten zu erneuern: {rotation}',
  'Rotation failed': 'Erneuerung fehlgeschlagen',
  'Rotation running, due {time}': 'Erneuerung läuft, fällig {time}',
  'It counts as failed unless it uses a new password by {time}.':
    'Es zählt als fehlgeschlagen, wenn es nicht bis {time} ein neues Passwort verwendet.',
  'A command reaches the device once, at once or when it connects, and waits for its response.':
    'Ein Befehl erreicht das Gerät einmal, sofort oder sobald es sich verbindet, und wartet auf die Antwort.',
  'A device that is offline gets the command if it connects within this time.':
    'Ein Gerät, das offline ist, erhält den Befehl, wenn es sich in dieser Zeit verbindet.',
  'Arguments (JSON)': 'Argumente (JSON)',
  Response: 'Antwort',
  Arguments: 'Argumente',
  'It is offline. The command waits up to {n} s for it.':
    'Das Gerät ist offline. Der Befehl wartet bis zu {n} s darauf.',
  'No command yet': 'Noch kein Befehl',
  'Seconds to wait for its response': 'Wartezeit auf die Antwort (Sekunden)',
  'Set {name}': '{name} setzen',
  'Sent to {topic} and {own}': 'Gesendet an {topic} und {own}',
  cancelled: 'abgebrochen',

  // Configuration.
  'The device tells on {topic} which version it has applied.':
    'Auf {topic} meldet das Gerät, welche Version es anwendet.',
  'Back to version {version}?': 'Zurück zu Version {version}?',
  'Configuration published': 'Konfiguration veröffentlicht',
  'Each change of the configuration is kept.': 'Jede Änderung der Konfiguration bleibt erhalten.',
  'Effective configuration': 'Wirksame Konfiguration',
  Error: 'Fehler',
  'Go back': 'Zurücksetzen',
  'Values that differ from the template': 'Werte, die von der Vorlage abweichen',
  'No versions yet': 'Noch keine Versionen',
  'Nothing reported': 'Nichts gemeldet',
  'Own configuration': 'Eigene Konfiguration',
  Reported: 'Gemeldet',
  'The last {n} versions are kept.': 'Die letzten {n} Versionen bleiben erhalten.',
  'Version {version}': 'Version {version}',
  'Version {version} is not kept': 'Version {version} ist nicht vorhanden',
  'What it gets': 'Was das Gerät erhält',
  'What the device reports': 'Was das Gerät meldet',
  'version {version}': 'Version {version}',
  '{status}, of an earlier version': '{status}, für eine frühere Version',

  // Credentials.
  'A reset ends its password and its token now, and shows new ones once. To change them without an interruption, let the device rotate: it keeps the old ones until it has used the new ones.':
    'Beim Zurücksetzen enden Passwort und Token sofort, und neue werden einmal angezeigt. Ohne Unterbrechung geht es, wenn das Gerät sie selbst erneuert: Es behält die alten, bis es die neuen verwendet hat.',
  'All its current passwords and tokens stop now, everywhere, and its sessions end.':
    'Alle bisherigen Passwörter und Token des Geräts gelten ab sofort nirgends mehr, und seine Sitzungen enden.',
  'The new ones are shown once, in the next step. The device stays offline until they are stored on it.':
    'Die neuen werden nur einmal angezeigt, im nächsten Schritt. Das Gerät bleibt offline, bis sie darauf gespeichert sind.',
  'To renew them without an interruption, rotate them instead.':
    'Ohne Unterbrechung geht es, wenn Sie sie stattdessen erneuern lassen.',
  'Let it register once more…': 'Noch einmal registrieren lassen…',
  'Let {key} register once more?': '{key} noch einmal registrieren lassen?',
  'Allow for 24 hours': '24 Stunden lang erlauben',
  'No phone has claimed it: for its key this changes nothing.':
    'Kein Smartphone hat es gekoppelt: Für seinen Schlüssel ändert das nichts.',
  'For a claimed device that has lost its credentials: for 24 hours, a key that gives new ones “unless it is claimed” gives them to this one, too. For other keys this changes nothing. The present ones work until the device has used those.':
    'Für ein gekoppeltes Gerät, das seine Zugangsdaten verloren hat: 24 Stunden lang gibt ein Schlüssel, der neue „nur ungekoppelten Geräten“ gibt, sie auch diesem. Für andere Schlüssel ändert das nichts. Die aktuellen gelten, bis das Gerät die neuen verwendet hat.',
  'It was asked before, and has not rotated. This asks again.':
    'Es wurde schon aufgefordert und hat sie nicht erneuert. Dies fordert erneut auf.',
  'It was asked {time}, and has not rotated. This asks again.':
    'Es wurde {time} aufgefordert und hat sie nicht erneuert. Dies fordert erneut auf.',
  'Allowed until {time}': 'Erlaubt bis {time}',
  'Credentials of {key}': 'Zugangsdaten von {key}',
  Reset: 'Zurücksetzen',
  'Valid credentials': 'Gültige Zugangsdaten',
  'MQTT password': 'MQTT-Passwort',
  'HTTP token': 'HTTP-Token',
  'No.': 'Nr.',
  'Issued by': 'Anlass',
  'First used': 'Erste Verwendung',
  'no use recorded': 'nicht erfasst',
  'Unused, it ends': 'Endet ohne Verwendung',
  Registration: 'Registrierung',
  'It has no valid credentials': 'Das Gerät hat keine gültigen Zugangsdaten',
  'A decommissioned device cannot connect.': 'Ein ausgemustertes Gerät kann sich nicht verbinden.',
  'It gets new ones when it is provisioned again, or when you create them.':
    'Neue erhält es, wenn es erneut provisioniert wird oder Sie sie anlegen.',
  'No broker reports it as connected now.': 'Kein Broker meldet es derzeit als verbunden.',
  'Asked to rotate its credentials {time}, by {who}':
    'Zum Erneuern der Zugangsdaten aufgefordert {time}. Wer: {who}',
  'See the command': 'Befehl ansehen',
  'It has not fetched the command yet: it has to subscribe to {topic}, or ask the service by HTTP.':
    'Es hat den Befehl noch nicht abgeholt: Es muss {topic} abonnieren oder den Dienst per HTTP fragen.',
  'It has received the command, and has not fetched new credentials yet.':
    'Es hat den Befehl erhalten und noch keine neuen Zugangsdaten geholt.',
  'A rotation is due.': 'Eine Erneuerung der Zugangsdaten steht aus.',
  'Create credentials…': 'Zugangsdaten anlegen…',
  'Create the credentials of {key}?': 'Zugangsdaten von {key} anlegen?',
  'It has none now. A new password and a new token are shown once; store them on the device.':
    'Das Gerät hat derzeit keine. Ein neues Passwort und ein neues Token werden einmal angezeigt; hinterlegen Sie sie auf dem Gerät.',
  'It is decommissioned.': 'Das Gerät ist ausgemustert.',
  'The device fetches new credentials the next time it asks the service. The old ones work until it has used the new ones.':
    'Das Gerät holt neue Zugangsdaten, sobald es den Dienst das nächste Mal fragt. Die alten gelten, bis es die neuen verwendet hat.',
  'Reset credentials…': 'Zugangsdaten zurücksetzen…',
  'Reset the credentials of {key}?': 'Zugangsdaten von {key} zurücksetzen?',
  'Or its id.': 'Oder seine ID.',

  // Rules.
  'The default rules': 'die Standardregeln',
  '{rules} apply: its own topics only.':
    'Es gelten {rules}: Das Gerät darf nur seine eigenen Topics verwenden.',
  '{rules} apply, because its template {link} has no rules: it may use its own topics only.':
    'Die Vorlage {link} hat keine Regeln. Es gelten {rules}: Das Gerät darf nur seine eigenen Topics verwenden.',
  'The rules of its template {link} apply.': 'Es gelten die Regeln der Vorlage {link}.',
  'the default rules': 'die Standardregeln',
  'Then {rules} apply. What no rule allows is denied.':
    'Danach gelten {rules}. Was keine Regel erlaubt, ist verboten.',
  'Then the rule of its template {link} applies. What no rule allows is denied.':
    'Danach gilt die Regel der Vorlage {link}. Was keine Regel erlaubt, ist verboten.',
  'Then the {n} rules of its template {link} apply. What no rule allows is denied.':
    'Danach gelten die {n} Regeln der Vorlage {link}. Was keine Regel erlaubt, ist verboten.',

  // Name, tags and custom fields; notes.
  'At least {n}.': 'Mindestens {n}.',
  'At most {n} characters.': 'Höchstens {n} Zeichen.',
  'At most {n}.': 'Höchstens {n}.',
  'The settings of the workspace': 'Die Einstellungen des Workspace',
  'There are no custom fields. {settings} define them.':
    'Es gibt keine eigenen Felder. {settings} legen sie fest.',
  'This is no JSON.': 'Das ist kein JSON.',
  'Name, tags and custom fields': 'Name, Schlagwörter und eigene Felder',
  'Delete this note?': 'Diese Notiz löschen?',
  'No notes': 'Keine Notizen',
  'One a line, such as floor = ground. Filters, jobs and groups find devices by them.':
    'Eines je Zeile, etwa floor = ground. Filter, Aufträge und Gruppen finden Geräte darüber.',
  'One tag a line: name = value.': 'Ein Schlagwort je Zeile: Name = Wert.',
  'What a colleague should know: where it hangs, what was tried.':
    'Was Kollegen wissen sollten: wo das Gerät hängt, was schon versucht wurde.',
  'Write a note': 'Notiz schreiben',
  Written: 'Geschrieben',

  // A new device.
  'A device without a template needs a key.': 'Ein Gerät ohne Vorlage braucht eine Kennung.',
  'Code for it': 'Code für das Gerät',
  'It came from {address}.': 'Der Versuch kam von {address}.',
  'It has published its state:': 'Es hat seinen Zustand veröffentlicht:',
  'It has published no state yet.': 'Es hat noch keinen Zustand veröffentlicht.',
  'Show all devices': 'Alle Geräte zeigen',
  'Create device': 'Gerät anlegen',
  'A device cannot be created until they are read. What you type stays.':
    'Bis sie gelesen sind, kann kein Gerät angelegt werden. Ihre Eingaben bleiben.',
  'No template: the default rules': 'Keine Vorlage: die Standardregeln',
  'Open the device': 'Gerät öffnen',
  'Run the code. This page notices the connection by itself, and says why one is refused.':
    'Führen Sie den Code aus. Diese Seite bemerkt die Verbindung von selbst und nennt den Grund, wenn sie abgelehnt wird.',
  'Show me code': 'Code anzeigen',
  'Such as its MAC address. No two devices can have the same.':
    'Etwa die MAC-Adresse. Sie ist für jedes Gerät eine andere.',
  'The code of the next step contains them too. The service keeps only hashes.':
    'Der Code im nächsten Schritt enthält sie auch. Der Dienst bewahrt nur Hashes auf.',
  'You choose it, for example its serial number. Unique in this workspace; part of its topics: {topic}':
    'Frei gewählt, zum Beispiel die Seriennummer. Eindeutig in diesem Workspace und Teil der Topics: {topic}',
  'Unique in this workspace and part of its topics ({topic}). Left empty, the template makes one, such as {key}.':
    'Eindeutig in diesem Workspace und Teil der Topics ({topic}). Leer: Die Vorlage vergibt eine, etwa {key}.',
  'last as {client}': 'zuletzt als {client}',
  number: 'Nummer',
  'Waiting for {key} to connect': 'Warten auf die Verbindung von {key}',
  'There is none yet, and a first device needs none. {act}':
    'Noch gibt es keine, und ein erstes Gerät braucht keine. {act}',
  'What all devices of a model have in common: topics, rules, default configuration.':
    'Was alle Geräte eines Modells gemeinsam haben: Topics, Regeln, Standardkonfiguration.',
  '{key} has connected.': '{key} hat sich verbunden.',

  // The data that could not be read.
  'The configuration': 'Konfiguration',
  'The device': 'Gerät',
  'The reported state': 'Gemeldeter Zustand',
  'The timeline': 'Verlauf',
}
