/**
 * The German text of each English one; see translate.ts. Texts that only others need are in
 * frame.de.ts.
 */
export const german = {
  '{what} could not be read': 'Lesen fehlgeschlagen: {what}',
  'Not read: see above.': 'Nicht gelesen: siehe oben.',
  // Single words that many pages use.
  Back: 'Zurück',
  Code: 'Code',
  Command: 'Befehl',
  Continue: 'Weiter',
  'E-mail': 'E-Mail',
  Language: 'Sprache',
  Loading: 'Wird geladen',
  Password: 'Passwort',
  Reload: 'Neu laden',
  'Sign in': 'Anmelden',
  'Try again': 'Erneut versuchen',
  Workspaces: 'Workspaces',

  // Forms, and what is refused.
  '(optional)': '(optional)',
  Copied: 'Kopiert',
  Copy: 'Kopieren',
  'Copy the trace id': 'Trace-ID kopieren',
  'Caps lock is on.': 'Die Feststelltaste ist aktiv.',
  'Check what is marked.': 'Prüfen Sie die markierten Felder.',
  'Hide password': 'Passwort verbergen',
  'No response': 'Keine Antwort',
  'Nothing was saved. Close this, look at what is there now, and try again.':
    'Nichts wurde gespeichert. Schließen Sie dies, sehen Sie sich den neuen Stand an und versuchen Sie es erneut.',
  'Set up a second factor': 'Zweiten Faktor einrichten',
  'Show password': 'Passwort anzeigen',
  'Somebody else has changed it meanwhile': 'Jemand hat dies inzwischen geändert',
  'Something between this page and the service answered {status}.':
    'Etwas zwischen dieser Seite und dem Dienst hat mit {status} geantwortet.',
  'The service did not answer. What you typed is still here; try again.':
    'Der Dienst hat nicht geantwortet. Ihre Eingaben sind noch da; versuchen Sie es erneut.',
  'It is tried again by itself once live updates are back.':
    'Es wird automatisch erneut versucht, sobald die Live-Aktualisierung wieder da ist.',
  'It is tried again in {left} s.': 'Neuer Versuch in {left} s.',
  'It is tried again.': 'Ein neuer Versuch läuft.',
  'Try again in {left} s.': 'Erneuter Versuch in {left} s möglich.',
  'Try again now.': 'Versuchen Sie es jetzt erneut.',
  'Internal error': 'Interner Fehler',
  'Not available now': 'Gerade nicht verfügbar',
  'The service cannot answer for a moment. What it has saved is not lost.':
    'Der Dienst kann gerade nicht antworten. Was er gespeichert hat, ist nicht verloren.',
  'The service met an error.': 'Im Dienst ist ein Fehler aufgetreten.',
  'If it happens again, give the trace id to the operator of this service.':
    'Bleibt der Fehler, nennen Sie dem Betreiber dieses Dienstes die Trace-ID.',
  'Search the log of the service for this trace id.':
    'Suchen Sie im Log des Dienstes nach dieser Trace-ID.',
  'Trace id {id}': 'Trace-ID {id}',
  'What this means: {code}': 'Was das heißt: {code}',

  // Pages that cannot be shown.
  'It is a defect of the console. Nothing that the service has stored is lost.':
    'Das ist ein Fehler der Konsole. Was der Dienst gespeichert hat, ist nicht verloren.',
  'The link is old or mistyped.': 'Der Link ist veraltet oder falsch geschrieben.',
  'The service has another version by now, or it does not answer.':
    'Der Dienst hat inzwischen eine andere Version oder antwortet nicht.',
  'There is no such page': 'Diese Seite gibt es nicht',
  'This page could not be loaded': 'Diese Seite konnte nicht geladen werden',
  'This page has failed': 'Diese Seite ist fehlgeschlagen',

  // Passkeys.
  'No passkey was used': 'Es wurde kein Passkey verwendet',
  'Passkeys need a host name and HTTPS, and the address of this service has not both.':
    'Passkeys brauchen einen Hostnamen und HTTPS. Die Adresse dieses Dienstes hat nicht beides.',
  'Passkeys work at {origin}. Open the console there.':
    'Passkeys funktionieren unter {origin}. Öffnen Sie die Konsole dort.',
  'Reading whether passkeys can be used.': 'Es wird geprüft, ob Passkeys verwendet werden können.',
  'The browser says: {message}': 'Der Browser meldet: {message}',
  'This browser has no passkeys.': 'Dieser Browser unterstützt keine Passkeys.',
  'This device or password manager has a passkey of your account already.':
    'Dieses Gerät oder dieser Passwortmanager hat schon einen Passkey für Ihr Konto.',
  'You have cancelled it, it took too long, or there is no passkey on this device.':
    'Sie haben abgebrochen, es hat zu lange gedauert, oder auf diesem Gerät ist kein Passkey.',

  // Signing in.
  'API reference': 'API-Referenz',
  'Create account': 'Konto anlegen',
  'Forgot your password?': 'Passwort vergessen?',
  'Many attempts were made for this account. Enter the code that was sent by e-mail, one of the authenticator, or a recovery code.':
    'Für dieses Konto gab es viele Versuche. Geben Sie den Code aus der E-Mail, einen Code der Authenticator-App oder einen Wiederherstellungscode ein.',
  'One of the ten that you were shown with the authenticator. It works once.':
    'Einer der zehn, die Sie mit der Authenticator-App erhalten haben. Jeder gilt einmal.',
  'Recovery code': 'Wiederherstellungscode',
  'Sign in to Mooring': 'Bei Mooring anmelden',
  'Sign in with a passkey': 'Mit Passkey anmelden',
  'Sign in with {label}': 'Mit {label} anmelden',
  'Set one up in your account, or sign in again with yours.':
    'Richten Sie einen in Ihrem Konto ein oder melden Sie sich mit Ihrem neu an.',
  'Stay signed in on this device': 'Auf diesem Gerät angemeldet bleiben',
  'The six digits that your authenticator shows.': 'Die sechs Ziffern aus Ihrer Authenticator-App.',
  'Use a recovery code': 'Wiederherstellungscode verwenden',
  'Use the authenticator': 'Authenticator-App verwenden',
}
