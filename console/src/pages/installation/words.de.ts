/** The German text of each English one; see words/translate.ts. */
export const german = {
  // What several of these pages show.
  Find: 'Suchen',
  'E-mails are kept for 30 days. Set MOORING_SMTP_URL, then send them.':
    'E-Mails werden 30 Tage lang aufbewahrt. Setzen Sie MOORING_SMTP_URL, dann senden Sie sie.',
  'Record payment…': 'Zahlung erfassen…',
  'Record the payment of {number}': 'Zahlung von {number} erfassen',
  'Received money is recorded on the command line, with the reference of the bank transfer:':
    'Eingegangenes Geld wird mit der Kommandozeile erfasst, mit dem Verwendungszweck der Überweisung:',
  '{amount} overdue': '{amount} überfällig',
  Customer: 'Kunde',
  'Erased on': 'Endgültig gelöscht am',
  'Routine work that repeats. Nothing is late.':
    'Regelmäßige Arbeiten, die sich wiederholen. Nichts ist verspätet.',
  'Send all that were not sent': 'Alle nicht gesendeten senden',
  'Send to {to}': 'Senden an {to}',
  Scheduled: 'Geplant',
  scheduled: 'geplant',
  'given up': 'endgültig fehlgeschlagen',
  'e-mail not sent': 'E-Mail nicht gesendet',
  '{n} e-mail is being sent': '{n} E-Mail wird gesendet',
  '{n} e-mails are being sent': '{n} E-Mails werden gesendet',
  '{name} (not verified)': '{name} (nicht bestätigt)',
  'Last error': 'Letzter Fehler',
  'MQTT sessions': 'MQTT-Sitzungen',
  'No mail server is configured': 'Es ist kein Mailserver eingerichtet',
  'Second factor': 'Zweiter Faktor',
  deleted: 'gelöscht',
  expired: 'abgelaufen',
  running: 'läuft',
  unknown: 'unbekannt',
  '{n} of {total}': '{n} von {total}',

  // Who may see the area.
  'MOORING_CONSOLE_ADMIN has switched this area off.':
    'MOORING_CONSOLE_ADMIN hat diesen Bereich abgeschaltet.',
  'The installation is for its operators': 'Die Installation ist für ihre Betreiber',
  'The person who runs the service makes an account one, on the command line.':
    'Wer den Dienst betreibt, ernennt ein Konto dazu, auf der Kommandozeile.',

  // Health.
  'All checks pass': 'Alle Prüfungen bestanden',
  'Database, brokers, disk, certificates and queues are within their limits, as far as they could be measured. What is waiting and the latest warnings are below.':
    'Was von Datenbank, Brokern, Speicherplatz, Zertifikaten und Warteschlangen messbar war, liegt in seinen Grenzen. Was wartet und die letzten Warnungen stehen unten.',
  'Audit entries waiting': 'Wartende Audit-Einträge',
  Clock: 'Uhr',
  'Data folder': 'Datenordner',
  Database: 'Datenbank',
  'Database connections in use': 'Belegte Datenbank-Verbindungen',
  'E-mails not sent': 'Nicht gesendete E-Mails',
  'Free disk space': 'Freier Speicherplatz',
  'The workspaces': 'Workspaces',
  'Open All workspaces': 'Zu allen Workspaces',
  'Open {name}': 'Zu {name}',
  'Open Background work': 'Zu den Hintergrundaufgaben',
  'Open Brokers': 'Zu den Brokern',
  'Open Mail': 'Zu den E-Mails',
  'they are tried again': 'sie werden erneut versucht',
  '{n} caller waits for one': '{n} Aufruf wartet auf eine',
  '{n} callers wait for one': '{n} Aufrufe warten auf eine',
  '{n} failing': '{n} gestört',
  '1 webhook failing for {time}': '1 Webhook gestört, seit {time}',
  '{n} webhooks failing, the first for {time}': '{n} Webhooks gestört, der erste seit {time}',
  error: 'Fehler',
  'Latest warnings and errors': 'Letzte Warnungen und Fehler',
  Level: 'Stufe',
  'E-mails waiting': 'Wartende E-Mails',
  'No warnings and no errors': 'Keine Warnungen und keine Fehler',
  Restarts: 'Neustarts',
  Restored: 'Wiederhergestellt',
  Service: 'Dienst',
  'Since this process started.': 'Seit dem Start dieses Prozesses.',
  'Late tasks': 'Verspätete Aufgaben',
  'Webhook deliveries waiting': 'Wartende Webhook-Zustellungen',
  'your own server': 'eigener Server',
  'embedded in the service': 'im Dienst eingebaut',
  'expires {time}': 'läuft {time} ab',
  'none (plain HTTP)': 'keines (unverschlüsseltes HTTP)',
  'not ready': 'nicht bereit',
  problem: 'Problem',
  ready: 'bereit',
  responds: 'antwortet',
  warning: 'Warnung',
  '{n} certificates expire within {days} days':
    'Zertifikate, die innerhalb von {days} Tagen ablaufen: {n}',
  'No certificate expires within {days} days':
    'In den nächsten {days} Tagen läuft kein Zertifikat ab',
  'new events are sent at once': 'neue Ereignisse gehen sofort hinaus',
  'new events wait for {time}': 'neue Ereignisse warten {time}',
  '{kept} without a mail server, {failed} given up':
    '{kept} mangels Mailserver, {failed} endgültig fehlgeschlagen',
  '{running} running, {failed} given up': '{running} laufen, {failed} endgültig fehlgeschlagen',
  'agrees with the service': 'stimmt mit dem Dienst überein',
  '{time} off': 'weicht um {time} ab',
  '{time}, from a backup of {backup}': '{time}, aus einem Backup von {backup}',

  // Accounts.
  'That is done for an operator on the command line.':
    'Das geschieht bei einem Betreiber auf der Kommandozeile.',
  'The password of an operator is reset on the command line:':
    'Das Passwort eines Betreibers wird auf der Kommandozeile zurückgesetzt:',
  'The same, and removes the second factors:': 'Dasselbe, und entfernt die zweiten Faktoren:',
  Disable: 'Deaktivieren',
  'Disable {email}?': '{email} deaktivieren?',
  'Disable…': 'Deaktivieren…',
  Enabled: 'Aktiviert',
  'End all sessions?': 'Alle Sitzungen beenden?',
  'End sessions…': 'Sitzungen beenden…',
  'End them': 'Beenden',
  'Find an account': 'Konto suchen',
  'Create a password link?': 'Passwort-Link ausstellen?',
  'Create link': 'Link ausstellen',
  'It has no second factor.': 'Es hat keinen zweiten Faktor.',
  'It has no sessions.': 'Es hat keine Sitzungen.',
  'Your own account stays enabled.': 'Ihr eigenes Konto bleibt aktiv.',
  'Not in any workspace': 'In keinem Workspace',
  'Anyone who has this link can set the password of {email}: once, within an hour. It is shown this once, and the audit log records that you saw it.':
    'Wer diesen Link hat, kann das Passwort von {email} setzen: einmal, innerhalb einer Stunde. Er wird nur einmal angezeigt, und das Audit-Protokoll hält fest, dass Sie ihn gesehen haben.',
  'The person gets a link to choose a password. To add them to a workspace, invite them there.':
    'Die Person erhält einen Link, um ein Passwort zu wählen. In einen Workspace wird sie dort eingeladen.',
  'Its session ends at once, and nobody can sign in with it. It stays a member of its workspaces, and can be enabled again.':
    'Seine Sitzung endet sofort, und niemand kann sich damit anmelden. Es bleibt Mitglied seiner Workspaces und lässt sich wieder aktivieren.',
  'Its {n} sessions end at once, and nobody can sign in with it. It stays a member of its workspaces, and can be enabled again.':
    'Seine {n} Sitzungen enden sofort, und niemand kann sich damit anmelden. Es bleibt Mitglied seiner Workspaces und lässt sich wieder aktivieren.',
  'Address at the provider': 'Adresse beim Anbieter',
  'Last sign-in': 'Letzte Anmeldung',
  Linked: 'Verknüpft',
  'Linked identities': 'Verknüpfte Identitäten',
  'No account matches': 'Kein Konto passt dazu',
  'No mail server is configured: pass the link on yourself':
    'Es ist kein Mailserver eingerichtet: Geben Sie den Link selbst weiter',
  'Part of an address or a name.': 'Teil einer Adresse oder eines Namens.',
  'Password link…': 'Passwort-Link…',
  'Members of a workspace can invite its person.':
    'Mitglieder eines Workspace können die Person einladen.',
  'People who were invited to a workspace create their accounts themselves.':
    'Wer in einen Workspace eingeladen wurde, legt sein Konto selbst an.',
  Provider: 'Anbieter',
  'Remove second factors…': 'Zweite Faktoren entfernen…',
  'Remove the second factors?': 'Zweite Faktoren entfernen?',
  Removed: 'Entfernt',
  'Signing in': 'Anmeldung',
  'The account is disabled.': 'Das Konto ist deaktiviert.',
  'The account is created': 'Das Konto ist angelegt',
  'The person is told by e-mail.': 'Die Person wird per E-Mail informiert.',
  'This removes the authenticator with its recovery codes, {n} passkey and all linked identities. Then the password alone is enough to sign in: do it only after you have spoken to the person.':
    'Entfernt werden die Authenticator-App mit ihren Wiederherstellungscodes, {n} Passkey und alle verknüpften Identitäten. Danach genügt das Passwort: Tun Sie es nur, wenn Sie mit der Person gesprochen haben.',
  'This removes the authenticator with its recovery codes, {n} passkeys and all linked identities. Then the password alone is enough to sign in: do it only after you have spoken to the person.':
    'Entfernt werden die Authenticator-App mit ihren Wiederherstellungscodes, {n} Passkeys und alle verknüpften Identitäten. Danach genügt das Passwort: Tun Sie es nur, wenn Sie mit der Person gesprochen haben.',
  'Only the command line makes an account an operator:':
    'Nur die Kommandozeile ernennt ein Konto zum Betreiber:',
  'The link was sent by e-mail': 'Der Link wurde per E-Mail gesendet',
  'The current password works until a new one is chosen. Sessions end then; the second factor stays.':
    'Das aktuelle Passwort gilt, bis ein neues gewählt ist. Dann enden die Sitzungen; der zweite Faktor bleibt.',
  Actions: 'Aktionen',
  'created by the service': 'vom Dienst erzeugt',
  'no name': 'kein Name',
  'no role in the installation': 'keine Rolle in der Installation',
  operator: 'Betreiber',
  '{email} gets a link to choose a password. It works once, for an hour.':
    '{email} erhält einen Link, um ein Passwort zu wählen. Er gilt einmal und eine Stunde lang.',
  '{n} API keys of {slug} keep working.': 'Noch gültige API-Schlüssel in {slug}: {n}.',
  '{n} session has ended': '{n} Sitzung ist beendet',
  '{n} sessions have ended': '{n} Sitzungen sind beendet',
  '{sessions} sessions of {email} end everywhere. The password stays.':
    'Sitzungen von {email}, die überall enden: {sessions}. Das Passwort bleibt.',
  '{slug} no longer has an owner who can sign in.':
    '{slug} hat keinen Inhaber mehr, der sich anmelden kann.',

  // Workspaces.
  'A deleted workspace is listed for 30 days, in which it can be restored.':
    'Ein gelöschter Workspace steht 30 Tage lang in der Liste und lässt sich so lange wiederherstellen.',
  'Operators see numbers and people, but no devices, messages or keys. To see those, ask a member for an invitation.':
    'Betreiber sehen Zahlen und Personen, aber keine Geräte, Nachrichten und Schlüssel. Dafür muss ein Mitglied Sie einladen.',
  'Find a workspace': 'Workspace suchen',
  'It is deleted': 'Er ist gelöscht',
  'It is erased {time}. Until then it can be restored with everything in it.':
    'Er wird {time} endgültig gelöscht. Bis dahin lässt er sich mit allem, was er enthält, wiederherstellen.',
  'Its {devices} devices can connect again, its {keys} API keys work again, and its {people} members see it again.':
    'Seine Geräte ({devices}) können sich wieder verbinden, seine API-Schlüssel ({keys}) gelten wieder, und seine Mitglieder ({people}) sehen ihn wieder.',
  'None of its owners can sign in: make one on the command line.':
    'Keiner seiner Inhaber kann sich anmelden: Ernennen Sie einen mit der Kommandozeile.',
  'No workspace matches': 'Kein Workspace passt dazu',
  'It has no members': 'Er hat keine Mitglieder',
  'Part of a slug or a name.': 'Teil eines Slugs oder eines Namens.',
  Restore: 'Wiederherstellen',
  'Restore {name}?': '{name} wiederherstellen?',
  'Restore…': 'Wiederherstellen…',
  'The command line makes an owner.': 'Die Kommandozeile ernennt einen Inhaber.',
  'no plan': 'kein Tarif',
  '{plan} (default)': '{plan} (Standard)',
  'not required': 'nicht verlangt',
  'required of everyone': 'von allen verlangt',
  '{n} or more': 'mindestens {n}',

  // Invitations.
  'No invitations': 'Keine Einladungen',
  'Owners and admins of a workspace invite people on its page People.':
    'Inhaber und Administratoren eines Workspace laden auf seiner Seite „Personen“ ein.',
  accepted: 'angenommen',
  pending: 'offen',

  // Mail.
  About: 'Betreff',
  'Invitations, password links and security notices are listed here, without their content.':
    'Hier stehen Einladungen, Passwort-Links und Sicherheitshinweise, ohne ihren Inhalt.',
  'It is being sent': 'Wird gesendet',
  'No e-mails yet': 'Noch keine E-Mails',
  'Not sent: no mail server': 'Nicht gesendet: kein Mailserver',
  'not sent': 'nicht gesendet',
  'Send again to {to}': 'Erneut senden an {to}',
  queued: 'eingereiht',
  sent: 'gesendet',
  'to {to}': 'an {to}',

  // Brokers and security checks.
  'Embedded broker': 'Eingebauter Broker',
  'A revocation takes effect': 'Ein Widerruf wirkt',
  Addresses: 'Adressen',
  'A security check connects as an attacker would, with test devices of its own, and names the setting that closes each hole. It takes a minute or two.':
    'Eine Sicherheitsprüfung verbindet sich wie ein Angreifer, mit eigenen Testgeräten, und nennt für jede Lücke die Einstellung, die sie schließt. Sie dauert ein bis zwei Minuten.',
  Bridge: 'Bridge',
  Broker: 'Broker',
  'The list says which setting closes each.':
    'Die Liste nennt zu jeder die Einstellung, die sie schließt.',
  'Check the security of {broker}?': 'Sicherheit von {broker} prüfen?',
  'Security check': 'Sicherheitsprüfung',
  'Security check of {broker}': 'Sicherheitsprüfung von {broker}',
  'Security check…': 'Sicherheitsprüfung…',
  'Security checks': 'Sicherheitsprüfungen',
  'Start one with Security check… above; the command does the same.':
    'Starten Sie eine mit „Sicherheitsprüfung…“ oben; der Befehl tut dasselbe.',
  'Security holes': 'Sicherheitslücken',
  'The broker could not be checked': 'Der Broker konnte nicht geprüft werden',
  'No broker': 'Kein Broker',
  'No security hole found': 'Keine Sicherheitslücke gefunden',
  'No check has ended yet': 'Noch keine Einzelprüfung ist beendet',
  'Not checked yet': 'Noch nicht geprüft',
  'One security hole': 'Eine Sicherheitslücke',
  Checks: 'Einzelprüfungen',
  Observed: 'Beobachtet',
  Requirement: 'Anforderung',
  'The embedded broker is off, and MOORING_BROKERS_FILE names no other.':
    'Der eingebaute Broker ist abgeschaltet, und MOORING_BROKERS_FILE nennt keinen anderen.',
  'The first one takes a few seconds.': 'Die erste dauert einige Sekunden.',
  'This page updates as the check runs.': 'Diese Seite zeigt laufend, wie weit die Prüfung ist.',
  'To change': 'Zu ändern',
  'within {n} s': 'binnen {n} s',
  completed: 'abgeschlossen',
  connected: 'verbunden',
  'not proven': 'nicht nachgewiesen',
  passed: 'bestanden',
  skipped: 'übersprungen',
  '{n} security holes': '{n} Sicherheitslücken',
  '{n} check so far': 'bisher {n} Einzelprüfung',
  '{n} checks so far': 'bisher {n} Einzelprüfungen',

  // Background work.
  'Advance a rotation campaign': 'Erneuerungskampagne fortsetzen',
  'Anchor the audit logs': 'Audit-Protokolle verankern',
  'Ask when certificates are due for renewal': 'Erneuerungstermine der Zertifikate abfragen',
  'Check a new card': 'Neue Karte prüfen',
  'Check a payment': 'Zahlung prüfen',
  'Check new cards that are not finished': 'Unfertige neue Karten prüfen',
  'Check the ownership of domains again': 'Eigentum an Domains erneut prüfen',
  'Delete old audit entries and events': 'Alte Audit-Einträge und Ereignisse löschen',
  'Delete old events of the payment provider': 'Alte Meldungen des Zahlungsanbieters löschen',
  'Delete old jobs': 'Alte Aufträge löschen',
  'Delete old e-mails': 'Alte E-Mails löschen',
  'Delete old rotation campaigns': 'Alte Erneuerungskampagnen löschen',
  'Delete old webhook deliveries': 'Alte Webhook-Zustellungen löschen',
  'Delete tasks that were given up long ago': 'Vor langer Zeit fehlgeschlagene Aufgaben löschen',
  'Delete expired webhook secrets': 'Abgelaufene Webhook-Geheimnisse löschen',
  'Disconnect MQTT clients': 'MQTT-Clients trennen',
  'Draft and issue invoices': 'Rechnungen entwerfen und ausstellen',
  'Draft invoices': 'Rechnungen entwerfen',
  'End invitations that have expired': 'Abgelaufene Einladungen beenden',
  'Erase deleted workspaces': 'Gelöschte Workspaces endgültig löschen',
  'Check the security of a broker': 'Sicherheit eines Brokers prüfen',
  'Send a link that confirms an address': 'Link zur Bestätigung einer Adresse senden',
  'Measure usage, and warn of limits': 'Nutzung messen und vor Limits warnen',
  'Order the certificate of a domain': 'Zertifikat einer Domain bestellen',
  'Read the cards of a workspace from the payment provider':
    'Karten eines Workspace vom Zahlungsanbieter lesen',
  'Redeliver webhook deliveries': 'Webhook-Zustellungen erneut zustellen',
  'Remove a card at the payment provider': 'Karte beim Zahlungsanbieter entfernen',
  'Renew certificates, and warn of those that expire': 'Zertifikate erneuern und vor Ablauf warnen',
  'Resume unfinished payments': 'Unfertige Zahlungen fortsetzen',
  'Run a job over devices': 'Auftrag über Geräte ausführen',
  'Send an e-mail': 'E-Mail senden',
  'Aggregate old usage by day': 'Alte Nutzung je Tag zusammenfassen',
  'Aggregate usage by hour': 'Nutzung je Stunde zusammenfassen',
  Late: 'Verspätet',
  Task: 'Aufgabe',
  'Tasks that were given up stay for 14 days, with the error of the last attempt.':
    'Endgültig fehlgeschlagene Aufgaben bleiben 14 Tage lang, mit dem Fehler des letzten Versuchs.',
  late: 'verspätet',
  waiting: 'wartet',

  // Invoices.
  'A workspace whose plan has a price gets one each month. Plans are in the file that MOORING_PLANS_FILE names.':
    'Ein Workspace, dessen Tarif einen Preis hat, erhält jeden Monat eine. Tarife stehen in der Datei, die MOORING_PLANS_FILE nennt.',
  'No invoices': 'Keine Rechnungen',
  'Amount due': 'Offen',
  'Due date': 'Fällig am',
  'Only unpaid and overdue': 'Nur unbezahlte und überfällige',
  Total: 'Gesamt',

  // The audit log.
  'Accounts, sessions, second factors, e-mails and the keys of the service leave entries here.':
    'Konten, Sitzungen, zweite Faktoren, E-Mails und die Schlüssel des Dienstes hinterlassen hier Einträge.',
  'Audit log of the installation': 'Audit-Protokoll der Installation',

  // Settings.
  'API and processes': 'API und Prozesse',
  'Accounts and console': 'Konten und Konsole',
  'Audit log and events': 'Audit-Protokoll und Ereignisse',
  'Database and keys': 'Datenbank und Schlüssel',
  'Domains and certificates': 'Domains und Zertifikate',
  Limits: 'Grenzen',
  'Logs and traces': 'Logs und Traces',
  'MQTT and brokers': 'MQTT und Broker',
  'Plans and payments': 'Tarife und Zahlungen',
  '(any free port)': '(ein beliebiger freier Port)',
  'Find a setting': 'Einstellung suchen',
  Group: 'Gruppe',
  'No setting matches': 'Keine Einstellung passt dazu',
  'Part of its name or of its purpose.': 'Teil ihres Namens oder ihres Zwecks.',
  'not set': 'nicht gesetzt',
  'not set – {what}': 'nicht gesetzt – {what}',
  'protection is off': 'Schutz ist aus',
  'Only those that are set': 'Nur gesetzte',
  'Settings of the service': 'Einstellungen des Dienstes',
  'What is not set has its default.': 'Was nicht gesetzt ist, hat seinen Standardwert.',
  'These are environment variables, read when the service starts. Defaults are grey.':
    'Es sind Umgebungsvariablen, die der Dienst beim Start liest. Grau ist der Standardwert.',
  Purpose: 'Wofür',
  set: 'gesetzt',

  // What could not be read.
  'The account': 'Konto',
  'The health of the service': 'Betriebszustand',
  'The security check': 'Sicherheitsprüfung',
  'The workspace': 'Workspace',
}
