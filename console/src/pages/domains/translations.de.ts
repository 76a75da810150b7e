/** The German text of each English one; see i18n/translate.ts. */
export const german = {
  'Add its DNS records': 'DNS-Einträge anlegen',
  'not yet': 'noch nicht',
  'none yet': 'noch keines',
  'DNS checked': 'DNS geprüft',
  // The list.
  'Certificate until': 'Zertifikat bis',
  'Devices connect to it. It has a certificate of its own if the service terminates TLS.':
    'Geräte verbinden sich mit ihr. Sie hat ein eigenes Zertifikat, wenn der Dienst selbst die TLS-Verbindungen annimmt.',
  'The API and this console answer under it.': 'Unter ihr antworten die API und diese Konsole.',
  'Add a domain': 'Domain hinzufügen',
  'Added by': 'Hinzugefügt von',
  'A host name such as devices.example.com, whose DNS record leads to the service.':
    'Ein Hostname, zum Beispiel devices.example.com, dessen DNS-Eintrag zum Dienst führt.',
  'A host name such as devices.example.com. Then create this DNS record: {record} {host}.':
    'Ein Hostname, zum Beispiel devices.example.com. Legen Sie dann diesen DNS-Eintrag an: {record} {host}.',
  'No domains yet': 'Noch keine Domains',
  'Your devices, or programs that use the API, can connect to a name of your own, such as mqtt.example.com. Only clients of this workspace get in there. A DNS record proves that the name is yours.':
    'Ihre Geräte, oder Programme für die API, können sich über einen eigenen Hostnamen verbinden, zum Beispiel mqtt.example.com. Nur Clients dieses Workspace werden dort zugelassen. Ein DNS-Eintrag beweist, dass der Name Ihnen gehört.',

  // The state of a domain and of an order.
  'not verified': 'nicht bestätigt',
  verified: 'bestätigt',
  lapsed: 'verfallen',
  'being requested': 'wird angefordert',
  'waits for your record': 'wartet auf Ihren Eintrag',
  'the authority checks': 'Zertifizierungsstelle prüft',
  'being issued': 'wird ausgestellt',
  issued: 'ausgestellt',
  cancelled: 'abgebrochen',
  Requested: 'Angefordert',
  Proof: 'Nachweis',

  // A DNS record.
  'Name of the record': 'Name des Eintrags',
  'Value of the record': 'Wert des Eintrags',

  // One domain.
  Domain: 'Domain',
  'The record was there {time}. It is checked once a day: keep it.':
    'Der Eintrag war {time} vorhanden. Er wird einmal am Tag geprüft: Behalten Sie ihn.',
  'The record is missing': 'Der Eintrag fehlt',
  'The domain lapses {time} unless the record is back.':
    'Die Domain verfällt {time}, wenn der Eintrag nicht wieder da ist.',
  'Create this record in your DNS, then verify':
    'Legen Sie diesen Eintrag in Ihrem DNS an, dann prüfen Sie ihn',
  'It can take some minutes until name servers show a new record.':
    'Es kann einige Minuten dauern, bis Nameserver einen neuen Eintrag liefern.',
  'Not verified': 'Nicht bestätigt',
  'The name servers have no such record': 'Die Nameserver haben keinen solchen Eintrag',
  'Last look: {time}. Create the record below in your DNS, then verify again.':
    'Zuletzt gesucht: {time}. Legen Sie den Eintrag unten in Ihrem DNS an, und prüfen Sie ihn dann erneut.',
  '1. Prove that it is yours': '1. Nachweisen, dass sie Ihnen gehört',
  '2. Point the name to the service': '2. Den Namen auf den Dienst zeigen lassen',
  'Clients that use the name reach the service once this record exists. It can be created now, together with the first.':
    'Clients, die den Namen verwenden, erreichen den Dienst, sobald es diesen Eintrag gibt. Sie können ihn jetzt gleich zusammen mit dem ersten anlegen.',
  '2. Certificate': '2. Zertifikat',
  '3. Certificate': '3. Zertifikat',
  'Check again': 'Erneut prüfen',
  'Delete {name}?': '{name} löschen?',
  'Another workspace may take the name at once. Its certificate is deleted. Devices that use the name reach the service as long as it points there, but devices of other workspaces may then connect by it, too.':
    'Ein anderer Workspace kann den Namen sofort übernehmen. Das Zertifikat wird gelöscht. Geräte mit diesem Namen erreichen den Dienst, solange er dorthin zeigt; mit ihm dürfen sich dann aber auch Geräte anderer Workspaces verbinden.',

  // Its certificate.
  'By HTTP': 'Über HTTP',
  'The authority asks the name on port 80, and the service answers. There is nothing for you to do.':
    'Die Zertifizierungsstelle fragt den Namen auf Port 80 an, und der Dienst antwortet. Sie müssen nichts tun.',
  'By DNS': 'Über DNS',
  'You create a TXT record, also for each renewal. For names that cannot be reached from outside.':
    'Sie legen einen TXT-Eintrag an, auch bei jeder Erneuerung. Für Namen, die von außen nicht erreichbar sind.',
  'Get a certificate for {name}': 'Zertifikat für {name} anfordern',
  'The service asks its certificate authority for one, and renews it in time.':
    'Der Dienst fordert eines bei seiner Zertifizierungsstelle an und erneuert es rechtzeitig.',
  'How the authority checks the name': 'Wie die Zertifizierungsstelle den Namen prüft',
  'Get it': 'Anfordern',
  'Get a certificate…': 'Zertifikat anfordern…',
  'Upload a certificate for {name}': 'Zertifikat für {name} hochladen',
  'Certificate and its chain': 'Zertifikat und seine Kette',
  'PEM: the certificate first, then each issuer after what it has signed.':
    'PEM: zuerst das Zertifikat, danach jeder Aussteller nach dem, was er signiert hat.',
  'Private key': 'Privater Schlüssel',
  'PEM, not encrypted. It is stored encrypted and never shown again.':
    'PEM, unverschlüsselt. Er wird verschlüsselt gespeichert und nie wieder angezeigt.',
  Upload: 'Hochladen',
  'Upload your own…': 'Eigenes hochladen…',
  'The certificate is removed': 'Das Zertifikat ist entfernt',
  'Remove the certificate of {name}?': 'Zertifikat von {name} entfernen?',
  'Its private key is deleted, and what is being issued or renewed ends. Clients that ask for the name get the certificate of the installation, and refuse it if they check names.':
    'Sein privater Schlüssel wird gelöscht; was gerade ausgestellt oder erneuert wird, endet. Clients, die den Namen anfragen, erhalten das Zertifikat der Installation und lehnen es ab, wenn sie Namen prüfen.',
  Renewal: 'Erneuerung',
  'New certificate': 'Neues Zertifikat',
  'It is tried again {time}.': 'Der nächste Versuch folgt {time}.',
  'Create this record, and continue once every name server shows it':
    'Legen Sie diesen Eintrag an und fahren Sie fort, sobald jeder Nameserver ihn liefert',
  'The authority looks only once.': 'Die Zertifizierungsstelle sieht nur einmal nach.',
  'The record is there': 'Der Eintrag ist da',
  'an authority, by ACME': 'eine Zertifizierungsstelle, über ACME',
  'an upload': 'hochgeladen',
  Renewed: 'Erneuert',
  'not by the service': 'nicht durch den Dienst',
  Issuer: 'Aussteller',
  Names: 'Namen',
  Fingerprint: 'Fingerabdruck',
  'Verify the domain first.': 'Prüfen Sie zuerst den DNS-Eintrag.',
  'One is being issued.': 'Eines wird gerade ausgestellt.',
  'No certificate yet': 'Noch kein Zertifikat',
  'Without a certificate, clients that ask for this name get that of the installation.':
    'Ohne eigenes Zertifikat erhalten Clients, die diesen Namen anfragen, das der Installation.',

  // The data that could not be read.
  'The certificate': 'Zertifikat',
  'The domain': 'Domain',
}
