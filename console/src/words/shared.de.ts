/** The German text of each English one; see translate.ts. */
export const german = {
  // Single words that many pages use; those that no page before the sign-in has are in frame.de.ts.
  Back: 'Zurück',
  Code: 'Code',
  Continue: 'Weiter',
  'E-mail': 'E-Mail',
  Password: 'Passwort',
  'Sign in': 'Anmelden',

  // Signing in.
  'API reference': 'API-Referenz',
  'Create an account': 'Konto anlegen',
  'Forgot your password?': 'Passwort vergessen?',
  'Many attempts were made for this account. Enter the code that was sent by e-mail, one of the authenticator, or a recovery code.':
    'Für dieses Konto gab es viele Versuche. Geben Sie den Code aus der E-Mail, einen Code der Authenticator-App oder einen Wiederherstellungscode ein.',
  'One of the ten that you were shown with the authenticator. It works once.':
    'Einer der zehn, die Sie mit der Authenticator-App erhalten haben. Jeder gilt einmal.',
  'Recovery code': 'Wiederherstellungscode',
  'Sign in to Mooring': 'Bei Mooring anmelden',
  'Sign in with a passkey': 'Mit Passkey anmelden',
  'Sign in with {label}': 'Mit {label} anmelden',
  'Stay signed in after that': 'Danach angemeldet bleiben',
  'Stay signed in on this device': 'Auf diesem Gerät angemeldet bleiben',
  'The six digits that your authenticator shows.': 'Die sechs Ziffern aus Ihrer Authenticator-App.',
  'Use a recovery code': 'Wiederherstellungscode verwenden',
  'Use the authenticator': 'Authenticator-App verwenden',
}
