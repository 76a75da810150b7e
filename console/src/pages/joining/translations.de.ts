/** The German text of each English one; see i18n/translate.ts. */
export const german = {
  // Links in mails, and what is said without one.
  'Go back to the message with the link and open it from there, or ask the person who invited you for a new one.':
    'Gehen Sie zurück zur Nachricht mit dem Link, und öffnen Sie ihn von dort, oder bitten Sie um eine neue Einladung.',
  'Go back to the e-mail and open the link from there.':
    'Gehen Sie zurück zur E-Mail, und öffnen Sie den Link von dort.',
  'Go back to the e-mail and open the link from there, or request a new one.':
    'Gehen Sie zurück zur E-Mail, und öffnen Sie den Link von dort, oder fordern Sie einen neuen an.',
  'Request a new link': 'Neuen Link anfordern',
  'This page has lost its link': 'Dieser Seite fehlt ihr Link',

  // An account: asking for it, and making it.
  'A link to continue is in the outbox of this installation, which sends no mail itself. It works once, within a day.':
    'Der Link zum Weitermachen liegt im Postausgang dieser Installation, die selbst keine E-Mails sendet. Er gilt einmal, einen Tag lang.',
  'A link to continue is on its way to {email}. It works once, within a day.':
    'Der Link zum Weitermachen ist unterwegs an {email}. Er gilt einmal, einen Tag lang.',
  'After you request a link, ask your operator for it.':
    'Fordern Sie einen Link an, und fragen Sie dann Ihren Betreiber danach.',
  'Ask a colleague to invite you to their workspace: the invitation makes your account.':
    'Lassen Sie sich in den Workspace eines Kollegen einladen: Mit der Einladung entsteht Ihr Konto.',
  'Ask the operator for the link.': 'Fragen Sie den Betreiber nach dem Link.',
  'Ask the operator of this installation for an account.':
    'Fragen Sie den Betreiber dieser Installation nach einem Konto.',
  'No e-mail is sent here.': 'Hier werden keine E-Mails gesendet.',
  'Sign-up is by invitation only.': 'Konten gibt es hier nur auf Einladung.',
  'Sign-up is closed.': 'Die Registrierung ist geschlossen.',
  'Look at your mail.': 'Sehen Sie in Ihr Postfach.',
  'Your name': 'Ihr Name',

  // A new password, a new address.
  'All sessions of your account have ended. If it has an authenticator, sign in with that too.':
    'Alle Sitzungen Ihres Kontos sind beendet. Hat es eine Authenticator-App, melden Sie sich auch damit an.',
  'Choose a new password': 'Neues Passwort wählen',
  'Confirm your new address': 'Neue Adresse bestätigen',
  'If there is an account for {email}, a link is in the outbox of this installation, which sends no mail itself. It works once, within an hour.':
    'Gibt es ein Konto für {email}, so liegt ein Link im Postausgang dieser Installation, die selbst keine E-Mails sendet. Er gilt einmal, eine Stunde lang.',
  'If there is an account for {email}, a link is on its way. It works once, within an hour.':
    'Gibt es ein Konto für {email}, so ist ein Link unterwegs. Er gilt einmal, eine Stunde lang.',
  'Request a reset link': 'Link anfordern',
  'Send the link': 'Link senden',
  'The address to which the link was sent becomes the one that you sign in with.':
    'Mit der Adresse, an die der Link ging, melden Sie sich künftig an.',
  'The link to a new password is sent there.':
    'Der Link zu einem neuen Passwort wird dorthin gesendet.',
  'Use the new address': 'Neue Adresse verwenden',
  'You sign in with it from now on. Both addresses get a mail that says so.':
    'Damit melden Sie sich ab jetzt an. Beide Adressen erhalten dazu eine E-Mail.',
  'Your address is {email}.': 'Ihre Adresse ist {email}.',
  'Your password is changed.': 'Ihr Passwort ist geändert.',

  // An invitation.
  'Ask the person who invited you for a new one.': 'Bitten Sie um eine neue Einladung.',
  Invitation: 'Einladung',
  'Join {workspace}': '{workspace} beitreten',
  'The invitation is for {email}.': 'Die Einladung ist für {email}.',
  'This invitation was used or withdrawn, has expired, or has a newer link.':
    'Diese Einladung wurde verwendet oder zurückgezogen, ist abgelaufen oder hat einen neueren Link.',
  'You have an account. Sign in, then join.':
    'Sie haben ein Konto. Melden Sie sich an, dann treten Sie bei.',

  // An identity provider.
  'Go to sign-in': 'Zur Anmeldung',
  'Sign in to it this once, the way that you are used to. From then on {label} signs you in.':
    'Melden Sie sich dieses eine Mal wie gewohnt an. Danach geht es mit {label}.',
  'Sign-in was not started here.': 'Die Anmeldung wurde nicht hier begonnen.',
  'Signing in with {label}': 'Anmeldung mit {label}',
  'Single sign-on': 'Single Sign-on',
  'Start again from the sign-in page.': 'Beginnen Sie noch einmal auf der Anmeldeseite.',
  'There is an account for this address': 'Für diese Adresse gibt es ein Konto',
  'There is an account for {email}': 'Für {email} gibt es ein Konto',

  // The first start.
  'Connect the first device': 'Erstes Gerät verbinden',
  'Holds devices, keys, rules and people: a company, a product or a site.':
    'Enthält Geräte, Schlüssel, Regeln und Personen: eine Firma, ein Produkt oder ein Standort.',
  'Invite colleagues': 'Kollegen einladen',
  'Mooring is already set up': 'Mooring ist schon eingerichtet',
  'Open the setup link from the log of the first start.':
    'Öffnen Sie den Einrichtungslink aus dem Log des ersten Starts.',
  'Set up': 'Einrichten',
  'Set up Mooring': 'Mooring einrichten',
  'Its short name in addresses, and the first level of all its topics. It can be changed until the first device exists.':
    'Sein kurzer Name in Adressen und die erste Ebene aller seiner Topics. Er lässt sich ändern, bis es das erste Gerät gibt.',
  'You are signed in. What to do next:': 'Sie sind angemeldet. Die nächsten Schritte:',
  'You sign in with it, and it gets what the service has to tell you.':
    'Damit melden Sie sich an, und dorthin schreibt der Dienst, wenn es etwas gibt.',
  'Your workspace is ready': 'Ihr Workspace ist bereit',

  // The data that could not be read.
  'The invitation': 'Einladung',
}
