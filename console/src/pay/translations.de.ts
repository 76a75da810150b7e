/** The German text of each English one; see i18n/translate.ts. */
export const german = {
  // The page, whatever is paid.
  'Back to Billing': 'Zurück zur Abrechnung',
  'Back to the invoice': 'Zurück zur Rechnung',
  'Cards cannot be used here': 'Karten sind hier nicht möglich',
  'For the workspace {name}. The card goes to Stripe, and never reaches this service.':
    'Für den Workspace {name}. Die Karte geht an Stripe und erreicht diesen Dienst nie.',
  'Go to Billing': 'Zur Abrechnung',
  'Go to your workspaces': 'Zu Ihren Workspaces',
  'It can be used for a quarter of an hour, and once. Billing shows whether a payment was made; open the page again from there.':
    'Sie gilt eine Viertelstunde lang und einmal. Ob gezahlt wurde, steht in der Abrechnung; öffnen Sie die Seite von dort aus erneut.',
  'Its host, js.stripe.com, cannot be reached, or something in this browser blocks it. Nothing was charged.':
    'Der Host js.stripe.com ist nicht erreichbar, oder etwas in diesem Browser blockiert ihn. Es wurde nichts abgebucht.',
  'Pay an invoice': 'Rechnung bezahlen',
  Payment: 'Zahlung',
  'The form of Stripe did not load': 'Das Formular von Stripe wurde nicht geladen',
  'The operator of this service takes payments by other means: the invoice says how.':
    'Der Betreiber dieses Dienstes nimmt Zahlungen auf andere Weise an: Auf der Rechnung steht, wie.',
  'Open it again from Billing.': 'Öffnen Sie sie neu aus der Abrechnung.',
  'This page has expired': 'Diese Seite ist abgelaufen',

  // The card.
  'Another card': 'Andere Karte',
  'Save the card': 'Karte speichern',
  'The bank has not confirmed the payment.': 'Die Bank hat die Zahlung nicht bestätigt.',
  'The card was not accepted.': 'Die Karte wurde nicht angenommen.',
  'The card was refused': 'Die Karte wurde abgelehnt',
  'The payment has failed.': 'Die Zahlung ist fehlgeschlagen.',
  'The prepaid balance': 'Das Guthaben',
  'Valid until {month}': 'Gültig bis {month}',

  // The invoice that is paid.
  'Amount in {currency}': 'Betrag in {currency}',
  'Invoice {number}: {amount} are due.': 'Rechnung {number}: {amount} sind fällig.',
  'It has {amount}.': 'Es beträgt {amount}.',
  Pay: 'Zahlen',
  'Pay with': 'Zahlen mit',
  'The balance is {amount}. Invoices use it first.':
    'Das Guthaben beträgt {amount}. Rechnungen werden zuerst damit verrechnet.',
  'The invoice is a draft.': 'Die Rechnung ist ein Entwurf.',
  'The invoice is open, with nothing due.': 'Die Rechnung ist offen, aber nichts ist fällig.',
  'The invoice is overdue, with nothing due.':
    'Die Rechnung ist überfällig, aber nichts ist offen.',
  'The invoice is paid.': 'Die Rechnung ist bezahlt.',
  'The invoice is void.': 'Die Rechnung ist storniert.',
  'The workspace has had no plan with prices.':
    'Der Workspace hatte noch keinen Tarif mit Preisen.',
  'There is no balance': 'Es gibt kein Guthaben',
  'There is nothing to pay': 'Es gibt nichts zu zahlen',
  'Type an amount.': 'Geben Sie einen Betrag ein.',
}
