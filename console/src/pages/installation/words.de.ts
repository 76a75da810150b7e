/** The German text of each English one; see words/translate.ts. */
export const german = {
  // What several of these pages show.
  Find: 'Suchen',
  'Last error': 'Letzter Fehler',
  'MQTT sessions': 'MQTT-Sitzungen',
  'No mail server is configured': 'Es ist kein Mailserver eingerichtet',
  Number: 'Nummer',
  'Second factor': 'Zweiter Faktor',
  deleted: 'gelöscht',
  expired: 'abgelaufen',
  running: 'läuft',
  unknown: 'unbekannt',
  '{n} of {total}': '{n} von {total}',

  // Who may see the area.
  'It is switched off: MOORING_CONSOLE_ADMIN.': 'Sie ist abgeschaltet: MOORING_CONSOLE_ADMIN.',
  'The installation is for its operators. The person who runs the service marks an account: mooring accounts set-role --email … --role operator':
    'Die Installation ist für ihre Betreiber. Wer den Dienst betreibt, kennzeichnet ein Konto: mooring accounts set-role --email … --role operator',

  // Health.
  'All checks pass': 'Alle Prüfungen bestanden',
  'Nothing that could be measured of database, brokers, disk, certificates and queues is beyond its limit. What waits, and the last warnings, are below.':
    'Was von Datenbank, Brokern, Speicherplatz, Zertifikaten und Warteschlangen messbar war, liegt in seinen Grenzen. Was wartet und die letzten Warnungen stehen unten.',
  'Audit entries waiting': 'Wartende Audit-Einträge',
  Clock: 'Uhr',
  'Data folder': 'Datenordner',
  Database: 'Datenbank',
  'Database connections': 'Datenbank-Verbindungen',
  Free: 'Frei',
  error: 'Fehler',
  'Last lines of the log': 'Letzte Zeilen des Protokolls',
  Level: 'Stufe',
  'Mails waiting': 'Wartende E-Mails',
  'No warnings and no errors': 'Keine Warnungen und keine Fehler',
  Restarts: 'Neustarts',
  Restored: 'Wiederhergestellt',
  Service: 'Dienst',
  'Since this process has started.': 'Seit dem Start dieses Prozesses.',
  'Tasks late': 'Verspätete Aufgaben',
  'Webhook deliveries waiting': 'Wartende Webhook-Zustellungen',
  'a server of your own': 'eigener Server',
  'embedded in the service': 'im Dienst eingebaut',
  'ends {time}': 'endet {time}',
  'none: plain HTTP': 'keines: unverschlüsseltes HTTP',
  'not ready': 'nicht bereit',
  problem: 'Problem',
  ready: 'bereit',
  responds: 'antwortet',
  warning: 'Warnung',
  '{idle} idle, {waiting} callers wait': '{idle} frei, {waiting} Aufrufe warten',
  '{n} certificates end within {days} days':
    'Zertifikate, die innerhalb von {days} Tagen enden: {n}',
  'new events are sent at once': 'neue Ereignisse gehen sofort hinaus',
  'new events wait for {time}': 'neue Ereignisse warten {time}',
  '{kept} without a mail server, {failed} given up':
    '{kept} mangels Mailserver, {failed} endgültig fehlgeschlagen',
  '{running} running, {failed} given up': '{running} laufen, {failed} endgültig fehlgeschlagen',
  '{time} apart': '{time} Abweichung',
  '{time}, from a backup of {backup}': '{time}, aus einem Backup von {backup}',

  // Accounts.
  'An operator is helped by mooring accounts reset-password.':
    'Einem Betreiber hilft mooring accounts reset-password.',
  Disable: 'Deaktivieren',
  'Disable {email}?': '{email} deaktivieren?',
  'Disable…': 'Deaktivieren…',
  Enabled: 'Aktiviert',
  'End all sessions?': 'Alle Sitzungen beenden?',
  'End sessions…': 'Sitzungen beenden…',
  'End them': 'Beenden',
  'Find an account': 'Konto suchen',
  'Give a link that sets a password?': 'Link zum Setzen eines Passworts ausgeben?',
  'Give the link': 'Link ausgeben',
  'It has none.': 'Es hat keine.',
  'It is in no workspace': 'Es ist in keinem Workspace',
  'It works once, for an hour, and lets anyone choose the password of {email}. It is shown this once, and the audit log says that you have seen it.':
    'Er gilt einmal und eine Stunde lang, und jeder kann damit das Passwort von {email} wählen. Er wird nur einmal angezeigt, und das Audit-Protokoll hält fest, dass Sie ihn gesehen haben.',
  'Its person gets a link to choose a password. Invitations to a workspace are made there.':
    'Die Person erhält einen Link, um ein Passwort zu wählen. In einen Workspace wird sie dort eingeladen.',
  'Its session ends at once, and nobody can sign in to it. It stays a member of its workspaces, and can be enabled again.':
    'Seine Sitzung endet sofort, und niemand kann sich damit anmelden. Es bleibt Mitglied seiner Workspaces und lässt sich wieder aktivieren.',
  'Its {n} sessions end at once, and nobody can sign in to it. It stays a member of its workspaces, and can be enabled again.':
    'Seine {n} Sitzungen enden sofort, und niemand kann sich damit anmelden. Es bleibt Mitglied seiner Workspaces und lässt sich wieder aktivieren.',
  'Address there': 'Adresse dort',
  'Last sign-in': 'Letzte Anmeldung',
  Linked: 'Verknüpft',
  'Linked identities': 'Verknüpfte Identitäten',
  'No account has this in its address or name':
    'Kein Konto hat das in seiner Adresse oder seinem Namen',
  'No mail server is configured: hand the link on yourself':
    'Es ist kein Mailserver eingerichtet: Geben Sie den Link selbst weiter',
  'Part of an address or a name.': 'Teil einer Adresse oder eines Namens.',
  'Password link…': 'Passwort-Link…',
  'People there can invite it.': 'Personen dort können es einladen.',
  'People who were invited to a workspace create their accounts themselves.':
    'Wer in einen Workspace eingeladen wurde, legt sein Konto selbst an.',
  Provider: 'Anbieter',
  'Remove second factors…': 'Zweite Faktoren entfernen…',
  'Remove the second factors?': 'Zweite Faktoren entfernen?',
  Removed: 'Entfernt',
  'Signing in': 'Anmeldung',
  'The account is disabled.': 'Das Konto ist deaktiviert.',
  'The account is created': 'Das Konto ist angelegt',
  'The account is told by mail.': 'Das Konto wird per E-Mail informiert.',
  'The authenticator with its recovery codes, {n} passkey, and all identities of providers. Then the password alone signs in: do it only for the person that you have spoken to.':
    'Die Authenticator-App mit ihren Wiederherstellungscodes, {n} Passkey und alle Identitäten von Anbietern. Danach genügt das Passwort: Tun Sie es nur für die Person, mit der Sie gesprochen haben.',
  'The authenticator with its recovery codes, {n} passkeys, and all identities of providers. Then the password alone signs in: do it only for the person that you have spoken to.':
    'Die Authenticator-App mit ihren Wiederherstellungscodes, {n} Passkeys und alle Identitäten von Anbietern. Danach genügt das Passwort: Tun Sie es nur für die Person, mit der Sie gesprochen haben.',
  'The command line alone makes operators: mooring accounts set-role.':
    'Nur die Kommandozeile ernennt Betreiber: mooring accounts set-role.',
  'The link is mailed': 'Der Link ist verschickt',
  'The current password works until another one is chosen. Sessions end then, and the second factor stays.':
    'Das jetzige Passwort gilt, bis ein anderes gewählt ist. Dann enden Sitzungen; der zweite Faktor bleibt.',
  'What can be done': 'Was möglich ist',
  chosen: 'selbst gewählt',
  'created by the service': 'vom Dienst erzeugt',
  'no name': 'kein Name',
  'none in the installation': 'keine in der Installation',
  operator: 'Betreiber',
  '{email} gets a link to choose a password. It works once, for an hour.':
    '{email} erhält einen Link, um ein Passwort zu wählen. Er gilt einmal und eine Stunde lang.',
  '{n} API keys work on in {slug}.': 'Noch gültige API-Schlüssel in {slug}: {n}.',
  '{n} session has ended': '{n} Sitzung ist beendet',
  '{n} sessions have ended': '{n} Sitzungen sind beendet',
  '{sessions} sessions of {email} end in every process. The password stays.':
    'Sitzungen von {email}, die in jedem Prozess enden: {sessions}. Das Passwort bleibt.',
  '{slug} has no owner who can sign in any more.':
    '{slug} hat keinen Inhaber mehr, der sich anmelden kann.',

  // Workspaces.
  'A deleted workspace is listed for 30 days, in which it can be restored.':
    'Ein gelöschter Workspace steht 30 Tage lang in der Liste und lässt sich so lange wiederherstellen.',
  'An operator sees numbers and people, and nothing of the devices, messages and keys: for that, a member has to invite you.':
    'Ein Betreiber sieht Zahlen und Personen, aber nichts von Geräten, Nachrichten und Schlüsseln: Dafür muss ein Mitglied Sie einladen.',
  Erased: 'Endgültig gelöscht',
  'Find a workspace': 'Workspace suchen',
  'It is deleted': 'Er ist gelöscht',
  'It is erased {time}. Until then it can be restored with all that it has.':
    'Er wird {time} endgültig gelöscht. Bis dahin lässt er sich mit allem, was er enthält, wiederherstellen.',
  'Its {devices} devices can connect again, its {keys} API keys work again, and its {people} people see it.':
    'Seine Geräte ({devices}) können sich wieder verbinden, seine API-Schlüssel ({keys}) gelten wieder, und seine Personen ({people}) sehen ihn.',
  'No owner of it can sign in: make one on the command line.':
    'Kein Inhaber kann sich anmelden: Ernennen Sie einen mit der Kommandozeile.',
  'No workspace has this in its slug or name':
    'Kein Workspace hat das in seinem Slug oder seinem Namen',
  'Nobody belongs to it': 'Niemand gehört dazu',
  'Part of a slug or a name.': 'Teil eines Slugs oder eines Namens.',
  Restore: 'Wiederherstellen',
  'Restore {name}?': '{name} wiederherstellen?',
  'Restore…': 'Wiederherstellen…',
  'The command line makes an owner.': 'Die Kommandozeile ernennt einen Inhaber.',
  'no plan': 'kein Tarif',
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
  'Invitations, links for lost passwords and security notices are listed here, without their texts.':
    'Hier stehen Einladungen, Links für vergessene Passwörter und Sicherheitshinweise, ohne ihren Text.',
  'It is being sent': 'Wird gesendet',
  'Mails are kept for 30 days: set MOORING_SMTP_URL, and send them again.':
    'E-Mails werden 30 Tage lang aufbewahrt: Setzen Sie MOORING_SMTP_URL, und senden Sie sie erneut.',
  'No mail': 'Keine E-Mails',
  'Not sent: no mail server': 'Nicht gesendet: kein Mailserver',
  'not sent': 'nicht gesendet',
  'Send again to {to}': 'Erneut senden an {to}',
  queued: 'eingereiht',
  sent: 'gesendet',
  'to {to}': 'an {to}',

  // Brokers and examinations.
  'A revocation takes': 'Dauer eines Widerrufs',
  Addresses: 'Adressen',
  'An examination connects like an attacker would, with devices of its own, and says which setting closes each hole. It takes a minute or two.':
    'Eine Prüfung verbindet sich wie ein Angreifer, mit eigenen Geräten, und nennt für jede Lücke die Einstellung, die sie schließt. Sie dauert ein bis zwei Minuten.',
  Bridge: 'Bridge',
  Broker: 'Broker',
  'The list says which setting closes each.':
    'Die Liste nennt zu jeder die Einstellung, die sie schließt.',
  Examination: 'Prüfung',
  'Examination of broker {broker}': 'Prüfung des Brokers {broker}',
  Examinations: 'Prüfungen',
  Examine: 'Prüfen',
  'Examine {broker}': '{broker} prüfen',
  'Security holes': 'Sicherheitslücken',
  'The broker could not be examined': 'Der Broker konnte nicht geprüft werden',
  'No broker': 'Kein Broker',
  'No security hole found': 'Keine Sicherheitslücke gefunden',
  'No check has ended yet': 'Noch keine Einzelprüfung ist beendet',
  'Not examined yet': 'Noch nicht geprüft',
  'One security hole': 'Eine Sicherheitslücke',
  Checks: 'Einzelprüfungen',
  Observed: 'Beobachtet',
  Requirement: 'Anforderung',
  'The embedded one is off, and MOORING_BROKERS_FILE names no other.':
    'Der eingebaute ist abgeschaltet, und MOORING_BROKERS_FILE nennt keinen anderen.',
  'The first one takes a few seconds.': 'Die erste dauert einige Sekunden.',
  'The page follows the examination.': 'Die Seite folgt der Prüfung.',
  'To change': 'Zu ändern',
  'at most {n} s': 'höchstens {n} s',
  completed: 'abgeschlossen',
  connected: 'verbunden',
  'not shown': 'nicht nachgewiesen',
  passed: 'bestanden',
  skipped: 'übersprungen',
  '{n} security holes': '{n} Sicherheitslücken',
  '{n} check so far': 'bisher {n} Einzelprüfung',
  '{n} checks so far': 'bisher {n} Einzelprüfungen',

  // Background work.
  'Advance a rotation campaign': 'Rotationskampagne fortsetzen',
  'Anchor the audit logs': 'Audit-Protokolle verankern',
  'Ask when certificates are due for renewal': 'Fragen, wann Zertifikate zu erneuern sind',
  'Check a new card': 'Neue Karte prüfen',
  'Check a payment': 'Zahlung prüfen',
  'Check new cards that are not finished': 'Unfertige neue Karten prüfen',
  'Check the ownership of domains again': 'Eigentum an Domains erneut prüfen',
  'Delete old audit entries and events': 'Alte Audit-Einträge und Ereignisse löschen',
  'Delete old events of the payment provider': 'Alte Meldungen des Zahlungsanbieters löschen',
  'Delete old jobs': 'Alte Aufträge löschen',
  'Delete old mails': 'Alte E-Mails löschen',
  'Delete old rotation campaigns': 'Alte Rotationskampagnen löschen',
  'Delete old webhook deliveries': 'Alte Webhook-Zustellungen löschen',
  'Delete tasks that were given up long ago': 'Vor langer Zeit fehlgeschlagene Aufgaben löschen',
  'Delete webhook secrets that have ended': 'Beendete Webhook-Geheimnisse löschen',
  'Disconnect MQTT clients': 'MQTT-Clients trennen',
  'Draft and issue invoices': 'Rechnungen entwerfen und ausstellen',
  'Draft invoices': 'Rechnungen entwerfen',
  'End invitations that have expired': 'Abgelaufene Einladungen beenden',
  'Erase deleted workspaces': 'Gelöschte Workspaces endgültig löschen',
  'Examine a broker': 'Broker prüfen',
  'Mail a link that proves an address': 'Link zum Nachweis einer Adresse senden',
  'Measure usage, and warn of limits': 'Nutzung messen und vor Limits warnen',
  'Order the certificate of a domain': 'Zertifikat einer Domain bestellen',
  'Read the cards of a workspace from the payment provider':
    'Karten eines Workspace vom Zahlungsanbieter lesen',
  'Redeliver webhook deliveries': 'Webhook-Zustellungen erneut zustellen',
  'Remove a card at the payment provider': 'Karte beim Zahlungsanbieter entfernen',
  'Renew certificates, and warn of those that end': 'Zertifikate erneuern und vor Ablauf warnen',
  'Resume unfinished payments': 'Unfertige Zahlungen fortsetzen',
  'Run a job over devices': 'Auftrag über Geräte ausführen',
  'Send a mail': 'E-Mail senden',
  'Sum up old usage by day': 'Alte Nutzung je Tag zusammenfassen',
  'Sum up usage by hour': 'Nutzung je Stunde zusammenfassen',
  Late: 'Verspätet',
  Task: 'Aufgabe',
  'Tasks that were given up stay for 14 days, with the error of the last attempt.':
    'Endgültig fehlgeschlagene Aufgaben bleiben 14 Tage lang, mit dem Fehler des letzten Versuchs.',
  late: 'verspätet',
  waiting: 'wartet',

  // Invoices.
  'A workspace with a plan gets one each month. Plans are in the file that MOORING_PLANS_FILE names.':
    'Ein Workspace mit einem Tarif erhält jeden Monat eine. Tarife stehen in der Datei, die MOORING_PLANS_FILE nennt.',
  'No invoices': 'Keine Rechnungen',
  'Only those that are open or overdue': 'Nur offene oder überfällige',
  open: 'offen',
  overdue: 'überfällig',
  paid: 'bezahlt',
  void: 'storniert',

  // The audit log.
  'Accounts, sessions, factors, mail and the keys of the service leave entries here.':
    'Konten, Sitzungen, Faktoren, E-Mails und die Schlüssel des Dienstes hinterlassen hier Einträge.',
  'Audit log of the installation': 'Audit-Protokoll der Installation',
  'e.g. action = "account.disabled" AND occurred_at > 2026-01-01':
    'z. B. action = "account.disabled" AND occurred_at > 2026-01-01',
  'What concerns no workspace is in a chain of its own.':
    'Was keinen Workspace betrifft, steht in einer eigenen Kette.',

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
  'None is set': 'Keine ist gesetzt',
  'Only those that are set': 'Nur gesetzte',
  'Settings of the service': 'Einstellungen des Dienstes',
  'The service runs with its defaults.': 'Der Dienst läuft mit seinen Standardwerten.',
  'They are environment variables, read at the start of the service. What is grey is the default.':
    'Es sind Umgebungsvariablen, die der Dienst beim Start liest. Grau ist der Standardwert.',
  'What for': 'Wofür',
  set: 'gesetzt',
}
