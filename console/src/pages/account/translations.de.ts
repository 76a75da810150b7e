/** The German text of each English one; see i18n/translate.ts. */
export const german = {
  // The texts that several of these pages show.
  you: 'Sie',

  // Profile.
  'Changes with the setting of this device.': 'Richtet sich nach der Einstellung dieses Geräts.',
  Dark: 'Dunkel',
  'In this browser': 'In diesem Browser',
  'Language of the console, in this browser': 'Sprache der Konsole in diesem Browser',
  Light: 'Hell',
  'Match system': 'Wie das System',
  'Save name': 'Namen speichern',
  'Changing it reloads the page. E-mails and some details of errors are in English.':
    'Beim Ändern wird die Seite neu geladen. E-Mails und manche Einzelheiten von Fehlern sind auf Englisch.',
  Theme: 'Farbschema',
  'Shown to colleagues next to your actions.': 'Ihre Kollegen sehen ihn neben dem, was Sie tun.',
  'Your name is changed': 'Ihr Name ist geändert',

  // The address.
  'Enter an address first.': 'Geben Sie zuerst eine Adresse ein.',
  'New address': 'Neue Adresse',
  'Open the link in the mail to {email}.': 'Öffnen Sie den Link in der E-Mail an {email}.',
  'Open the link that is written for {email}.':
    'Öffnen Sie den Link, der für {email} geschrieben wurde.',
  'Send confirmation link': 'Bestätigungslink senden',
  'You keep signing in with the present address until you open the link. It works once, within a day; your current address gets a mail about the request.':
    'Bis dahin bleibt alles, wie es ist. Der Link gilt einmal und einen Tag lang; Ihre aktuelle Adresse wird über die Anfrage informiert.',
  'You sign in as {email}.': 'Sie melden sich als {email} an.',

  // Deleting the account.
  'Delete my account': 'Mein Konto löschen',
  'Delete my account…': 'Mein Konto löschen…',
  'Delete your account?': 'Ihr Konto löschen?',
  'Nobody can restore the account. The address can be used for another one.':
    'Niemand kann das Konto wiederherstellen. Die Adresse ist für ein anderes Konto frei.',
  'API keys revoked permanently': 'API-Schlüssel, endgültig widerrufen',
  'MQTT logins suspended': 'MQTT-Zugänge gesperrt',
  'People of {name}': 'Personen von {name}',
  'You are the only owner of {names}. Make somebody else an owner there, or delete the workspace.':
    'Sie sind der einzige Inhaber von {names}. Machen Sie dort jemand anderen zum Inhaber, oder löschen Sie den Workspace.',
  'You are signed out everywhere and leave all workspaces. API keys that you have created there are revoked permanently, MQTT logins are suspended and webhooks disabled: colleagues who need them can remove you from the workspace first, and keep them.':
    'Sie werden überall abgemeldet und verlassen alle Workspaces. API-Schlüssel, die Sie dort angelegt haben, werden endgültig widerrufen, MQTT-Zugänge gesperrt und Webhooks deaktiviert. Kollegen, die sie brauchen, können Sie vorher aus dem Workspace entfernen und sie behalten.',
  'You have left all workspaces.': 'Sie haben alle Workspaces verlassen.',
  'Your account is deleted': 'Ihr Konto ist gelöscht',
  'A mail to the address confirms it.': 'Eine E-Mail an die Adresse bestätigt es.',
  'Your name, address, password and sessions are erased. The address can be used for another account.':
    'Name, Adresse, Passwort und Sitzungen sind gelöscht. Die Adresse ist für ein anderes Konto frei.',
  'Your name, address, password and sessions are erased. The audit logs of your workspaces keep what you did, under the id of a deleted account.':
    'Name, Adresse, Passwort und Sitzungen werden gelöscht. Die Audit-Protokolle Ihrer Workspaces behalten, was Sie getan haben, unter der ID eines gelöschten Kontos.',

  // The authenticator.
  '1. Scan this with your authenticator': '1. Mit der Authenticator-App scannen',
  '2. Enter the code that it shows': '2. Den angezeigten Code eingeben',
  'An app on your phone shows a code that changes every 30 seconds. With it, a password that somebody else has learned is not enough to sign in as you.':
    'Eine App auf Ihrem Smartphone zeigt einen Code, der alle 30 Sekunden wechselt. Dann genügt Ihr Passwort allein niemandem, um sich an Ihrer Stelle anzumelden.',
  'From then on your password alone signs in. Its recovery codes stop, your other sessions end, and workspaces that require a second factor are closed to you until you enrol another one.':
    'Danach genügt zum Anmelden das Passwort. Die Wiederherstellungscodes verfallen, Ihre anderen Sitzungen enden, und Workspaces, die einen zweiten Faktor verlangen, bleiben Ihnen verschlossen, bis Sie einen neuen einrichten.',
  'QR code of the secret for {email}': 'QR-Code des Geheimnisses für {email}',
  'Remove the authenticator?': 'Authenticator-App entfernen?',
  Renew: 'Erneuern',
  'Renew recovery codes…': 'Wiederherstellungscodes erneuern…',
  'Renew the recovery codes?': 'Wiederherstellungscodes erneuern?',
  'Renew them before the last one is used.': 'Erneuern Sie sie, bevor der letzte verbraucht ist.',
  Secret: 'Geheimnis',
  'Signing in asks for the code that your authenticator shows. {left} of 10 recovery codes are unused; each works once, if the authenticator is not at hand.':
    'Beim Anmelden wird der Code Ihrer Authenticator-App verlangt. Nicht verwendete Wiederherstellungscodes: {left} von 10. Jeder gilt einmal, falls Sie die App nicht zur Hand haben.',
  'The authenticator is removed': 'Die Authenticator-App ist entfernt',
  'Turn on': 'Einschalten',
  'You get ten new ones. The current ones stop working, and your other sessions end.':
    'Sie erhalten zehn neue. Die aktuellen verfallen, und Ihre anderen Sitzungen enden.',
  'Your other sessions end then: they were opened without it.':
    'Ihre anderen Sitzungen enden dann: Sie wurden ohne die App geöffnet.',
  'Your other sessions have ended.': 'Ihre anderen Sitzungen sind beendet.',
  off: 'aus',
  on: 'ein',
  'or type the secret into it': 'oder das Geheimnis dort eintippen',
  '{n} recovery code is left.': '{n} Wiederherstellungscode ist übrig.',
  '{n} recovery codes are left.': '{n} Wiederherstellungscodes sind übrig.',

  // Recovery codes.
  'Each signs you in once, if your authenticator is not at hand. Keep them apart from your phone.':
    'Mit jedem melden Sie sich einmal an, falls Sie die Authenticator-App nicht zur Hand haben. Bewahren Sie sie getrennt vom Smartphone auf.',
  'Recovery codes of {email} for Mooring at {host}':
    'Wiederherstellungscodes von {email} für Mooring auf {host}',
  'Your recovery codes': 'Ihre Wiederherstellungscodes',

  // Identity providers.
  'All other sessions have ended.': 'Alle anderen Sitzungen sind beendet.',
  'It does not sign you in any more, and all other sessions end. Be sure that you have a password or a passkey: a link that sets a password comes by mail.':
    'Sie können sich nicht mehr damit anmelden, und alle anderen Sitzungen enden. Stellen Sie sicher, dass Sie ein Passwort oder einen Passkey haben: Einen Link, der ein Passwort setzt, erhalten Sie per E-Mail.',
  'No provider is linked. Choose one on the sign-in page: it is linked once you have signed in to this account there.':
    'Kein Anbieter ist verknüpft. Wählen Sie einen auf der Anmeldeseite: Er wird verknüpft, sobald Sie sich dort bei diesem Konto angemeldet haben.',
  'Single sign-on': 'Single Sign-on',
  Unlink: 'Trennen',
  'Unlink {provider}?': '{provider} trennen?',
  Unlinked: 'Getrennt',
  'Unlink…': 'Trennen…',
  '{email}, last used {time}': '{email}, zuletzt verwendet {time}',

  // Passwords.
  'At least {fewest} characters, because the account has an authenticator.':
    'Mindestens {fewest} Zeichen, weil das Konto eine Authenticator-App hat.',
  'At least {fewest} characters, or 12 with an authenticator.':
    'Mindestens {fewest} Zeichen, oder 12 mit einer Authenticator-App.',
  'A phrase of a few words is easy to remember.':
    'Ein Satz aus ein paar Wörtern lässt sich leicht merken.',
  '{length} so far.': 'Bisher {length}.',
  'Change your password': 'Passwort ändern',
  'Change password and continue': 'Passwort ändern und weiter',
  'Choose a password of your own': 'Eigenes Passwort wählen',
  'Current password': 'Aktuelles Passwort',
  'End all other sessions': 'Alle anderen Sitzungen beenden',
  'One other session has ended.': 'Eine andere Sitzung ist beendet.',
  'Password that you were given': 'Passwort, das Sie erhalten haben',
  'Your password was set for you, and others may have seen it.':
    'Ihr Passwort wurde für Sie gesetzt; andere können es gesehen haben.',
  'Your password is changed': 'Ihr Passwort ist geändert',
  'All other browsers and devices of this account have to sign in again.':
    'Alle anderen Browser und Geräte dieses Kontos müssen sich neu anmelden.',
  '{n} other sessions have ended.': '{n} andere Sitzungen sind beendet.',

  // Passkeys.
  'A passkey signs you in without your password. Your device asks for your fingerprint, your face or a PIN, so it counts as a second factor too. It works on this site only: a page that imitates this one gets nothing.':
    'Mit einem Passkey melden Sie sich ohne Passwort an. Ihr Gerät verlangt Fingerabdruck, Gesicht oder PIN, deshalb zählt er auch als zweiter Faktor. Er gilt nur auf dieser Website: Eine nachgeahmte Seite erhält nichts.',
  'Add a passkey': 'Passkey hinzufügen',
  'Added {time}, last used {used}': 'Hinzugefügt {time}, zuletzt verwendet {used}',
  'Added {time}, never used': 'Hinzugefügt {time}, nie verwendet',
  'By which you will know it in this list.': 'Daran erkennen Sie ihn in dieser Liste.',
  'Delete it on the device as well.': 'Löschen Sie ihn auch auf dem Gerät.',
  'It does not sign in any more, and other sessions in which it was used end now. Workspaces that require a second factor are closed to this session until you prove another one.':
    'Er meldet nicht mehr an, und andere Sitzungen, in denen er verwendet wurde, enden jetzt. Workspaces, die einen zweiten Faktor verlangen, bleiben dieser Sitzung verschlossen, bis Sie einen anderen nachweisen.',
  'It signs you in from now on, without your password.':
    'Ab jetzt melden Sie sich damit ohne Passwort an.',
  'Remove {name}?': '{name} entfernen?',
  'Rename the passkey': 'Passkey umbenennen',
  'Rename {name}': '{name} umbenennen',
  'The name on the device stays as it is.': 'Der Name auf dem Gerät bleibt, wie er ist.',
  'The passkey is added': 'Der Passkey ist hinzugefügt',
  'The passkey is removed': 'Der Passkey ist entfernt',
  'Your browser asks where to keep it: on this device, on a phone, in a password manager or on a security key.':
    'Ihr Browser fragt, wo er aufbewahrt wird: auf diesem Gerät, auf einem Smartphone, in einem Passwortmanager oder auf einem Sicherheitsschlüssel.',

  // Sessions.
  'A session that you do not know? End it, then change your password under {page}.':
    'Eine Sitzung, die Sie nicht kennen? Beenden Sie sie und ändern Sie dann Ihr Passwort unter {page}.',
  'Each sign-in opens one.': 'Jede Anmeldung öffnet eine.',
  End: 'Beenden',
  'End all other sessions?': 'Alle anderen Sitzungen beenden?',
  'End all others…': 'Alle anderen beenden…',
  'End the session of {device}': 'Sitzung von {device} beenden',
  'End {n} session': '{n} Sitzung beenden',
  'End {n} sessions': '{n} Sitzungen beenden',
  'Last active': 'Zuletzt aktiv',
  'No session': 'Keine Sitzung',
  'One session ends now: its browser or device has to sign in again. This browser stays signed in.':
    'Eine Sitzung endet jetzt: ihr Browser oder Gerät muss sich neu anmelden. Dieser Browser bleibt angemeldet.',
  'Signed in': 'Angemeldet',
  'Signed in with': 'Angemeldet mit',
  'The session has ended': 'Die Sitzung ist beendet',
  'The sessions are not read.': 'Die Sitzungen sind nicht gelesen.',
  'There is no other session.': 'Es gibt keine andere Sitzung.',
  'Two factors': 'Zwei Faktoren',
  Unknown: 'Unbekannt',
  'this browser': 'dieser Browser',
  '{n} session has ended': '{n} Sitzung ist beendet',
  '{n} sessions end now: their browsers and devices have to sign in again. This browser stays signed in.':
    '{n} Sitzungen enden jetzt: ihre Browser und Geräte müssen sich neu anmelden. Dieser Browser bleibt angemeldet.',
  '{n} sessions have ended': '{n} Sitzungen sind beendet',
  '{program} on {system}': '{program} auf {system}',

  // The command line.
  'Command line': 'Kommandozeile',
  'This page signs in the {mooring} command line.':
    'Diese Seite meldet die Kommandozeile {mooring} an.',
  'Copy the whole link from the terminal, or start again there:':
    'Kopieren Sie den ganzen Link aus dem Terminal oder beginnen Sie dort neu:',
  'Go back to your terminal. You can close this page.':
    'Kehren Sie zum Terminal zurück. Diese Seite können Sie schließen.',
  'It says that it runs on {host}. If you allow it, it acts as {you}, with all your rights, until you end its session under {page}.':
    'Sie läuft nach eigener Angabe auf {host}. Wenn Sie zustimmen, handelt sie als {you}, mit allen Ihren Rechten, bis Sie ihre Sitzung unter {page} beenden.',
  'Only if you have just typed mooring login':
    'Nur, wenn Sie gerade mooring login eingegeben haben',
  Refuse: 'Ablehnen',
  'Somebody who has sent you a link to this page wants your account.':
    'Wer Ihnen einen Link zu dieser Seite geschickt hat, will in Ihr Konto.',
  'The codes are the same: allow': 'Die Codes sind gleich: zulassen',
  'The command line asks to sign in': 'Die Kommandozeile möchte sich anmelden',
  'The command line has not signed in': 'Die Kommandozeile ist nicht angemeldet.',
  'The command line has signed in': 'Die Kommandozeile ist angemeldet.',
  'The link from the terminal is incomplete': 'Der Link aus dem Terminal ist unvollständig',
  'You can close this page.': 'Sie können diese Seite schließen.',
  'Your terminal shows a code, too. Is it {code}?':
    'Auch Ihr Terminal zeigt einen Code. Ist es {code}?',
  'this computer': 'diesem Computer',

  // The data that could not be read.
  'Your linked identities': 'Verknüpfte Identitäten',
}
