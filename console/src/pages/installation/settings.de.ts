/** The purposes of the service's settings, and their defaults, in German. */

const purposes: Readonly<Record<string, string>> = {
  'Port of the API. 0 takes a free one.': 'Port der API. 0: ein freier.',
  'Port of health and metrics. 0 takes a free one.':
    'Port für Betriebszustand und Metriken. 0: ein freier.',
  'Port of the embedded MQTT broker. 0 takes a free one.':
    'Port des eingebauten MQTT-Brokers. 0: ein freier.',
  'Port of MQTT over TLS; needs a certificate. 0 takes a free one.':
    'Port für MQTT über TLS; braucht ein Zertifikat. 0: ein freier.',
  'Port of MQTT over WebSocket, at the path /mqtt. 0 takes a free one.':
    'Port für MQTT über WebSocket, unter dem Pfad /mqtt. 0: ein freier.',
  'Port of MQTT over WebSocket and TLS, at the path /mqtt; needs a certificate. 0 takes a free one.':
    'Port für MQTT über WebSocket und TLS, unter dem Pfad /mqtt; braucht ein Zertifikat. 0: ein freier.',
  'Address that the API listens on. Beyond loopback, give a certificate or stand behind a proxy that ends TLS.':
    'Adresse, auf der die API lauscht. Außer bei Loopback ist ein Zertifikat nötig, oder ein Proxy davor, der TLS beendet.',
  'Address of health and metrics.': 'Adresse für Betriebszustand und Metriken.',
  'Address that the broker listens on.': 'Adresse, auf der der Broker lauscht.',
  'MQTT host that provisioning returns to devices.':
    'MQTT-Host, den Geräte bei der Bereitstellung erhalten.',
  'MQTT port that provisioning returns to devices.':
    'MQTT-Port, den Geräte bei der Bereitstellung erhalten.',
  'Whether provisioning returns to devices that they must use TLS. Set it to on if a proxy in front of the broker terminates TLS. One of on, off.':
    'Ob Geräte bei der Bereitstellung TLS vorgeschrieben bekommen. Auf on setzen, wenn ein Proxy vor dem Broker TLS beendet. Werte: on, off.',
  'Whether this process is an MQTT broker itself; off where all devices use external ones. One of on, off.':
    'Ob dieser Prozess selbst ein MQTT-Broker ist; off, wenn alle Geräte externe nutzen. Werte: on, off.',
  'JSON file that names the external brokers and their secrets. A change of the file is seen within seconds.':
    'JSON-Datei mit den externen Brokern und ihren Geheimnissen. Eine Änderung der Datei wirkt binnen Sekunden.',
  'Whether sessions of the embedded broker, their queues and retained messages are stored in the database, and survive a restart: of no workspace, of those that ask for it (mqtt_durable), or of all. One of off, workspaces, all.':
    'Ob Sitzungen des eingebauten Brokers, ihre Warteschlangen und Retained Messages in der Datenbank liegen und einen Neustart überstehen: von keinem Workspace, von denen, die es verlangen (mqtt_durable), oder von allen. Werte: off, workspaces, all.',
  'The largest packet that an MQTT client may send.':
    'Das größte Paket, das ein MQTT-Client senden darf.',
  'The longest keepalive of an MQTT client, in seconds. It also applies where one asks for none.':
    'Längstes Keepalive eines MQTT-Clients, in Sekunden. Es gilt auch, wenn ein Client keines verlangt.',
  'The most levels of an MQTT topic or filter.':
    'Höchstzahl der Ebenen eines MQTT-Topics oder -Filters.',
  'The most subscriptions of an MQTT session.': 'Höchstzahl der Abonnements einer MQTT-Sitzung.',
  'The most MQTT sessions of a device or an MQTT login at once.':
    'Höchstzahl gleichzeitiger MQTT-Sitzungen eines Geräts oder Zugangs.',
  'The most messages of QoS 2 that an MQTT session may leave unfinished.':
    'Höchstzahl der Nachrichten mit QoS 2, die eine MQTT-Sitzung unabgeschlossen lassen darf.',
  'The most messages that wait for an MQTT client that is away or does not acknowledge.':
    'Höchstzahl der Nachrichten, die auf einen MQTT-Client warten, der nicht da ist oder nicht bestätigt.',
  'Messages that an MQTT session may publish in a second. Ten times as many may come at once; beyond that the broker reads more slowly.':
    'Nachrichten, die eine MQTT-Sitzung pro Sekunde veröffentlichen darf. Zehnmal so viele dürfen auf einmal kommen; darüber liest der Broker langsamer.',
  'MQTT connections that one address may open in a second. Ten times as many may come at once. Behind a proxy all have its address.':
    'MQTT-Verbindungen, die eine Adresse pro Sekunde öffnen darf. Zehnmal so viele dürfen auf einmal kommen. Hinter einem Proxy haben alle dessen Adresse.',
  'MQTT connections that may wait for their decision at once. More are refused as busy.':
    'MQTT-Verbindungen, die gleichzeitig auf ihre Entscheidung warten dürfen. Weitere werden wegen Überlast abgelehnt.',
  'JSON file with the plans that workspaces can have, as examples/plans.json. It is read at the start.':
    'JSON-Datei mit den Tarifen für Workspaces, wie examples/plans.json. Sie wird beim Start gelesen.',
  'The issuer of the invoices: name, address and tax id. Lines end with `|` or a line break; in a text with neither, with a comma.':
    'Aussteller der Rechnungen: Name, Adresse und Steuernummer. Zeilen enden mit `|` oder einem Zeilenumbruch; fehlt beides, mit einem Komma.',
  'Days after which an invoice that is not paid is overdue.':
    'Tage, nach denen eine unbezahlte Rechnung überfällig ist.',
  'TrueType or OpenType font for PDFs of invoices, which is embedded in them.':
    'TrueType- oder OpenType-Schrift für PDFs von Rechnungen; sie wird darin eingebettet.',
  'Days for which usage is kept by hour; after that by day, as long as the workspace.':
    'Tage, für die die Nutzung je Stunde aufbewahrt wird; danach je Tag, solange es den Workspace gibt.',
  'The name of the tax on invoices.': 'Name der Steuer auf Rechnungen.',
  'Rate of the tax on invoices in basis points: 1900 is 19 %. 0: no tax.':
    'Steuersatz auf Rechnungen in Basispunkten: 1900 sind 19 %. 0: keine Steuer.',
  'Secret or restricted key of a Stripe account; with it, workspaces pay by card.':
    'Geheimer oder eingeschränkter Schlüssel eines Stripe-Kontos; damit zahlen Workspaces mit Karte.',
  'Signing secret of the webhook endpoint in Stripe, which leads to /billing/stripe/events.':
    'Signaturgeheimnis des Webhook-Endpunkts bei Stripe, der auf /billing/stripe/events führt.',
  'Publishable key of the same account. Consoles receive it to display the form for cards.':
    'Öffentlicher Schlüssel desselben Kontos. Konsolen erhalten ihn, um das Kartenformular anzuzeigen.',
  'Scheme and authority of the API of Stripe, for a proxy or for tests.':
    'Schema und Host der API von Stripe, für einen Proxy oder für Tests.',
  'Payment instructions for manual payments, such as the details of a bank account.':
    'Zahlungshinweise für Zahlungen ohne Karte, zum Beispiel eine Bankverbindung.',
  'Scheme and authority under which callers reach the API, for links and problem types.':
    'Schema und Host, unter denen die API erreichbar ist, für Links und Problemtypen.',
  'Where people use the console, as https://console.example.com: links in mail lead there.':
    'Adresse der Konsole, zum Beispiel https://console.example.com: Dorthin führen Links in E-Mails.',
  'Accounts that people create in the console: only after an invitation to a workspace, by everyone, or none. One of invited, open, closed.':
    'Wer in der Konsole ein Konto anlegen kann: nur wer in einen Workspace eingeladen ist, alle oder niemand. Werte: invited, open, closed.',
  'Whether people who invite someone can copy the link. It lets anyone in who has it. With auto only while no mail server is configured. One of auto, on, off.':
    'Ob den Link einer Einladung kopieren kann, wer einlädt. Wer den Link hat, kommt hinein. Mit auto nur, solange kein Mailserver eingerichtet ist. Werte: auto, on, off.',
  'Whether the API also serves the console, at /console/. One of on, off.':
    'Ob die API auch die Konsole ausliefert, unter /console/. Werte: on, off.',
  'JSON file with the identity providers (OpenID Connect) that people can sign in with. It is read at the start.':
    'JSON-Datei mit den Identitätsanbietern (OpenID Connect) für die Anmeldung. Sie wird beim Start gelesen.',
  'Whether operators see the installation in the console. An account is made one of an operator on the command line. One of on, off.':
    'Ob Betreiber die Installation in der Konsole sehen. Zum Betreiber wird ein Konto auf der Kommandozeile. Werte: on, off.',
  'Mail server, as smtps://user:password@mail.example.com (TLS from the start) or smtp:// (STARTTLS if it is offered).':
    'Mailserver, zum Beispiel smtps://user:password@mail.example.com (TLS von Beginn an) oder smtp:// (STARTTLS, wenn es angeboten wird).',
  'Sender of mail, as mooring@example.com or Mooring <mooring@example.com>.':
    'Absender der E-Mails, zum Beispiel mooring@example.com oder Mooring <mooring@example.com>.',
  'Folder of the embedded database and of the master key.':
    'Ordner der eingebetteten Datenbank und des Hauptschlüssels.',
  'Processes on this machine, including the one that is started. From two on, that one has the broker, the timers and the embedded database, and the others serve the API on its port.':
    'Prozesse auf diesem Rechner, einschließlich des gestarteten. Ab zwei hat dieser den Broker, die Zeitgeber und die eingebettete Datenbank, und die anderen bedienen die API auf seinem Port.',
  'Connection URI of a Postgres from version 15 on, with its TLS options (sslmode, sslrootcert, sslcert, sslkey). Of several hosts, separated by commas, the one that takes writes is used.':
    'Verbindungs-URI eines Postgres ab Version 15, mit seinen TLS-Optionen (sslmode, sslrootcert, sslcert, sslkey). Von mehreren Hosts, durch Kommas getrennt, wird der genutzt, der Schreibzugriffe annimmt.',
  'Connections for requests within a workspace. Half as many serve requests without a workspace, and at most ten serve background tasks.':
    'Verbindungen für Anfragen innerhalb eines Workspace. Halb so viele gibt es für Anfragen ohne Workspace, und höchstens zehn für Hintergrundaufgaben.',
  'Named prepared statements; off behind pgbouncer before 1.21 in transaction mode. One of on, off.':
    'Benannte Prepared Statements; off hinter pgbouncer vor 1.21 im Transaktionsmodus. Werte: on, off.',
  "Database role for requests. Row-level security limits it to the rows of the request's workspace. It is created if the login has the right. none: requests run as the owner of the tables.":
    'Datenbankrolle für Anfragen. Row-Level Security beschränkt sie auf die Zeilen des Workspace der Anfrage. Sie wird angelegt, wenn der Login das darf. none: Anfragen laufen als Eigentümer der Tabellen.',
  'The master key, which encrypts all other keys: 32 bytes in base64. Processes that share a database need the same one. Keep a copy: without it the data cannot be used.':
    'Der Hauptschlüssel, der alle anderen Schlüssel verschlüsselt: 32 Bytes in Base64. Prozesse mit derselben Datenbank brauchen denselben. Bewahren Sie eine Kopie auf: Ohne ihn sind die Daten unbrauchbar.',
  'Read by `mooring master-key replace` only: the key that is to follow MOORING_MASTER_KEY, 32 bytes in base64.':
    'Nur für `mooring master-key replace`: der Schlüssel, der auf MOORING_MASTER_KEY folgen soll, 32 Bytes in Base64.',
  'Email address of the owner that the first start creates.':
    'E-Mail-Adresse des Inhabers, den der erste Start anlegt.',
  'Password of the owner that the first start creates, of at least 15 characters. Only the first start uses it.':
    'Passwort des Inhabers, den der erste Start anlegt, mit mindestens 15 Zeichen. Nur der erste Start nutzt es.',
  'Slug of the workspace that the first start creates.':
    'Slug des Workspace, den der erste Start anlegt.',
  'Whether every user needs a second factor. Users without one can access only their own account. A workspace can also require it for itself. One of on, off.':
    'Ob alle einen zweiten Faktor brauchen. Ohne ihn ist nur das eigene Konto zugänglich. Ein Workspace kann ihn auch für sich verlangen. Werte: on, off.',
  'Rate limits of the API. One of on, off.': 'Ratenbegrenzung der API. Werte: on, off.',
  'Where rate limits are counted. auto: in memory on the embedded database, else in the database, since other processes may share it. One of auto, memory, database.':
    'Wo für die Ratenbegrenzung gezählt wird. auto: mit der eingebetteten Datenbank im Speicher, sonst in der Datenbank, da andere Prozesse sie mitnutzen können. Werte: auto, memory, database.',
  'Refused sign-ins a minute per address; sign-ins per address and account; refreshes per session.':
    'Abgelehnte Anmeldungen pro Minute je Adresse; Anmeldungen je Adresse und Konto; Erneuerungen je Sitzung.',
  'Reads a minute, per caller.': 'Lesezugriffe pro Minute, je Aufrufer.',
  'Writes a minute, per caller.': 'Schreibzugriffe pro Minute, je Aufrufer.',
  'Provisioning calls a minute, per key.': 'Bereitstellungen pro Minute, je Schlüssel.',
  'Rotations, revocations, deletions and logouts a minute, per caller.':
    'Erneuerungen, Widerrufe, Löschungen und Abmeldungen pro Minute, je Aufrufer.',
  'Sessions of mobile identities that one address may open in an hour, per workspace.':
    'Sitzungen von Smartphones, die eine Adresse pro Stunde öffnen darf, je Workspace.',
  'Sessions of mobile identities that all addresses together may open in an hour, per workspace.':
    'Sitzungen von Smartphones, die alle Adressen zusammen pro Stunde öffnen dürfen, je Workspace.',
  'Claims in an hour that mobile identities without a device may start from one address, per workspace.':
    'Kopplungen pro Stunde, die Smartphones ohne Gerät von einer Adresse aus beginnen dürfen, je Workspace.',
  'Claims in an hour that mobile identities without a device may start from all addresses together, per workspace.':
    'Kopplungen pro Stunde, die Smartphones ohne Gerät von allen Adressen zusammen beginnen dürfen, je Workspace.',
  'Calls a minute of all mobile identities without a device, per workspace.':
    'Aufrufe pro Minute aller Smartphones ohne Gerät, je Workspace.',
  'Addresses or networks (CIDR) of proxies whose X-Forwarded-For is trusted. Separated by commas.':
    'Adressen oder Netze (CIDR) von Proxys, deren X-Forwarded-For vertraut wird. Durch Kommas getrennt.',
  'Connections of the API at once. More are closed.':
    'Gleichzeitige Verbindungen der API. Weitere werden geschlossen.',
  'Connections of the API from one address at once. It does not apply to MOORING_TRUSTED_PROXIES.':
    'Gleichzeitige Verbindungen der API von einer Adresse. Gilt nicht für MOORING_TRUSTED_PROXIES.',
  'PEM file with the certificate chain of the API and of MQTT. A change of the file is seen within seconds.':
    'PEM-Datei mit der Zertifikatskette der API und von MQTT. Eine Änderung der Datei wirkt binnen Sekunden.',
  'PEM file with the private key of the certificate.':
    'PEM-Datei mit dem privaten Schlüssel des Zertifikats.',
  'Name servers to query, such as 192.0.2.53 or 192.0.2.53:53. Separated by commas.':
    'Abzufragende Nameserver, zum Beispiel 192.0.2.53 oder 192.0.2.53:53. Durch Kommas getrennt.',
  'Domains of the installation itself: workspaces cannot add them or their subdomains. Separated by commas.':
    'Domains der Installation selbst: Workspaces können sie und ihre Subdomains nicht hinzufügen. Durch Kommas getrennt.',
  'Whether workspaces can add domains outside the public DNS, such as gateway.factory.internal. One of on, off.':
    'Ob Workspaces Domains außerhalb des öffentlichen DNS hinzufügen können, zum Beispiel gateway.factory.internal. Werte: on, off.',
  'Directory of the authority that certificates of domains are ordered from, as https://acme-v02.api.letsencrypt.org/directory. To set it is to agree to its terms of service.':
    'Verzeichnis der Zertifizierungsstelle, bei der Zertifikate von Domains bestellt werden, zum Beispiel https://acme-v02.api.letsencrypt.org/directory. Wer es setzt, stimmt ihren Nutzungsbedingungen zu.',
  'Mail address that the authority may write to.':
    'E-Mail-Adresse, an die die Zertifizierungsstelle schreiben darf.',
  'PEM file with the root of a private ACME server.':
    'PEM-Datei mit dem Stammzertifikat eines privaten ACME-Servers.',
  'Key id of the external account binding, where the authority asks for one.':
    'Schlüssel-ID der External Account Binding, wenn die Zertifizierungsstelle eine verlangt.',
  'HMAC key of the external account binding, in base64url.':
    'HMAC-Schlüssel der External Account Binding, in Base64url.',
  'Port of a listener on the address of the API that only responds to http-01 challenges. Authorities connect to port 80. 0 takes a free one.':
    'Port an der Adresse der API, der nur http-01-Prüfungen beantwortet. Zertifizierungsstellen verbinden sich mit Port 80. 0: ein freier.',
  'Seconds between anchors of the audit logs, where they have grown. 0: only on demand.':
    'Sekunden zwischen Ankern der Audit-Protokolle, wenn sie gewachsen sind. 0: nur auf Verlangen.',
  'File that anchors of the audit logs are appended to, a JSON object a line; best on a disk that the service can only append to.':
    'Datei, an die Anker der Audit-Protokolle angehängt werden, je Zeile ein JSON-Objekt; am besten auf einem Datenträger, an den der Dienst nur anhängen kann.',
  'Days after which entries of the audit logs are deleted. The remaining entries can still be verified. 0: never.':
    'Tage, nach denen Einträge der Audit-Protokolle gelöscht werden. Die übrigen bleiben prüfbar. 0: nie.',
  'Days after which events are deleted. 0: they are kept.':
    'Tage, nach denen Ereignisse gelöscht werden. 0: nie.',
  'Host names and addresses that webhooks may be sent to though they are not of the open Internet, and without TLS. Separated by commas.':
    'Hostnamen und Adressen, an die Webhooks gehen dürfen, obwohl sie nicht im offenen Internet liegen, auch ohne TLS. Durch Kommas getrennt.',
  'Seconds between the attempts of a failing webhook delivery. After the last attempt the delivery is a dead letter. A webhook whose receiver accepted nothing meanwhile is disabled.':
    'Sekunden zwischen den Versuchen einer fehlschlagenden Webhook-Zustellung. Nach dem letzten Versuch gilt sie als endgültig fehlgeschlagen. Hat der Empfänger bis dahin nichts angenommen, wird der Webhook deaktiviert.',
  'Seconds within which a webhook receiver must complete its response.':
    'Sekunden, in denen der Empfänger eines Webhooks vollständig geantwortet haben muss.',
  'Days for which webhook deliveries are kept. Dead letters are kept for this time or as long as events, whichever is longer.':
    'Tage, für die Webhook-Zustellungen aufbewahrt werden. Endgültig fehlgeschlagene bleiben so lange oder so lange wie Ereignisse, je nachdem, was länger ist.',
  'Streams of server-sent events that a process keeps open.':
    'Streams von Server-Sent Events, die ein Prozess offen hält.',
  'Streams of server-sent events that a process keeps open for one workspace.':
    'Streams von Server-Sent Events, die ein Prozess für einen Workspace offen hält.',
  'Streams of server-sent events that a process keeps open for one person. A browser with the console needs one for each workspace it shows.':
    'Streams von Server-Sent Events, die ein Prozess für eine Person offen hält. Ein Browser mit der Konsole braucht einen je Workspace, den er zeigt.',
  'URL of an OpenTelemetry collector that takes OTLP over HTTP as JSON, as http://127.0.0.1:4318; /v1/traces is appended.':
    'URL eines OpenTelemetry-Collectors, der OTLP über HTTP als JSON annimmt, zum Beispiel http://127.0.0.1:4318; /v1/traces wird angehängt.',
  'Headers for the collector, as `authorization=Bearer abc`. Separated by commas.':
    'Header für den Collector, zum Beispiel `authorization=Bearer abc`. Durch Kommas getrennt.',
  'The part of requests, CONNECTs and periodic tasks that is traced, from 0 to 1.':
    'Anteil der Anfragen, CONNECTs und regelmäßigen Aufgaben mit Trace, von 0 bis 1.',
  'The most traces that a process starts in a second, also of those that callers ask for.':
    'Höchstzahl der Traces, die ein Prozess pro Sekunde beginnt, auch von verlangten.',
  'Addresses or networks (CIDR) of callers whose sampled `traceparent` starts a trace whatever the ratio. Separated by commas.':
    'Adressen oder Netze (CIDR) von Aufrufern, deren `traceparent` mit Sampling unabhängig vom Anteil einen Trace beginnt. Durch Kommas getrennt.',
  'Which requests of the API get a log line, whatever the log level: none, those with a status from 400 on, or all. One of off, failed, all.':
    'Welche Anfragen der API unabhängig von der Log-Stufe eine Log-Zeile erhalten: keine, die mit Status ab 400, oder alle. Werte: off, failed, all.',
  'The lowest level of log lines on standard error, one JSON object per line. One of debug, info, warn, error, silent.':
    'Niedrigste Stufe der Log-Zeilen auf der Standardfehlerausgabe, je Zeile ein JSON-Objekt. Werte: debug, info, warn, error, silent.',
  'Whether each log line starts with its priority, as <4>, which journald and `logger --prio-prefix` read. One of on, off.':
    'Ob jede Log-Zeile mit ihrer Priorität beginnt, zum Beispiel <4>, wie journald und `logger --prio-prefix` sie lesen. Werte: on, off.',
}

const fallbacks: Readonly<Record<string, string>> = {
  closed: 'geschlossen',
  'the host of the origin': 'der Host von MOORING_ORIGIN',
  'the TLS port of the broker if it is open, else the plain one':
    'der TLS-Port des Brokers, wenn er offen ist, sonst der unverschlüsselte',
  'on if the TLS port of the broker is open': 'on, wenn der TLS-Port des Brokers offen ist',
  'no external brokers': 'keine externen Broker',
  'no plans: no limits, no invoices': 'keine Tarife: keine Limits, keine Rechnungen',
  'Helvetica, which has Latin letters only': 'Helvetica, nur mit lateinischen Buchstaben',
  'manual payments': 'Zahlungen ohne Karte',
  'required with MOORING_STRIPE_SECRET_KEY': 'nötig mit MOORING_STRIPE_SECRET_KEY',
  'cards cannot be entered in the console': 'in der Konsole lassen sich keine Karten eingeben',
  'a sentence that names the operator': 'ein Satz, der auf den Betreiber verweist',
  'http://127.0.0.1 with the port of the API': 'http://127.0.0.1 mit dem Port der API',
  'the origin of the API with the path /console': 'MOORING_ORIGIN mit dem Pfad /console',
  'no single sign-on': 'kein Single Sign-on',
  'mail stays in the outbox': 'E-Mails bleiben im Postausgang',
  'required with MOORING_SMTP_URL': 'nötig mit MOORING_SMTP_URL',
  'auto: one on up to two cores, else one for each core, at most eight':
    'auto: einer bei bis zu zwei Kernen, sonst je Kern einer, höchstens acht',
  'an embedded Postgres in the data folder': 'ein eingebettetes Postgres im Datenordner',
  'a file in the data folder, generated at the first start':
    'eine Datei im Datenordner, beim ersten Start erzeugt',
  'the command generates one in the data folder': 'der Befehl erzeugt einen im Datenordner',
  'generated, printed once, and to be changed at the first sign-in':
    'wird erzeugt, einmal ausgegeben und ist bei der ersten Anmeldung zu ändern',
  'plain HTTP': 'unverschlüsseltes HTTP',
  'required with MOORING_TLS_CERT_FILE': 'nötig mit MOORING_TLS_CERT_FILE',
  "the system's": 'die des Systems',
  'the hosts of the origin and of MQTT': 'die Hosts von MOORING_ORIGIN und von MQTT',
  'no certificates by ACME': 'keine Zertifikate über ACME',
  'the roots that everybody knows': 'die allgemein bekannten Stammzertifikate',
  'required with MOORING_ACME_EAB_KEY_ID': 'nötig mit MOORING_ACME_EAB_KEY_ID',
  'closed: only the port of the API responds to challenges':
    'geschlossen: Nur der Port der API beantwortet Prüfungen',
  'no file': 'keine Datei',
  'no traces': 'keine Traces',
}

export const settingTexts: Readonly<Record<string, string>> = { ...purposes, ...fallbacks }
