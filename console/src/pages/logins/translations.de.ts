/** The German text of each English one; see translations.ts. */
export const german = {
  // The list, and a new login.
  expired: 'abgelaufen',
  'Last connection': 'Letzte Verbindung',
  'Create an MQTT login': 'MQTT-Zugang anlegen',
  'No logins yet': 'Noch keine Zugänge',
  'A login is for a program that is no device, such as a backend, a dashboard or a bridge. Its rules say on which topics it may publish and receive.':
    'Ein Zugang ist für ein Programm, das kein Gerät ist, zum Beispiel ein Backend, ein Dashboard oder eine Bridge. Seine Regeln legen fest, auf welchen Topics das Programm veröffentlichen und welche es abonnieren darf.',
  'Of the program that uses it, such as a dashboard or a bridge.':
    'Der Name des Programms, das ihn nutzt, etwa ein Dashboard oder eine Bridge.',
  'Its password is shown once, in the next step. It may connect at once, and do nothing until you add rules.':
    'Das Passwort wird nur einmal angezeigt, im nächsten Schritt. Der Zugang darf sich sofort verbinden, aber nichts tun, bis Sie Regeln hinzufügen.',

  // Its password.
  'The service keeps only a hash of it. Next, its rules say what it may do.':
    'Der Dienst speichert davon nur einen Hash. Als Nächstes legen die Regeln fest, was der Zugang darf.',
  'Password of {name}': 'Passwort von {name}',
  'It may subscribe once a rule allows it.':
    'Der Zugang darf abonnieren, sobald eine Regel es erlaubt.',
  'Rotate password': 'Passwort erneuern',
  'Rotate password…': 'Passwort erneuern…',
  'Rotate password of {name}?': 'Passwort von {name} erneuern?',
  'It gets a second password. The current one works until the new one is used for the first time, so nothing is interrupted. The new one is shown once, in the next step.':
    'Er erhält ein zweites Passwort. Das aktuelle gilt, bis das neue zum ersten Mal verwendet wird; nichts wird unterbrochen. Das neue wird nur einmal angezeigt, im nächsten Schritt.',
  'The old password works until this one is used for the first time.':
    'Das alte Passwort gilt, bis dieses zum ersten Mal verwendet wird.',
  'Reset password': 'Passwort zurücksetzen',
  'Reset password…': 'Passwort zurücksetzen…',
  'Reset password of {name}?': 'Passwort von {name} zurücksetzen?',
  'All its current passwords stop now, and its sessions end. A new one is shown once, in the next step.':
    'Alle aktuellen Passwörter gelten sofort nicht mehr, und seine Sitzungen enden. Ein neues wird nur einmal angezeigt, im nächsten Schritt.',
  'All older passwords have stopped.': 'Alle älteren Passwörter gelten nicht mehr.',

  // The actions on it.
  'Its rules': 'Regeln des Zugangs',
  'Suspend {name}?': '{name} sperren?',
  'Its sessions end now, and it is refused until it is resumed.':
    'Seine Sitzungen enden jetzt, und er wird abgelehnt, bis er entsperrt wird.',
  Resume: 'Entsperren',
  'Resume {name}?': '{name} entsperren?',
  'It may connect again.': 'Er darf sich wieder verbinden.',
  'Disconnect {name}?': '{name} trennen?',
  'Delete {name}?': '{name} löschen?',
  'Its sessions end now, and it is deleted permanently, with its rules.':
    'Seine Sitzungen enden jetzt, und er wird mit seinen Regeln endgültig gelöscht.',

  // One login.
  'Parts of the login': 'Teile des Zugangs',
  'Name and expiry': 'Name und Ablauf',
  'Its user name.': 'Der Benutzername.',
  'It was shown once; “Rotate password…” makes another.':
    'Es wurde einmal angezeigt; „Passwort erneuern…“ erstellt ein neues.',
  'See its connections': 'Verbindungen ansehen',
  'Each attempt to connect appears here, accepted or refused, with its reason.':
    'Hier erscheint jeder Verbindungsversuch, angenommen oder abgelehnt, mit seinem Grund.',

  // The data that could not be read.
  'The MQTT login': 'MQTT-Zugang',
}
