/** The German text of each English one; see i18n/translate.ts. */
export const german = {
  // The list.
  Webhook: 'Webhook',
  'No webhooks yet': 'Noch keine Webhooks',
  'A webhook sends events to your URL as they happen: signed, in order for each device, and repeated until they are accepted.':
    'Ein Webhook sendet Ereignisse sofort an Ihre URL: signiert, je Gerät in der richtigen Reihenfolge, und so oft, bis sie angenommen sind.',
  enabled: 'aktiv',
  failing: 'gestört',
  'No attempt since {time} has succeeded.': 'Seit {time} ist kein Versuch gelungen.',
  'It accepted the last one {time}.': 'Zuletzt hat der Empfänger {time} etwas angenommen.',
  'first failed {time}': 'erstmals {time}',
  paused: 'pausiert',
  'Somebody has paused it.': 'Jemand hat ihn pausiert.',
  'Its receiver answered 410 Gone: it wants no more events.':
    'Sein Empfänger hat mit 410 Gone geantwortet: Er will keine Ereignisse mehr.',
  'Its receiver has accepted nothing for three days.':
    'Sein Empfänger hat drei Tage lang nichts angenommen.',
  'The person who created it may no longer have webhooks here.':
    'Wer ihn angelegt hat, darf hier keine Webhooks mehr haben.',

  // A new one.
  'Create a webhook': 'Webhook anlegen',
  URL: 'URL',
  'Where events are sent: https, with a public host.':
    'Wohin Ereignisse gesendet werden: https, mit öffentlichem Host.',
  'The secret is shown once, in the next step.':
    'Das Geheimnis wird nur einmal angezeigt, im nächsten Schritt.',
  'From now on, new events go there, signed with this secret.':
    'Ab jetzt gehen neue Ereignisse dorthin, signiert mit diesem Geheimnis.',
  'Secret of {name}': 'Geheimnis von {name}',
  'The program listens on port 8000, or on the port in the variable PORT, and prints each delivery. To try it: start it, enter its address as the URL of the webhook, and press “Test…”. An address that is not public has to be allowed by the operator (MOORING_WEBHOOK_ALLOWED_HOSTS).':
    'Das Programm lauscht auf Port 8000 oder auf dem Port der Variablen PORT und gibt jede Zustellung aus. Zum Ausprobieren: Programm starten, seine Adresse als URL des Webhooks eintragen und „Testen…“ drücken. Eine nicht öffentliche Adresse muss der Betreiber erlauben (MOORING_WEBHOOK_ALLOWED_HOSTS).',

  // One webhook.
  'Parts of the webhook': 'Bereiche des Webhooks',
  Deliveries: 'Zustellungen',
  Receiver: 'Empfänger',
  'Nothing is sent: {reason}': 'Es wird nichts gesendet: {reason}',
  'No event is lost while events are kept. Once enabled, the webhook continues where it stopped.':
    'Kein Ereignis geht verloren, solange Ereignisse aufbewahrt werden. Sobald er wieder aktiv ist, macht er dort weiter, wo er aufgehört hat.',
  'The receiver accepts no events': 'Der Empfänger nimmt keine Ereignisse an',
  'The receiver answers {status}': 'Der Empfänger antwortet {status}',
  'The URL of the webhook is not allowed': 'Die URL des Webhooks ist nicht erlaubt',
  'Change the URL in Settings, or ask the operator to allow this host (MOORING_WEBHOOK_ALLOWED_HOSTS).':
    'Ändern Sie die URL unter „Einstellungen“, oder lassen Sie den Betreiber diesen Host zulassen (MOORING_WEBHOOK_ALLOWED_HOSTS).',
  'Check host and port in the URL, that the host name has an address, and that the receiver runs and is open to the service.':
    'Prüfen Sie Host und Port in der URL, ob der Hostname eine Adresse hat, und ob der Empfänger läuft und für den Dienst erreichbar ist.',
  'Let it answer first, and do the work afterwards.':
    'Lassen Sie ihn zuerst antworten und danach arbeiten.',
  'Check the port and the scheme of the URL.': 'Prüfen Sie Port und Schema der URL.',
  'Renew it, or change the URL to a name for which it is valid.':
    'Erneuern Sie es, oder ändern Sie die URL auf einen Namen, für den es gilt.',
  'Look at the log of the receiver.': 'Sehen Sie sich das Log des Empfängers an.',
  'See the deliveries': 'Zu den Zustellungen',
  'The receiver cannot be reached': 'Der Empfänger ist nicht erreichbar',
  'The receiver takes too long to answer': 'Der Empfänger antwortet zu langsam',
  'The receiver does not answer with HTTP': 'Der Empfänger antwortet nicht mit HTTP',
  'The certificate of the receiver is not valid': 'Das Zertifikat des Empfängers ist ungültig',
  'Events wait, and are sent in order for each device.':
    'Ereignisse warten und werden je Gerät in der richtigen Reihenfolge gesendet.',
  'Next attempt: {time}.': 'Nächster Versuch: {time}.',
  'Then press “Try now”: the next attempt is made at once.':
    'Drücken Sie danach „Jetzt versuchen“: Der nächste Versuch folgt sofort.',
  'Try now': 'Jetzt versuchen',
  'See the last attempt': 'Letzten Versuch ansehen',
  'After three days without success the webhook is disabled.':
    'Nach drei Tagen ohne Erfolg wird der Webhook deaktiviert.',
  'URL and events': 'URL und Ereignisse',
  'The old secret signs until': 'Altes Geheimnis signiert bis',
  'A receiver that verifies signatures': 'Ein Empfänger, der Signaturen prüft',
  'Verify the raw body, before it is parsed. Answer 2xx within 15 seconds, and do the work afterwards. An event can come twice, with the same webhook-id.':
    'Prüfen Sie den unveränderten Body, bevor er geparst wird. Antworten Sie innerhalb von 15 Sekunden mit 2xx und verarbeiten Sie das Ereignis erst danach. Ein Ereignis kann zweimal kommen, mit derselben webhook-id.',
  'The variable MOORING_WEBHOOK_SECRET holds the secret, which was shown once; “New secret…” makes another one.':
    'Die Variable MOORING_WEBHOOK_SECRET enthält das Geheimnis, das einmal angezeigt wurde; „Neues Geheimnis…“ legt ein anderes an.',

  // Acts.
  'Waiting deliveries': 'Wartende Zustellungen',
  'Its waiting deliveries are not counted yet.':
    'Die wartenden Zustellungen sind noch nicht gezählt.',
  'Test…': 'Testen…',
  'Test {name}': '{name} testen',
  'Sends a webhook.test event to {host}, signed like any other.':
    'Sendet ein Ereignis webhook.test an {host}, signiert wie jedes andere.',
  'Accepted: {end}, after {time}': 'Angenommen: {end}, nach {time}',
  'Not accepted: {end}, after {time}': 'Nicht angenommen: {end}, nach {time}',
  'Its response': 'Seine Antwort',
  'It continues where it stopped': 'Er macht dort weiter, wo er aufgehört hat',
  'New secret…': 'Neues Geheimnis…',
  'A new secret for {name}': 'Ein neues Geheimnis für {name}',
  'The old secret also signs': 'Das alte Geheimnis signiert auch',
  'For a day': 'Einen Tag lang',
  'For a week': 'Eine Woche lang',
  'For an hour': 'Eine Stunde lang',
  'Not at all: the old one is known to others': 'Gar nicht: Andere kennen das alte',
  'Create a new secret': 'Neues Geheimnis anlegen',
  'The old one has stopped signing.': 'Das alte signiert nicht mehr.',
  'Until the old one stops, both sign: a receiver may know either.':
    'Bis das alte endet, signieren beide: Ein Empfänger muss nur eines davon kennen.',
  'Delete {name}?': '{name} löschen?',
  'Nothing more is sent there, not even what is waiting. Its delivery log is deleted; the events stay in the feed.':
    'Dorthin wird nichts mehr gesendet, auch nichts, was noch wartet. Das Protokoll der Zustellungen wird gelöscht; die Ereignisse bleiben erhalten.',

  // Deliveries.
  Happened: 'Geschehen',
  '{n}, last {time}': '{n}, zuletzt {time}',
  'none yet': 'noch keiner',
  'Next attempt': 'Nächster Versuch',
  due: 'fällig',
  'held back until the webhook is enabled': 'zurückgehalten, bis der Webhook aktiv ist',
  'held back': 'zurückgehalten',
  'waits for an earlier delivery': 'wartet auf eine frühere Zustellung',
  'Show delivery {id}': 'Zustellung {id} anzeigen',
  'Redeliver {id}': '{id} erneut zustellen',
  Delivered: 'Zugestellt',
  'Which deliveries': 'Welche Zustellungen',
  Redelivering: 'Erneute Zustellung',
  'It is sent at once.': 'Sie wird sofort gesendet.',
  'Redeliver a range…': 'Zeitraum erneut zustellen…',
  'Nothing was sent yet': 'Noch wurde nichts gesendet',
  'None of that kind': 'Keine dieser Art',
  'Each event that the webhook asks for appears here with its attempts.':
    'Hier erscheint jedes Ereignis, das der Webhook abonniert hat, mit seinen Versuchen.',
  waiting: 'wartet',
  delivered: 'zugestellt',
  'given up': 'endgültig fehlgeschlagen',
  'answered {status}': 'Antwort {status}',
  'the URL is not allowed': 'URL nicht erlaubt',
  'it could not be reached': 'nicht erreichbar',
  'it took too long': 'zu langsam',
  'its response was not HTTP': 'Antwort war kein HTTP',
  'its certificate is not valid': 'Zertifikat ungültig',
  'the event is no longer kept': 'Ereignis nicht mehr vorhanden',

  // One delivery.
  Delivery: 'Zustellung',
  'Attempt {number}': 'Versuch {number}',
  Took: 'Dauer',
  Response: 'Antwort',
  'Headers as sent': 'Gesendete Header',
  'It was not sent yet.': 'Sie wurde noch nicht gesendet.',
  'The event is no longer kept.': 'Das Ereignis ist nicht mehr vorhanden.',
  Redeliver: 'Erneut zustellen',

  // A range.
  'Redeliver a range': 'Zeitraum erneut zustellen',
  'What was given up': 'Was endgültig fehlgeschlagen ist',
  'Deliveries that failed for three days, or whose event was refused.':
    'Zustellungen, die drei Tage lang fehlschlugen oder deren Ereignis abgelehnt wurde.',
  'Every event': 'Jedes Ereignis',
  'Also what was delivered, and what happened before the webhook was created. A receiver that remembers webhook-id processes nothing twice.':
    'Auch was zugestellt wurde und was vor dem Anlegen des Webhooks geschah. Ein Empfänger, der sich webhook-id merkt, verarbeitet nichts doppelt.',
  'The number of events': 'Anzahl der Ereignisse',
  'Nothing to redeliver in this range.': 'In diesem Zeitraum ist nichts erneut zuzustellen.',
  'Nothing to redeliver in this range. Waiting deliveries are sent anyway.':
    'In diesem Zeitraum ist nichts erneut zuzustellen. Wartende Zustellungen werden ohnehin gesendet.',
  'Redeliver 1 event': 'Ein Ereignis erneut zustellen',
  'Redeliver {n} events': '{n} Ereignisse erneut zustellen',
  '1 event is sent again.': 'Ein Ereignis wird erneut gesendet.',
  '{n} events are sent again, each device in order.':
    '{n} Ereignisse werden erneut gesendet, je Gerät in der richtigen Reihenfolge.',
  '{from} to {until}': '{from} bis {until}',
  'Empty: now.': 'Leer: jetzt.',

  // The data that could not be read.
  'The delivery': 'Zustellung',
  'The webhook': 'Webhook',
}
