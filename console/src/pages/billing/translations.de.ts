/** The German text of each English one; see i18n/translate.ts. */
export const german = {
  '{amount} due by {date}': '{amount} fällig am {date}',
  // The parts of the page.
  'Parts of billing': 'Bereiche der Abrechnung',

  // The plan.
  'included, no limit': 'enthalten, ohne Limit',
  'up to {value}': 'bis zu {value}',
  'up to {value} a month': 'bis zu {value} pro Monat',
  '{value} a month': '{value} pro Monat',
  'Monthly price': 'Monatspreis',
  'Limit: {meter}': 'Limit: {meter}',
  'for a whole month, with the usage so far': 'für einen ganzen Monat, mit der bisherigen Nutzung',
  'a month, with the usage of last month': 'pro Monat, bei der Nutzung des letzten Monats',
  'Not enough for this month': 'Reicht nicht für diesen Monat',
  'Not enough for last month': 'Hätte letzten Monat nicht gereicht',
  '{meter}: {used}, limit {limit}': '{meter}: {used}, Limit {limit}',
  'Monthly price until the end of the month': 'Monatspreis bis zum Monatsende',
  '{amount} for {hours} of {all} hours': '{amount} für {hours} von {all} Stunden',
  '{share} of the messages, bytes and requests of a month; what is used beyond them is added':
    '{share} der Nachrichten, Bytes und Anfragen eines Monats; was darüber hinausgeht, kommt hinzu',
  'Choose…': 'Wählen…',
  'Accept the new terms…': 'Neue Bedingungen annehmen…',
  'The plan is {plan}': 'Der Tarif ist {plan}',
  'Choose {plan}?': '{plan} wählen?',
  'Choose this plan': 'Diesen Tarif wählen',
  'Accept the new terms of {plan}?': 'Neue Bedingungen von {plan} annehmen?',
  Accept: 'Annehmen',
  'Change from {present} to {plan}?': 'Von {present} zu {plan} wechseln?',
  'Change to {plan}': 'Zu {plan} wechseln',
  '{before} → {after}': '{before} → {after}',
  'no limit': 'unbegrenzt',
  'Above the limit of devices, further ones are not let in until another one disconnects.':
    'Über dem Limit der Geräte wird kein weiteres zugelassen, bis sich ein anderes trennt.',
  'Above the limit of messages or bytes, all that devices and programs publish is refused until the month ends; of clients with MQTT 3.1.1 it is dropped.':
    'Über dem Limit der Nachrichten oder der Datenmenge wird bis zum Monatsende alles abgelehnt, was Geräte und Programme veröffentlichen; bei Clients mit MQTT 3.1.1 wird es verworfen.',
  'Above the limit of API requests, they are refused until the month ends; what ends, revokes or rotates something is not.':
    'Über dem Limit der API-Anfragen werden diese bis zum Monatsende abgelehnt, außer sie beenden, widerrufen oder erneuern etwas.',
  'Its limits apply at once.': 'Seine Limits gelten sofort.',
  'Its prices are charged by the hour, from {time} on.':
    'Seine Preise werden stundenweise berechnet, ab {time}.',
  'The prices of {plan} are charged until {time}.':
    'Die Preise von {plan} werden bis {time} berechnet.',
  'You can change the plan once an hour.': 'Der Tarif kann einmal pro Stunde gewechselt werden.',
  'Everything is free here': 'Hier ist alles kostenlos',
  'The operator of this service offers no plans: there are no limits and no prices.':
    'Der Betreiber dieses Dienstes bietet keine Tarife an: Es gibt keine Limits und keine Preise.',
  'Your plan has new terms': 'Ihr Tarif hat neue Bedingungen',
  'Your current terms apply until you accept the new ones.':
    'Ihre aktuellen gelten, bis Sie die neuen annehmen.',
  'Your plan: {plan}': 'Ihr Tarif: {plan}',
  'Default plan.': 'Standardtarif.',
  'You chose this plan.': 'Sie haben diesen Tarif gewählt.',
  'Prices unchanged since {date}.': 'Preise unverändert seit {date}.',

  // The payer.
  'Billing details, as printed on invoices': 'Angaben auf Rechnungen',
  'If empty, the name of the workspace.': 'Leer: der Name des Workspace.',
  'VAT id or tax number': 'USt-IdNr. oder Steuernummer',
  'E-mail for invoices': 'E-Mail für Rechnungen',

  // Invoices.
  Month: 'Monat',
  Total: 'Gesamt',
  'Amount due': 'Offen',
  'Due date': 'Fällig am',
  'so far': 'bisher',
  'No invoices yet': 'Noch keine Rechnungen',
  'See the plans': 'Tarife ansehen',
  'Each month on a plan with a price has an invoice. Until the month ends it is a draft.':
    'Jeder Monat in einem Tarif mit Preis hat eine Rechnung. Bis zum Monatsende ist sie ein Entwurf.',
  draft: 'Entwurf',
  unpaid: 'unbezahlt',
  overdue: 'überfällig',
  paid: 'bezahlt',
  void: 'storniert',

  // One invoice.
  Used: 'Genutzt',
  Included: 'Enthalten',
  Price: 'Preis',
  '{price} for {unit}': '{price} für {unit}',
  Hours: 'Stunden',
  '{price} each': 'je {price}',
  '{hours} of {all}': '{hours} von {all}',
  Amounts: 'Beträge',
  'Due by {date}': 'Fällig am {date}',
  'Seller and buyer': 'Verkäufer und Käufer',
  Seller: 'Verkäufer',
  Buyer: 'Käufer',
  'VAT id {id}': 'USt-IdNr. {id}',
  Net: 'Netto',
  Tax: 'Steuer',
  'From the balance': 'Aus dem Guthaben',
  Paid: 'Bezahlt',
  'The invoice is correct': 'Die Rechnung stimmt',
  'Recalculated from the usage and plans of that month, it has the same lines and totals, and the ledger has exactly one entry for it.':
    'Aus Nutzung und Tarifen des Monats neu berechnet, hat sie dieselben Zeilen und Summen, und im Hauptbuch steht genau ein Eintrag für sie.',
  'The invoice does not match its usage and plans':
    'Die Rechnung entspricht nicht der Nutzung und den Tarifen',
  'The ledger has no matching entry for it.':
    'Im Hauptbuch gibt es keinen passenden Eintrag für sie.',
  'A draft changes until the month ends.': 'Ein Entwurf ändert sich bis zum Monatsende.',
  Verification: 'Prüfung',
  'Recalculates the invoice from the recorded usage and compares each line.':
    'Berechnet die Rechnung aus der aufgezeichneten Nutzung neu und vergleicht jede Zeile.',
  Lines: 'Zeilen',
  'Nothing was charged': 'Nichts wurde berechnet',
  'No plan had a price in this month.': 'Kein Tarif hatte in diesem Monat einen Preis.',

  // The balance.
  'The next invoice uses the balance first.':
    'Die nächste Rechnung wird zuerst mit dem Guthaben verrechnet.',
  'Add to the balance': 'Guthaben aufladen',
  'Nothing to pay': 'Nichts zu zahlen',
  'There is a balance once the workspace has had a paid plan.':
    'Ein Guthaben gibt es, sobald der Workspace einen kostenpflichtigen Tarif hatte.',
  'Prepaid balance': 'Guthaben',
  'Unpaid invoices': 'Unbezahlte Rechnungen',
  '{amount} is unpaid': '{amount} unbezahlt',
  'See the invoices': 'Zu den Rechnungen',
  'Change of the balance': 'Änderung des Guthabens',
  'Change of what is unpaid': 'Änderung des Unbezahlten',
  'Payment received': 'Zahlungseingang',
  Credit: 'Gutschrift',
  '{invoice}, voided': '{invoice}, storniert',
  Entries: 'Einträge',
  'No entries yet': 'Noch keine Einträge',
  'Invoices and payments appear here.': 'Hier erscheinen Rechnungen und Zahlungen.',

  // Paying.
  'Cards cannot be entered here: Stripe is not completely set up.':
    'Hier lassen sich keine Karten eingeben: Stripe ist nicht vollständig eingerichtet.',
  'How to pay': 'So bezahlen Sie',
  'No cards are charged here. Ask the operator of this service how to pay.':
    'Hier werden keine Karten belastet. Fragen Sie den Betreiber dieses Dienstes, wie Sie bezahlen können.',
  'No cards are charged here. Ask {seller} how to pay, and name the reference.':
    'Hier werden keine Karten belastet. Fragen Sie {seller}, wie Sie bezahlen können, und nennen Sie den Verwendungszweck.',
  Reference: 'Verwendungszweck',
  'What you pay counts as soon as the operator has recorded it.':
    'Ihre Zahlung zählt, sobald der Betreiber sie erfasst hat.',
  'The payment is being processed': 'Die Zahlung wird verarbeitet',
  'The bank asks the payer to confirm it': 'Die Bank verlangt eine Bestätigung',
  'The payment has failed': 'Die Zahlung ist fehlgeschlagen',
  '{amount} was not paid': '{amount} wurden nicht bezahlt',
  'Paying {amount}': 'Zahlung von {amount}',
  'Stripe has not decided yet. This page shows it as soon as it has.':
    'Stripe hat noch nicht entschieden. Diese Seite zeigt das Ergebnis, sobald es da ist.',
  'Paid {amount}': '{amount} bezahlt',
  'From the prepaid balance, {time}. Payment {id}': 'Aus dem Guthaben, {time}. Zahlung {id}',
  'From {card}, {time}. Payment {id}': 'Von {card}, {time}. Zahlung {id}',
  '{time}. Payment {id}': '{time}. Zahlung {id}',
  '{card} was added': '{card} wurde hinzugefügt',
  'Stripe confirms the card': 'Stripe bestätigt die Karte',
  'It appears in the list as soon as Stripe reports it.':
    'Sie steht in der Liste, sobald Stripe sie meldet.',

  Plans: 'Tarife',

  // Payments.
  'the balance': 'das Guthaben',
  'No payments yet': 'Noch keine Zahlungen',
  'Each attempt to pay appears here.': 'Hier erscheint jeder Zahlungsversuch.',
  begun: 'begonnen',
  'waits for the payer to confirm': 'wartet auf die Bestätigung des Zahlenden',
  'waits for the bank': 'wartet auf die Bank',
  'Card, by Stripe': 'Karte, über Stripe',
  'Payments from the balance appear here. What the operator records is shown by the invoice and the balance.':
    'Hier erscheinen Zahlungen aus dem Guthaben. Was der Betreiber erfasst, zeigen die Rechnung und das Guthaben.',
  refunded: 'erstattet',

  // Cards.
  'Remove {card}?': '{card} entfernen?',
  'It is no longer charged.': 'Sie wird nicht mehr belastet.',
  '{card} is charged from now on': 'Ab jetzt wird {card} belastet',
  'Make it the default': 'Als Standard festlegen',
  Card: 'Karte',
  Charged: 'Belastet',
  'by default': 'standardmäßig',
  'only if chosen': 'nur auf Wunsch',
  'No cards': 'Keine Karten',
  'An open invoice is paid by card. None is charged by itself.':
    'Offene Rechnungen zahlen Sie mit Karte. Automatisch wird nichts abgebucht.',

  // The data that could not be read.
  'The balance': 'Guthaben',
  'The invoice': 'Rechnung',
  'The plan': 'Tarif',
}
