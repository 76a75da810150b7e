/** The health of the service, in German: the fault, then its remedy. */
import type { Patterns } from '../../i18n/translate.ts'

const texts: Patterns = [
  [/^the service is stopping$/, 'Der Dienst wird beendet'],
  [
    /^the database was not read within the last second$/,
    'Die Datenbank wurde in der letzten Sekunde nicht gelesen',
  ],
  [/^no process serves the API$/, 'Kein Prozess bedient die API'],
  [/^the database does not respond: (.+)$/, 'Die Datenbank antwortet nicht: $1'],
  [
    /^(\d+) callers wait for a database connection$/,
    'Es warten $1 Aufrufer auf eine Datenbank-Verbindung',
  ],
  [
    /^the clocks of this machine and of the database differ by (-?\d+) s$/,
    'Die Uhren dieses Rechners und der Datenbank weichen um $1 s voneinander ab',
  ],
  [
    /^the embedded Postgres ended by itself (\d+) times$/,
    'Das eingebettete Postgres hat sich $1-mal von selbst beendet',
  ],
  [
    /^the bridge to the broker (.+) is not connected: (.+)$/,
    'Die Bridge zum Broker $1 ist nicht verbunden: $2',
  ],
  [/^only (\d+)\.(\d) GiB are free in (.+)$/, 'Nur noch $1,$2 GiB sind frei in $3'],
  [
    /^the certificate of MOORING_TLS_CERT_FILE has expired at (.+)$/,
    'Das Zertifikat von MOORING_TLS_CERT_FILE ist abgelaufen: $1',
  ],
  [
    /^the certificate of MOORING_TLS_CERT_FILE expires at (.+)$/,
    'Das Zertifikat von MOORING_TLS_CERT_FILE läuft ab: $1',
  ],
  [
    /^(\d+) certificates of domains expire within (\d+) days$/,
    'Zertifikate von Domains, die in den nächsten $2 Tagen ablaufen: $1',
  ],
  [
    /^(\d+) background tasks were given up in the last 14 days$/,
    'Aufgegebene Hintergrundaufgaben der letzten 14 Tage: $1',
  ],
  [/^(\d+) background tasks are late$/, 'Verspätete Hintergrundaufgaben: $1'],
  [/^ten thousand e-mails or more wait$/, 'Mindestens zehntausend E-Mails warten'],
  [
    /^(\d+) e-mails were not sent: there was no mail server$/,
    'Nicht gesendete E-Mails, weil ein Mailserver fehlte: $1',
  ],
  [
    /^ten thousand audit entries or more are not in the chain yet$/,
    'Mindestens zehntausend Audit-Einträge sind noch nicht in der Kette',
  ],
  [
    /^a webhook of (.+) has been failing for less than two minutes$/,
    'Ein Webhook von $1 ist seit weniger als zwei Minuten gestört',
  ],
  [
    /^a webhook of (.+) has been failing for (\d+) minutes$/,
    'Ein Webhook von $1 ist seit $2 Minuten gestört',
  ],
  [
    /^(\d+) webhooks are failing, the first for less than two minutes: of (.+)$/,
    '$1 Webhooks sind gestört, der erste seit weniger als zwei Minuten: von $2',
  ],
  [
    /^(\d+) webhooks are failing, the first for (\d+) minutes: of (.+)$/,
    '$1 Webhooks sind gestört, der erste seit $2 Minuten: von $3',
  ],
  [
    /^the oldest event that a webhook has not read yet is (\d+) minutes old$/,
    'Das älteste Ereignis, das ein Webhook noch nicht gelesen hat, ist $1 Minuten alt',
  ],
]

const advice: Patterns = [
  [
    /^Requests get 503 until it is over; the log says why\.$/,
    'Anfragen erhalten 503, bis es vorbei ist; das Log nennt den Grund.',
  ],
  [
    /^Look at the database server, or at postgres\.log in the data folder\.$/,
    'Sehen Sie sich den Datenbankserver an, oder postgres.log im Datenordner.',
  ],
  [
    /^If it stays so, look for slow statements, or raise (\w+)\.$/,
    'Bleibt es so, suchen Sie langsame Abfragen, oder erhöhen Sie $1.',
  ],
  [/^Set the clocks by NTP\.$/, 'Stellen Sie die Uhren mit NTP.'],
  [
    /^Look at postgres\.log in the data folder for why\.$/,
    'Der Grund steht in postgres.log im Datenordner.',
  ],
  [
    /^Run `mooring doctor (.+)`, or look at the broker's log\.$/,
    'Starten Sie `mooring doctor $1`, oder sehen Sie sich das Log des Brokers an.',
  ],
  [
    /^Make space: a full disk stops .+\. docs\/operations\.md lists what grows\.$/,
    'Schaffen Sie Platz: Auf einen vollen Datenträger kann die eingebettete Datenbank nicht schreiben. docs/operations.md nennt, was wächst.',
  ],
  [
    /^Renew the files; the service reads them again by itself\.$/,
    'Erneuern Sie die Dateien; der Dienst liest sie von selbst neu.',
  ],
  [
    /^Look at the domains in the console: an order failed, or an uploaded one must be replaced\.$/,
    'Sehen Sie sich die Domains in der Konsole an: Eine Bestellung ist gescheitert, oder ein hochgeladenes Zertifikat ist zu ersetzen.',
  ],
  [/^The log names each, with its error\.$/, 'Das Log nennt jede, mit ihrem Fehler.'],
  [
    /^If the number grows, look at the log and at the load of the machine\.$/,
    'Wächst die Zahl, sehen Sie sich das Log und die Last des Rechners an.',
  ],
  [/^Check the mail server\.$/, 'Prüfen Sie den Mailserver.'],
  [
    /^Set MOORING_SMTP_URL and MOORING_MAIL_FROM, restart, then send them from the page Mail\.$/,
    'Setzen Sie MOORING_SMTP_URL und MOORING_MAIL_FROM, starten Sie neu, und senden Sie sie dann auf der Seite „E-Mails“.',
  ],
  [/^If it stays so, look at the log for "(.+)"\.$/, 'Bleibt es so, suchen Sie im Log nach „$1“.'],
  [
    /^The page Webhooks of the workspace says why to its owners and admins\. Deliveries wait and are tried again\.$/,
    'Die Seite „Webhooks“ des Workspace nennt Eigentümern und Admins den Grund. Zustellungen warten und werden erneut versucht.',
  ],
]

export const findings: Patterns = [...texts, ...advice]
