/** The German text of each English one; see i18n/translate.ts. */
export const german = {
  'devices: {n}': 'Geräte: {n}',
  'Device limit': 'Geräte-Limit',
  // The list.
  'A provision key lets a factory register devices; a platform key lets your backend use the API.':
    'Mit einem Provisionierungsschlüssel registriert eine Fertigung Geräte, mit einem Plattformschlüssel nutzt Ihr Backend die API.',
  'All active': 'Aktive',
  'Last use': 'Zuletzt verwendet',
  Restrictions: 'Einschränkungen',
  'No key has ended': 'Kein Schlüssel ist widerrufen oder abgelaufen',
  'No keys yet': 'Noch keine Schlüssel',
  'Platform keys': 'Plattform',
  'Provision keys': 'Provisionierung',
  'Revoked and expired': 'Beendete',
  'Revoked and expired keys are listed here.': 'Hier stehen widerrufene und abgelaufene Schlüssel.',
  'Which keys': 'Welche Schlüssel',
  'acts as an admin': 'handelt als Administrator',
  'approval needed': 'Freigabe nötig',
  expired: 'abgelaufen',
  'no limit': 'unbegrenzt',
  'no limits': 'keine Einschränkungen',
  platform: 'Plattform',
  provision: 'Provisionierung',
  'register only': 'nur registrieren',
  'rotate only': 'nur erneuern',
  '{n} a minute': '{n}/min',
  '{n} network': '{n} Netz',
  '{n} networks': '{n} Netze',
  '{n} of {total}': '{n} von {total}',
  '{n} template': '{n} Vorlage',
  '{n} templates': '{n} Vorlagen',

  // A new key.
  'Create an API key': 'API-Schlüssel anlegen',
  'For factories: it registers devices and rotates their credentials, nothing else.':
    'Für die Fertigung: Er registriert Geräte und erneuert ihre Zugangsdaten, sonst nichts.',
  'For your own backend: it acts as an admin of this workspace, until it is revoked.':
    'Für Ihr eigenes Backend: Er handelt als Administrator dieses Workspace, bis er widerrufen wird.',
  'Key {name}': 'Schlüssel {name}',
  'New API key': 'Neuer API-Schlüssel',
  'Platform key': 'Plattformschlüssel',
  'Provision key': 'Provisionierungsschlüssel',
  'The service keeps only a hash. Send it as the header Service-Auth-Code.':
    'Der Dienst behält nur einen Hash. Senden Sie ihn im Header Service-Auth-Code.',
  'The service keeps only a hash. Send it as the header X-Api-Key.':
    'Der Dienst behält nur einen Hash. Senden Sie ihn im Header X-Api-Key.',
  'The call of the factory': 'Aufruf der Fertigung',
  'The factory makes this call for each device, with its hardware id or its key. The response has its credentials.':
    'Die Fertigung ruft dies für jedes Gerät auf, mit dessen Hardware-ID oder Kennung. Die Antwort enthält seine Zugangsdaten.',
  'The factory makes this call for each device, with its id. The response has new credentials.':
    'Die Fertigung ruft dies für jedes Gerät auf, mit dessen ID. Die Antwort enthält neue Zugangsdaten.',
  'This call in the API reference': 'Dieser Aufruf in der API-Referenz',
  'Which program or line uses it.': 'Welches Programm oder welche Linie ihn verwendet.',

  // Limits.
  'A claimed device gets new ones only after staff allow it.':
    'Ein gekoppeltes Gerät erhält erst neue, wenn ein Mitglied es erlaubt.',
  'Even a stolen key cannot take over an existing device, if “Rotate” is not ticked either.':
    'Auch ein gestohlener Schlüssel kann kein vorhandenes Gerät übernehmen, wenn auch „Zugangsdaten erneuern“ abgewählt ist.',
  'When a known hardware id registers again':
    'Wenn sich eine bekannte Hardware-ID erneut registriert',
  Actions: 'Aktionen',
  'Calls per minute': 'Aufrufe pro Minute',
  'For a line that each device passes once. Repeats it for 24 hours, until the device has used it.':
    'Für eine Fertigungslinie, die jedes Gerät einmal durchläuft. Wiederholt sie 24 Stunden lang, bis das Gerät sie verwendet hat.',
  'For devices that provision themselves repeatedly. None is locked out.':
    'Für Geräte, die sich selbst mehrmals registrieren. Keines wird ausgesperrt.',
  'Gets new credentials for devices that exist.': 'Holt neue Zugangsdaten für vorhandene Geräte.',
  'Instead of the default limit of the service.': 'Statt des Standardlimits des Dienstes.',
  'It may register devices of these templates only. If none is chosen: of any, later ones too.':
    'Der Schlüssel registriert nur Geräte dieser Vorlagen. Keine gewählt: Geräte aller Vorlagen, auch späterer.',
  'Limits (optional)': 'Limits (optional)',
  'Its devices await approval': 'Seine Geräte warten auf Freigabe',
  'MQTT refuses them until a person approves them on the page “Approvals”.':
    'MQTT lehnt sie ab, bis jemand sie auf der Seite „Freigaben“ freigibt.',
  'Creates devices, with credentials of their own.': 'Legt Geräte mit eigenen Zugangsdaten an.',
  Networks: 'Netze',
  'Give it new credentials': 'Neue Zugangsdaten geben',
  'Give it new credentials, unless it is claimed':
    'Neue Zugangsdaten nur ungekoppelten Geräten geben',
  Refuse: 'Ablehnen',
  Register: 'Registrieren',
  'How many devices it may register. Empty: no limit. Retries and rotations do not count; a deleted device does not free its place.':
    'Wie viele Geräte er registrieren darf. Leer: ohne Limit. Wiederholungen und Erneuerungen zählen nicht; ein gelöschtes Gerät macht keinen Platz frei.',
  'Repeat the first response': 'Die erste Antwort wiederholen',
  'Where calls may come from, one CIDR a line: 203.0.113.0/24':
    'Woher Aufrufe kommen dürfen, ein CIDR je Zeile: 203.0.113.0/24',

  // A key.
  'Devices registered': 'Registrierte Geräte',
  'It applies from the next call.': 'Gilt ab dem nächsten Aufruf.',
  'Keys created with it': 'Damit angelegte Schlüssel',
  'Last address': 'Letzte Adresse',
  'What it has registered, in the audit log': 'Was er registriert hat, im Audit-Protokoll',
  'Name and limits': 'Name und Einschränkungen',
  'This cannot be undone; a new key is another key.':
    'Das lässt sich nicht rückgängig machen; ein neuer Schlüssel ist ein anderer Schlüssel.',
  'Within a second it is refused everywhere. Keys that were created with it stay; the invitations that it has sent end.':
    'Er wird binnen einer Sekunde überall abgelehnt. Damit angelegte Schlüssel bleiben; damit verschickte Einladungen enden.',
  'Within a second it is refused everywhere: lines that use it can neither register devices nor rotate their credentials. Devices that it has registered stay, with their credentials.':
    'Er wird binnen einer Sekunde überall abgelehnt: Linien, die ihn verwenden, können weder Geräte registrieren noch deren Zugangsdaten erneuern. Damit registrierte Geräte bleiben, mit ihren Zugangsdaten.',
  'Revoke {name}?': '{name} widerrufen?',
  Revoked: 'Widerrufen',
  'Revoked: {name}': 'Widerrufen: {name}',
  'Revoke…': 'Widerrufen…',

  // The data that could not be read.
  'The API key': 'API-Schlüssel',
}
