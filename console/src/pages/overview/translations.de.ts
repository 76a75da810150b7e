/** The German text of each English one of the overview. */
export const german = {
  // Counts.
  'Awaiting approval': 'Warten auf Freigabe',
  'Refused, last hour': 'Abgelehnt, letzte Stunde',
  'Open jobs': 'Offene Aufträge',
  'of {total}': 'von {total}',
  '{share} of all': '{share} von allen',

  // First steps.
  'Your production line registers devices with a provision key, which has limits of its own.':
    'Ihre Fertigungslinie registriert Geräte mit einem Provisionierungsschlüssel, der eigene Limits hat.',
  'A template says what all devices of a model have in common: topics, rules, configuration.':
    'Eine Vorlage legt fest, was alle Geräte eines Modells gemeinsam haben: Topics, Regeln, Konfiguration.',
  'Describe a model': 'Ein Modell beschreiben',
  'First steps': 'Erste Schritte',
  'Give your factory a key': 'Der Fertigung einen Schlüssel geben',
  'It gets an identity and a password; code for it is shown, and the page waits for it.':
    'Es erhält eine Identität und ein Passwort; Sie sehen Code dafür, und die Seite wartet auf das Gerät.',
  Optional: 'Optional',
  'To do': 'Offen',

  // The event.
  'Each change of the workspace appears here.': 'Hier erscheint jede Änderung des Workspace.',
  'Newest entries of the audit log': 'Neueste Einträge des Audit-Protokolls',
  'What happened': 'Letzte Ereignisse',
  'and {n} more': 'und {n} weitere',
  'and {n} more like it': 'und {n} weitere dieser Art',
  'and at least {n} more like it': 'und mindestens {n} weitere dieser Art',
  'and others': 'und andere',

  // The resources that need attention.
  '1 device suspended': '1 Gerät gesperrt',
  '1 device to approve': '1 Gerät wartet auf Freigabe',
  'A certificate expires soon': 'Ein Zertifikat läuft bald ab',
  'A certificate has expired': 'Ein Zertifikat ist abgelaufen',
  'A certificate was not issued': 'Ein Zertifikat wurde nicht ausgestellt',
  'A certificate was not renewed': 'Ein Zertifikat wurde nicht erneuert',
  'A device keeps disconnecting itself': 'Ein Gerät trennt sich immer wieder selbst',
  'An MQTT login keeps disconnecting itself': 'Ein MQTT-Zugang trennt sich immer wieder selbst',
  '{n} devices keep disconnecting themselves': '{n} Geräte trennen sich immer wieder selbst',
  '{n} MQTT logins keep disconnecting themselves':
    '{n} MQTT-Zugänge trennen sich immer wieder selbst',
  'Two programs seem to use one client id: each disconnects the other.':
    'Zwei Programme verwenden anscheinend dieselbe Client-ID: Jedes trennt das andere.',
  'A domain has lapsed': 'Eine Domain ist verfallen',
  'A domain is not verified': 'Eine Domain ist nicht bestätigt',
  'A domain will lapse': 'Eine Domain verfällt bald',
  'A rotation has halted': 'Eine Erneuerung wurde angehalten',
  'A webhook fails': 'Ein Webhook ist gestört',
  'A webhook was disabled': 'Ein Webhook wurde deaktiviert',
  'Clients that check certificates refuse to connect.':
    'Clients, die Zertifikate prüfen, verbinden sich nicht.',
  'Devices connect without encryption': 'Geräte verbinden sich unverschlüsselt',
  'This device is refused until somebody approves it.':
    'Bis zur Freigabe wird dieses Gerät abgelehnt.',
  'These devices are refused until somebody approves them.':
    'Bis zur Freigabe werden diese Geräte abgelehnt.',
  'It cannot connect until somebody resumes it.':
    'Bis zum Entsperren kann sich das Gerät nicht verbinden.',
  'They cannot connect until somebody resumes them.':
    'Bis zum Entsperren können sich diese Geräte nicht verbinden.',
  'Needs attention': 'Handlungsbedarf',
  'No event is delivered there until somebody enables it again.':
    'Dorthin wird kein Ereignis zugestellt, bis ihn jemand wieder aktiviert.',
  'No event is delivered there until somebody enables them again.':
    'Dorthin wird kein Ereignis zugestellt, bis sie jemand wieder aktiviert.',
  'Refused in the last hour': 'In der letzten Stunde abgelehnt',
  Review: 'Ansehen',
  'See refusals': 'Ablehnungen ansehen',
  'Show the endpoints': 'Endpunkte ansehen',
  'Show them': 'Ansehen',
  'The TXT record is missing. Put it back into the DNS.':
    'Der TXT-Eintrag fehlt. Tragen Sie ihn wieder in den DNS ein.',
  'The TXT record is missing; the service no longer answers under the name.':
    'Der TXT-Eintrag fehlt; der Dienst antwortet nicht mehr unter dem Namen.',
  'The broker has no certificate. Passwords travel in clear text.':
    'Der Broker hat kein Zertifikat. Passwörter werden im Klartext übertragen.',
  'The last look at the DNS did not find the TXT record.':
    'Bei der letzten Abfrage des DNS fehlte der TXT-Eintrag.',
  'The last order failed.': 'Die letzte Bestellung ist fehlgeschlagen.',
  'The last order failed. The current one works until it expires.':
    'Die letzte Bestellung ist fehlgeschlagen. Das aktuelle Zertifikat gilt, bis es abläuft.',
  'Its events are not delivered, and are held back. After three days of this, it is disabled.':
    'Seine Ereignisse werden nicht zugestellt, sondern zurückgehalten. Nach drei Tagen wird er deaktiviert.',
  'Their events are not delivered, and are held back. After three days of this, each is disabled.':
    'Ihre Ereignisse werden nicht zugestellt, sondern zurückgehalten. Nach drei Tagen wird jeder davon deaktiviert.',
  'Their TXT records are missing; the service no longer answers under the names.':
    'Die TXT-Einträge fehlen; der Dienst antwortet nicht mehr unter den Namen.',
  'Too many devices have failed. It waits until somebody resumes or cancels it.':
    'Zu viele Geräte sind fehlgeschlagen. Sie wartet, bis sie jemand fortsetzt oder abbricht.',
  'Too many devices have failed. They wait until somebody resumes or cancels them.':
    'Zu viele Geräte sind fehlgeschlagen. Sie warten, bis sie jemand fortsetzt oder abbricht.',
  'Upload the next one, or order it.': 'Laden Sie das nächste hoch, oder bestellen Sie es.',
  'What fails, lapses or waits for somebody appears here.':
    'Hier erscheint, was fehlschlägt, abläuft oder auf jemanden wartet.',
  '{count} devices suspended': '{count} Geräte gesperrt',
  '{count} devices to approve': '{count} Geräte warten auf Freigabe',
  '{n} attempt': '{n} Versuch',
  '{n} attempts': '{n} Versuche',
  '{n} rotations have halted': '{n} Erneuerungen wurden angehalten',
  '{n} certificates expire soon': '{n} Zertifikate laufen bald ab',
  '{n} certificates have expired': '{n} Zertifikate sind abgelaufen',
  '{n} certificates were not issued': '{n} Zertifikate wurden nicht ausgestellt',
  '{n} certificates were not renewed': '{n} Zertifikate wurden nicht erneuert',
  '{n} MQTT login': '{n} MQTT-Zugang',
  '{n} MQTT logins': '{n} MQTT-Zugänge',
  '{n} domains are not verified': '{n} Domains sind nicht bestätigt',
  '{n} domains have lapsed': '{n} Domains sind verfallen',
  '{n} domains will lapse': '{n} Domains verfallen bald',
  '{n} webhooks fail': '{n} Webhooks sind gestört',
  '{n} webhooks were disabled': '{n} Webhooks wurden deaktiviert',

  // The data that could not be read.
  Numbers: 'Zahlen',
  'The numbers': 'Zahlen',
}
