/** The German text of why a connection was refused or ended, and of a device's timeline. */
export const reasons = {
  // Why a device is or is not connected. Nothing agrees with the gender of the one that connects:
  // it can be a device or an MQTT login. Reasons begin with a noun where that is possible.
  'Suspended or not approved': 'Gesperrt oder nicht freigegeben',
  'Resume or approve it to let it connect.':
    'Entsperren Sie das Gerät oder geben Sie es frei, damit es sich verbinden kann.',
  'Approve the device to let it connect.':
    'Geben Sie das Gerät frei, damit es sich verbinden kann.',
  'Check, in this order: host and port, TLS, user name and password, client id.':
    'Prüfen Sie in dieser Reihenfolge: Host und Port, TLS, Benutzername und Passwort, Client-ID.',
  Expired: 'Zugang abgelaufen',
  'It awaits approval.': 'Das Gerät wartet auf Freigabe.',
  'It has never tried to connect.': 'Das Gerät hat noch nie versucht, sich zu verbinden.',
  'Create them, and store them on the device.':
    'Legen Sie sie an, und hinterlegen Sie sie auf dem Gerät.',
  'It has no credentials, so it cannot connect.':
    'Das Gerät hat keine Zugangsdaten und kann sich deshalb nicht verbinden.',
  'It is connected.': 'Das Gerät ist verbunden.',
  'It is connected. Until {time}, two programs with its client id replaced each other {n} times.':
    'Das Gerät ist verbunden. Bis {time} haben sich zwei Programme mit seiner Client-ID {n}-mal abgelöst.',
  'Replaced {n} times within {duration}: two programs seem to use its client id.':
    'In {duration} {n}-mal abgelöst: Wahrscheinlich verwenden zwei Programme seine Client-ID.',
  'Stop one of them, or let it connect as “{id}”.':
    'Beenden Sie eines davon, oder lassen Sie es sich als „{id}“ verbinden.',
  'Connected and replaced {n} times': '{n}-mal verbunden und abgelöst',
  'Each time another connection used the same client id. If two programs use it, stop one of them, or let it connect as “{id}”.':
    'Jedes Mal hat eine andere Verbindung dieselbe Client-ID verwendet. Wenn zwei Programme sie verwenden, beenden Sie eines davon, oder lassen Sie es sich als „{id}“ verbinden.',
  'It is decommissioned: its credentials are deleted permanently.':
    'Das Gerät ist ausgemustert: Seine Zugangsdaten sind endgültig gelöscht.',
  'It is suspended, so it is refused.': 'Das Gerät ist gesperrt und wird deshalb abgelehnt.',
  'It may connect again. It has not tried since then.':
    'Das Gerät darf sich wieder verbinden. Es hat es seitdem nicht versucht.',
  'It sent an empty one. Use “{key}” or “{id}”.':
    'Die gesendete Client-ID war leer. Verwenden Sie „{key}“ oder „{id}“.',
  'It used an old or mistyped password. Store the right one on it; if it is lost, reset its credentials.':
    'Das verwendete Passwort ist veraltet oder enthält einen Tippfehler. Hinterlegen Sie das richtige; ist es verloren, setzen Sie die Zugangsdaten zurück.',
  'It used the domain of another workspace, or one that is not for MQTT. Use the host of the Credentials tab.':
    'Die verwendete Domain gehört zu einem anderen Workspace oder ist nicht für MQTT. Verwenden Sie den Host aus dem Tab „Zugangsdaten“.',
  'It sent an empty one the last time. Use “{key}” or “{id}”.':
    'Zuletzt war sie leer. Verwenden Sie „{key}“ oder „{id}“.',
  'It used “{used}” the last time. Use “{key}” or “{id}”.':
    'Gesendet wurde zuletzt „{used}“. Verwenden Sie „{key}“ oder „{id}“.',
  'It used “{used}”. Use “{key}” or “{id}”.':
    'Gesendet wurde „{used}“. Verwenden Sie „{key}“ oder „{id}“.',
  'It has just disconnected.': 'Das Gerät war bis eben verbunden.',
  'Offline since {time}: {end}.': 'Offline seit {time}: {end}.',
  'Offline, since when is not known: {end}.': 'Offline, seit wann ist nicht bekannt: {end}.',
  'It was rejected.': 'Die Freigabe wurde abgelehnt.',
  'Its credentials are right, but the plan lets no more devices connect at once. Disconnect others, or let an owner choose a larger plan.':
    'Die Zugangsdaten stimmen, aber der Tarif lässt nicht mehr Geräte gleichzeitig zu. Trennen Sie andere, oder lassen Sie einen Inhaber einen größeren Tarif wählen.',
  'Its last connection was accepted. Its end was not reported.':
    'Die letzte Verbindung wurde angenommen. Ihr Ende wurde nicht gemeldet.',
  'Its last attempt was refused: {what}.': 'Der letzte Verbindungsversuch wurde abgelehnt: {what}.',
  'Its will message goes to a topic that its rules forbid. Allow the topic, or change the will.':
    'Die Will-Nachricht geht an ein Topic, das die Regeln verbieten. Erlauben Sie das Topic, oder ändern Sie die Will-Nachricht.',
  'Not approved': 'Freigabe fehlt',
  'Plan is full': 'Tarif ausgeschöpft',
  'Resume it to let it connect.': 'Heben Sie die Sperre auf, um Verbindungen wieder zuzulassen.',
  'Service unavailable': 'Dienst nicht verfügbar',
  'Service was busy': 'Dienst überlastet',
  'Set a later time of expiry.': 'Legen Sie einen späteren Ablaufzeitpunkt fest.',
  'The database did not answer; it may try again.':
    'Die Datenbank hat nicht geantwortet; ein neuer Versuch ist möglich.',
  'The workspace is suspended or being deleted; its owner or the operator can change that.':
    'Der Workspace ist gesperrt oder wird gelöscht; sein Inhaber oder der Betreiber kann das ändern.',
  'Too many connected at once; it may simply try again.':
    'Zu viele haben sich gleichzeitig verbunden; ein neuer Versuch genügt.',
  'Use the id or the key of the device, or the user name of the login.':
    'Verwenden Sie die ID oder die Kennung des Geräts oder den Benutzernamen des Zugangs.',
  'Will not allowed': 'Will-Nachricht nicht erlaubt',
  'Workspace not active': 'Workspace nicht aktiv',
  'Wrong client id': 'Client-ID falsch',
  'Wrong host name': 'Hostname falsch',
  'Wrong password': 'Passwort falsch',

  // How a connection ended, behind a colon or behind `then`.
  'another connection used the same client id':
    'eine andere Verbindung hat dieselbe Client-ID verwendet',
  'it disconnected, or its connection was lost':
    'der Client hat sich getrennt, oder die Verbindung ist abgerissen',
  'it had too many unacknowledged messages': 'zu viele unbestätigte Nachrichten',
  'it read its messages too slowly': 'Nachrichten zu langsam gelesen',
  'it sent a malformed packet': 'fehlerhaftes Paket gesendet',
  'it was disconnected by an operator, or its credentials changed':
    'manuell getrennt, oder die Zugangsdaten wurden geändert',
  'it was silent for longer than its keep-alive time':
    'länger als die Keep-alive-Zeit kein Lebenszeichen',
  'its rights were revoked': 'die Rechte wurden entzogen',
  'the service was restarted': 'der Dienst wurde neu gestartet',
  'the service stopped meanwhile': 'der Dienst wurde inzwischen angehalten',
  'for an unknown reason': 'Grund unbekannt',
  unknown: 'unbekannt',
  'unknown: its end was not reported': 'unbekannt; das Ende wurde nicht gemeldet',
  'unknown: {end}': 'unbekannt; {end}',
  '{duration}, then {end}': '{duration}; Ende: {end}',

  // The connection log.
  'Each attempt to connect appears here, accepted or refused, with its reason.':
    'Hier erscheint jeder Verbindungsversuch, angenommen oder abgelehnt, mit seinem Grund.',
  '{duration}; still connected': '{duration}; noch verbunden',

  // The timeline. Names of actors are in the nominative.
  'Allowed to rotate its credentials': 'Erneuerung der Zugangsdaten erlaubt',
  'Credential rotation requested': 'Erneuerung der Zugangsdaten angefordert',
  'Command {name}: {words}': 'Befehl {name}: {words}',
  'Configuration version {version}': 'Konfiguration, Version {version}',
  'Connections, commands, changes and notes appear here as they happen.':
    'Hier erscheinen Verbindungen, Befehle, Änderungen und Notizen, sobald es sie gibt.',
  'Credentials reset': 'Zugangsdaten zurückgesetzt',
  'Credentials rotated': 'Zugangsdaten erneuert',
  'Duration: {duration}.': 'Dauer: {duration}.',
  'First connection': 'Erste Verbindung',
  'Its rules changed': 'Regeln geändert',
  'Newest first': 'Neueste zuerst',
  'Not shown: {kinds}.': 'Nicht angezeigt: {kinds}.',
  'Refused: {what}': 'Abgelehnt: {what}',
  'Refused: {what}, {n} times': 'Abgelehnt: {what}, {n}-mal',
  'Reported the configuration as {status}': 'Konfiguration gemeldet: {status}',
  'Reported version {version} as {status}': 'Version {version} gemeldet: {status}',
  Reports: 'Meldungen',
  'Your role may not read them; owners and admins may.':
    'Ihre Rolle darf sie nicht lesen; Inhaber und Administratoren dürfen es.',
  'by {who}': 'Wer: {who}',
  configuration: 'Konfiguration',
  'custom fields': 'eigene Felder',
  done: 'erledigt',
  expiry: 'Ablauf',
  tags: 'Schlagwörter',
  name: 'Name',
  'from {address} as {client}': 'von {address} als {client}',
  'Connected since {time}, from {address} as {client}.':
    'Verbunden seit {time}, von {address} als {client}.',
  'hardware id': 'Hardware-ID',
  'its phone': 'das Smartphone',
  'not answered in time': 'nicht rechtzeitig beantwortet',
  'sent, not answered yet': 'gesendet, noch keine Antwort',
  'somebody unknown': 'unbekannt',
  'the device itself': 'das Gerät selbst',
  'not fetched yet': 'noch nicht abgeholt',
}
