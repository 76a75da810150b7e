/**
 * Refusals of the service in German, by their codes: the event, and the advice. Values are
 * in the detail of the service, which is shown below it.
 */
import type { ErrorCode } from '../../../sdk/schema.ts'
import type { Patterns } from './translate.ts'

export const problems: Readonly<Record<ErrorCode, string>> = {
  // Requests, and the service itself.
  invalid_request: 'Die Eingaben sind nicht gültig. Korrigieren Sie, was genannt ist.',
  malformed_json: 'Die Anfrage ist kein gültiges JSON. Laden Sie die Seite neu.',
  malformed_csv:
    'Die Datei ist keine CSV-Tabelle mit Kopfzeile. Speichern Sie sie als CSV in UTF-8, mit Kommas getrennt.',
  invalid_cursor: 'Die Liste passt nicht mehr zum Filter. Laden Sie sie von vorn.',
  not_found: 'Diese Adresse gibt es nicht. Laden Sie die Seite neu.',
  method_not_allowed: 'Diese Adresse erlaubt die Methode nicht. Laden Sie die Seite neu.',
  request_timeout: 'Die Anfrage kam nicht rechtzeitig an. Versuchen Sie es erneut.',
  payload_too_large: 'Die Eingabe ist zu groß. Senden Sie weniger auf einmal.',
  unsupported_media_type: 'Das Format der Anfrage wird nicht angenommen. Laden Sie die Seite neu.',
  expectation_failed:
    'Die Anfrage enthält einen Header „Expect“, den der Dienst nicht kennt. Entfernen Sie ihn.',
  misdirected_request: 'Unter diesem Hostnamen gibt es keine API. Verwenden Sie den des Dienstes.',
  request_header_too_large: 'Die Header der Anfrage sind zu groß. Kürzen Sie sie.',
  idempotency_in_progress:
    'Dieselbe Anfrage läuft noch. Warten Sie einen Moment und versuchen Sie es erneut.',
  idempotency_key_reused:
    'Der Idempotency-Key gehört schon zu einer anderen Anfrage. Beginnen Sie von vorn.',
  precondition_failed:
    'Jemand hat dies inzwischen geändert. Sehen Sie sich den neuen Stand an und versuchen Sie es erneut.',
  invalid_transition: 'Der aktuelle Zustand erlaubt das nicht. Prüfen Sie den Zustand.',
  limit_reached:
    'Die höchste Anzahl im Workspace ist erreicht. Löschen Sie, was nicht mehr gebraucht wird.',
  rate_limited: 'Zu viele Anfragen. Warten Sie kurz.',
  plan_limit_reached:
    'Ein Limit des Tarifs ist erreicht. Warten Sie, bis es zurückgesetzt wird, oder wählen Sie einen größeren Tarif.',
  too_many_attempts: 'Zu viele Fehlversuche. Warten Sie, bevor Sie es erneut versuchen.',
  too_many_streams: 'Zu viele Live-Ansichten sind offen. Schließen Sie andere Tabs.',
  internal_error:
    'Im Dienst ist ein Fehler aufgetreten. Versuchen Sie es erneut; bleibt er, melden Sie die Trace-ID.',
  unavailable:
    'Der Dienst ist vorübergehend nicht verfügbar. Bestätigte Änderungen sind gespeichert; versuchen Sie es gleich erneut.',
  cross_site_request:
    'Die Anfrage kommt von einer fremden Seite. Öffnen Sie die Konsole unter ihrer eigenen Adresse.',

  // The caller, and its permissions.
  ambiguous_credentials: 'Die Anfrage enthält mehrere Zugangsdaten. Senden Sie nur eine Art.',
  credential_missing: 'Sie sind nicht angemeldet. Melden Sie sich an.',
  credential_rejected: 'Die Anmeldung ist abgelaufen oder widerrufen. Melden Sie sich erneut an.',
  wrong_credential_kind: 'Diese Art von Zugangsdaten gilt hier nicht. Verwenden Sie eine andere.',
  permission_denied:
    'Ihre Rolle erlaubt das nicht. Fragen Sie einen Inhaber oder Administrator des Workspace.',
  operator_required:
    'Das ist Betreibern der Installation vorbehalten, die unter der Adresse des Dienstes angemeldet sind. Wer den Dienst betreibt, kann Ihr Konto dazu machen.',
  key_scope_denied:
    'Der Provisionierungsschlüssel erlaubt das nicht. Verwenden Sie einen, der die Anfrage abdeckt.',
  quota_reached:
    'Das Gerätekontingent des Provisionierungsschlüssels ist aufgebraucht. Legen Sie einen neuen Schlüssel an.',
  workspace_not_found: 'Diesen Workspace gibt es nicht, oder Sie haben keinen Zugriff darauf.',
  registration_closed:
    'Konten werden hier nicht auf diesem Weg angelegt. Lassen Sie sich einladen oder fragen Sie den Betreiber.',

  // Signing in.
  invalid_credentials: 'E-Mail-Adresse oder Passwort ist falsch. Prüfen Sie beides.',
  mfa_code_rejected:
    'Der Code ist falsch, schon verwendet oder abgelaufen. Geben Sie den nächsten Code ein oder melden Sie sich neu an.',
  mfa_required:
    'Ein zweiter Faktor ist nötig. Richten Sie ihn ein oder bestätigen Sie ihn mit einem Code.',
  mfa_not_enrolled: 'Das Konto hat keine Authenticator-App. Richten Sie zuerst eine ein.',
  mfa_already_enrolled: 'Das Konto hat schon eine Authenticator-App. Entfernen Sie diese zuerst.',
  authorization_code_rejected:
    'Der Anmeldecode ist unbekannt, verwendet oder abgelaufen. Beginnen Sie die Anmeldung von vorn.',
  initial_password_expired:
    'Das vom Dienst erzeugte Passwort ist abgelaufen. Bitten Sie den Betreiber um ein neues.',
  password_change_required: 'Das Passwort stammt vom Dienst. Ändern Sie es zuerst.',
  fresh_authentication_required:
    'Dafür ist eine Anmeldung aus den letzten zehn Minuten nötig. Bestätigen Sie Ihr Passwort oder einen Code.',
  refresh_token_rejected: 'Die Sitzung ist beendet oder abgelaufen. Melden Sie sich erneut an.',
  refresh_token_reused:
    'Ein altes Token dieser Sitzung wurde erneut verwendet; die Sitzung ist beendet. Melden Sie sich an und prüfen Sie, wer das alte Token hat.',
  session_not_found: 'Diese Sitzung gibt es nicht mehr. Laden Sie die Liste neu.',
  passkey_rejected:
    'Der Passkey ist hier unbekannt oder wurde zu spät verwendet. Versuchen Sie es erneut oder verwenden Sie das Passwort.',
  passkey_not_found: 'Diesen Passkey hat das Konto nicht. Laden Sie die Liste neu.',
  passkeys_unavailable:
    'Passkeys brauchen HTTPS und die eingestellte Adresse der Konsole. Öffnen Sie die Konsole unter ihrer eigenen Adresse.',
  sso_rejected:
    'Der Anbieter hat die Anmeldung nicht bestätigt, oder sie ist abgelaufen. Beginnen Sie von vorn.',
  sso_address_refused:
    'Der Anbieter hat die E-Mail-Adresse nicht bestätigt, oder ihre Domain ist nicht zugelassen. Bestätigen Sie sie dort oder melden Sie sich anders an.',
  sso_provider_not_found:
    'Diesen Identitätsanbieter gibt es nicht. Wählen Sie einen auf der Anmeldeseite.',
  sso_identity_not_found:
    'Das Konto ist mit dieser Identität nicht verknüpft. Laden Sie die Liste neu.',
  sso_provider_unavailable:
    'Der Identitätsanbieter antwortet nicht. Versuchen Sie es gleich erneut oder melden Sie sich anders an.',
  link_not_found:
    'Den Link gibt es nicht, oder er ist verwendet, ersetzt oder abgelaufen. Fordern Sie einen neuen an.',

  // Accounts and members.
  account_exists: 'Zu dieser Adresse gibt es schon ein Konto. Melden Sie sich damit an.',
  account_not_found: 'Dieses Konto gibt es nicht. Laden Sie die Liste neu.',
  already_member: 'Die Person ist schon Mitglied. Ändern Sie ihre Rolle.',
  member_not_found: 'Dieses Mitglied gibt es im Workspace nicht. Laden Sie die Liste neu.',
  last_owner:
    'Ein Workspace behält mindestens einen Inhaber, der sich anmelden kann. Machen Sie zuerst ein anderes Mitglied zum Inhaber.',
  invitation_not_found:
    'Diese Einladung gibt es nicht, oder sie gilt für eine andere Adresse. Melden Sie sich mit der eingeladenen Adresse an oder lassen Sie sich neu einladen.',
  invitation_links_off:
    'Einladungslinks kommen nur per E-Mail. Die eingeladene Person findet ihren dort.',
  api_key_not_found: 'Diesen API-Schlüssel gibt es nicht. Laden Sie die Liste neu.',
  slug_fixed: 'Der Slug steht in Topics von Geräten und bleibt. Ändern Sie stattdessen den Namen.',
  slug_taken: 'Der Slug ist vergeben oder reserviert. Wählen Sie einen anderen.',

  // Devices.
  device_not_found: 'Dieses Gerät gibt es im Workspace nicht. Laden Sie die Liste neu.',
  device_key_taken: 'Ein anderes Gerät hat diese Gerätekennung. Wählen Sie eine andere.',
  hardware_id_taken:
    'Ein anderes Gerät hat diese Hardware-ID. Prüfen Sie sie: Jedes Gerät hat seine eigene.',
  device_already_registered:
    'Ein Gerät mit dieser Hardware-ID ist registriert, und der Schlüssel erneuert seine Zugangsdaten nicht. Erlauben Sie die Erneuerung auf der Seite des Geräts.',
  device_already_claimed: 'Das Gerät ist mit einem Smartphone gekoppelt. Entkoppeln Sie es zuerst.',
  device_not_approved:
    'Das Gerät wartet auf Freigabe oder wurde abgelehnt. Geben Sie es zuerst frei.',
  template_not_found: 'Diese Vorlage gibt es im Workspace nicht. Laden Sie die Liste neu.',
  template_version_not_found: 'Diese Version der Vorlage gibt es nicht. Laden Sie die Liste neu.',
  template_in_use:
    'Geräte verwenden diese Vorlage. Verschieben oder löschen Sie zuerst die Geräte.',
  model_key_taken: 'Eine andere Vorlage hat diese Modellkennung. Wählen Sie eine andere.',
  device_group_not_found: 'Diese Gruppe gibt es im Workspace nicht. Laden Sie die Liste neu.',
  device_group_name_taken: 'Eine andere Gruppe hat diesen Namen. Wählen Sie einen anderen.',
  device_group_has_filter: 'Der Filter der Gruppe wählt ihre Geräte aus. Ändern Sie den Filter.',
  device_group_in_use:
    'Der Filter einer anderen Gruppe verwendet diese Gruppe. Ändern oder löschen Sie zuerst die andere.',
  view_not_found: 'Diese Ansicht gibt es für Sie nicht. Laden Sie die Liste neu.',
  view_name_taken: 'Eine andere Ansicht hat diesen Namen. Wählen Sie einen anderen.',
  view_of_another:
    'Diese geteilte Ansicht darf nur ändern, wer sie angelegt hat, ein Inhaber oder ein Administrator. Speichern Sie eine eigene.',
  custom_field_not_found: 'Dieses eigene Feld gibt es nicht. Laden Sie die Liste neu.',
  custom_field_taken:
    'Ein eigenes Feld hat diesen Namen oder wird gerade gelöscht. Wählen Sie einen anderen.',
  custom_field_in_use:
    'Geräte haben Werte in diesem Feld. Löschen Sie zuerst die Werte oder das Feld samt Werten.',
  state_not_found:
    'Das Gerät hat noch keinen Zustand gemeldet. Warten Sie darauf oder schreiben Sie einen.',
  note_not_found: 'Diese Notiz gibt es nicht. Laden Sie die Liste neu.',
  note_of_another:
    'Diese Notiz darf nur ändern, wer sie geschrieben hat, ein Inhaber oder ein Administrator. Schreiben Sie eine eigene.',
  command_not_found:
    'Diesen Befehl des Geräts gibt es nicht oder nicht mehr. Laden Sie die Liste neu.',
  job_not_found: 'Diesen Auftrag gibt es nicht oder nicht mehr. Laden Sie die Liste neu.',
  rotation_campaign_not_found: 'Diese Erneuerungskampagne gibt es nicht. Laden Sie die Liste neu.',

  // Claims.
  claim_not_found: 'Diese Kopplung gibt es nicht. Beginnen Sie eine neue.',
  claim_code_malformed:
    'Ein Kopplungscode ist pc_ mit zehn Zeichen. Geben Sie ihn ein wie angezeigt.',
  claim_code_unknown:
    'Keine offene Kopplung hat diesen Code. Fordern Sie auf dem Smartphone einen neuen an.',
  claim_code_used:
    'Dieser Kopplungscode ist schon verwendet. Fordern Sie auf dem Smartphone einen neuen an.',
  claim_code_expired:
    'Dieser Kopplungscode ist abgelaufen. Fordern Sie auf dem Smartphone einen neuen an.',
  too_many_open_claims:
    'Das Smartphone hat zu viele offene Kopplungen. Brechen Sie eine ab oder warten Sie, bis eine abläuft.',
  no_claimed_devices:
    'Das Smartphone hat kein gekoppeltes Gerät, das sich verbinden darf. Koppeln Sie zuerst eines.',

  // MQTT.
  mqtt_principal_not_found: 'Diesen MQTT-Zugang gibt es nicht. Laden Sie die Liste neu.',
  mqtt_principal_name_taken: 'Ein anderer MQTT-Zugang hat diesen Namen. Wählen Sie einen anderen.',
  mqtt_connection_not_found: 'Diese MQTT-Verbindung besteht nicht mehr. Laden Sie die Liste neu.',
  mqtt_receipt_not_found:
    'Diese Quittung gibt es nicht. Quittungen werden eine begrenzte Zeit aufbewahrt.',
  acl_not_found: 'Diese Regel gibt es nicht. Laden Sie die Regeln neu.',
  acl_ids_differ:
    'Die Regeln haben sich inzwischen geändert. Laden Sie sie neu und ordnen Sie sie erneut.',
  broker_not_found: 'Diesen Broker gibt es nicht. Laden Sie die Liste neu.',
  doctor_run_not_found: 'Diese Prüfung gibt es nicht oder nicht mehr.',
  doctor_run_in_progress:
    'Dieser Broker wird gerade geprüft. Warten Sie das Ende ab, es dauert ein bis zwei Minuten.',

  // Events, webhooks, domains.
  events_gone:
    'Ereignisse ab dieser Stelle sind nicht mehr vorhanden. Laden Sie den aktuellen Stand neu.',
  webhook_not_found: 'Diesen Webhook gibt es nicht. Laden Sie die Liste neu.',
  webhook_delivery_not_found:
    'Diese Zustellung gibt es nicht oder nicht mehr. Laden Sie die Liste neu.',
  webhook_disabled: 'Der Webhook ist deaktiviert. Aktivieren Sie ihn und versuchen Sie es erneut.',
  domain_not_found: 'Diese Domain gibt es im Workspace nicht. Laden Sie die Liste neu.',
  domain_exists:
    'Der Workspace hat diese Domain schon. Für einen anderen Zweck löschen Sie sie zuerst.',
  domain_taken:
    'Ein anderer Workspace hat diese Domain bestätigt. Löschen Sie sie dort, oder entfernen Sie dessen DNS-Eintrag und behalten Sie Ihren.',
  domain_not_verified:
    'Der DNS-Eintrag wurde nicht gefunden. Legen Sie ihn an, warten Sie, bis er sichtbar ist, und versuchen Sie es erneut.',
  certificate_not_found:
    'Die Domain hat kein Zertifikat. Laden Sie eines hoch oder bestellen Sie es.',
  acme_off:
    'ACME ist in dieser Installation nicht eingerichtet. Laden Sie ein Zertifikat hoch oder fragen Sie den Betreiber.',
  acme_order_not_found: 'Für diese Domain gibt es keine Bestellung. Bestellen Sie ein Zertifikat.',
  acme_order_open:
    'Für diese Domain läuft schon eine Bestellung. Warten Sie, oder beenden Sie sie mit dem Entfernen des Zertifikats.',

  // The audit log.
  audit_log_empty:
    'Die Kette des Audit-Protokolls hat noch keinen Eintrag. Versuchen Sie es in einigen Sekunden erneut.',
  audit_chain_broken:
    'Der Kopf der Kette passt nicht zu seiner Signatur. Prüfen Sie das Audit-Protokoll, um die Stelle zu finden.',
  verification_in_progress:
    'Das Audit-Protokoll wird schon geprüft. Warten Sie das Ende ab und versuchen Sie es erneut.',

  // Money.
  invoice_not_found: 'Diese Rechnung gibt es im Workspace nicht. Laden Sie die Liste neu.',
  payment_not_found: 'Diese Zahlung gibt es im Workspace nicht. Laden Sie die Liste neu.',
  payment_method_not_found: 'Diese Zahlungsart gibt es nicht. Laden Sie die Liste neu.',
  payment_method_missing:
    'Der Workspace hat keine Standardzahlungsart. Fügen Sie eine hinzu oder legen Sie eine als Standard fest.',
  payment_provider_unavailable:
    'Der Zahlungsanbieter ist nicht erreichbar oder hat abgelehnt. Versuchen Sie es später erneut.',
  payments_by_hand:
    'Diese Installation nimmt Zahlungen manuell an. Folgen Sie den Anweisungen; der Betreiber trägt die Zahlung ein.',
  billing_currency_missing: 'Der Workspace hat noch keinen Tarif. Wählen Sie zuerst einen.',
  currency_fixed:
    'Der Tarif hat eine andere Währung als der Workspace. Wählen Sie einen in dessen Währung.',
  subscription_just_changed:
    'Der Tarif wurde in dieser Stunde schon gewechselt. Warten Sie bis zur nächsten.',

  // The installation.
  mail_not_found: 'Diese E-Mail ist nicht mehr im Postausgang. Laden Sie die Liste neu.',
}

/** The fault of a field, by the message of the service; each fits the whole message. */
export const faults: Patterns = [
  [/^is missing$/, 'Das Feld fehlt.'],
  [/^must not be empty$/, 'Das Feld darf nicht leer sein.'],
  [/^must have at least (\d+) characters?$/, 'Mindestens $1 Zeichen.'],
  [/^must have at most (\d+) characters?$/, 'Höchstens $1 Zeichen.'],
  [
    /^must have at least (\d+) characters, or (\d+) with an authenticator$/,
    'Mindestens $1 Zeichen, oder $2 mit einer Authenticator-App.',
  ],
  [/^must have at least (\d+) items?$/, 'Mindestens $1.'],
  [/^must have at most (\d+) items?$/, 'Höchstens $1.'],
  [/^must not have the same item twice$/, 'Nichts darf doppelt vorkommen.'],
  [/^must be at least (-?[\d.]+)$/, 'Mindestens $1.'],
  [/^must be at most (-?[\d.]+)$/, 'Höchstens $1.'],
  [/^must be one of ((?!.* or null$).+)$/, 'Erlaubt sind: $1.'],
  [/^must be an integer$/, 'Eine ganze Zahl ist nötig.'],
  [/^must be a number$/, 'Eine Zahl ist nötig.'],
  [/^must be a string$/, 'Ein Text ist nötig.'],
  [/^must be true or false$/, 'true oder false ist nötig.'],
  [
    /^must be a(?: plain)? e-mail address$|^must be an e-mail address$/,
    'Eine E-Mail-Adresse ist nötig.',
  ],
  [/^belongs to another account$/, 'Die Adresse gehört zu einem anderen Konto.'],
  [/^must lie in the future$/, 'Der Zeitpunkt muss in der Zukunft liegen.'],
  [/^does not have the required format$/, 'Das Format stimmt nicht.'],
  [
    /^must be 1 to 64 letters, digits and \. _ -$/,
    '1 bis 64 Zeichen: Buchstaben ohne Umlaute, Ziffern und . _ -',
  ],
  [
    /^must be more than white space, without (?:the null character|line breaks and other control characters)$/,
    'Das Feld braucht ein sichtbares Zeichen und keine Steuerzeichen.',
  ],
  // Filters. The part of the filter stands behind the place.
  [
    /^cannot be read at character (\d+): there is no such field; the fields are (.+)$/,
    'nicht lesbar bei Zeichen $1: Dieses Feld gibt es nicht. Es gibt $2.',
  ],
  [
    /^cannot be read at character (\d+): (\S+) can only be compared with (.+) or (\S+)$/,
    'nicht lesbar bei Zeichen $1: $2 lässt sich nur mit $3 oder $4 vergleichen.',
  ],
  [
    /^cannot be read at character (\d+): (\S+) must be ((?:\w+, )*\w+) or (\w+)$/,
    'nicht lesbar bei Zeichen $1: $2 muss $3 oder $4 sein.',
  ],
  [
    /^cannot be read at character (\d+): expected a value$/,
    'nicht lesbar bei Zeichen $1: Hier fehlt ein Wert.',
  ],
  [
    /^cannot be read at character (\d+): expected one of (=.+)$/,
    'nicht lesbar bei Zeichen $1: Hier fehlt ein Vergleich, $2',
  ],
  [
    /^cannot be read at character (\d+): expected AND, OR or the end of the filter$/,
    'nicht lesbar bei Zeichen $1: Hier muss AND oder OR stehen, oder der Filter enden.',
  ],
]
