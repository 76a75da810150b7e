/** The German text of each English one; see i18n/translate.ts. */
export const german = {
  // Roles.
  'Everything. Only owners make other owners, require second factors, pay, and delete the workspace.':
    'Alles. Nur Inhaber ernennen weitere Inhaber, verlangen zweite Faktoren, bezahlen und löschen den Workspace.',
  'Manages people up to admin, API keys, webhooks and domains, reads the audit log, and all that a member may.':
    'Verwaltet Personen bis zum Administrator, API-Schlüssel, Webhooks und Domains, liest das Audit-Protokoll und darf alles, was ein Mitglied darf.',
  'Only owners and admins may.': 'Nur Inhaber und Administratoren dürfen das.',
  'Only owners may.': 'Nur Inhaber dürfen das.',
  'Reads devices, templates and jobs. Changes nothing.':
    'Liest Geräte, Vorlagen und Aufträge. Ändert nichts.',
  'Works with devices, templates, jobs and MQTT. No API keys, people or money.':
    'Arbeitet mit Geräten, Vorlagen, Aufträgen und MQTT. Keine API-Schlüssel, Personen oder Zahlungen.',
  'Your role here is {role}. Only owners and admins may do this.':
    'Ihre Rolle hier ist {role}. Nur Inhaber und Administratoren dürfen das.',

  // Members.
  'The keys and logins of this person are not known.':
    'Die Schlüssel und MQTT-Zugänge dieser Person sind nicht bekannt.',
  'It is not known what ends with your rights.':
    'Es ist nicht bekannt, was mit Ihren Rechten endet.',
  'Change role': 'Rolle ändern',
  'Change role…': 'Rolle ändern…',
  'Invitations are not shown. {why}': 'Einladungen werden nicht angezeigt. {why}',
  Joined: 'Beigetreten',
  Leave: 'Verlassen',
  'Leave {name}?': '{name} verlassen?',
  'Leave…': 'Verlassen…',
  'More about {name}': 'Mehr zu {name}',
  'No members': 'Keine Mitglieder',
  'Nobody is here.': 'Hier ist niemand.',
  Person: 'Person',
  'Remove {name}?': '{name} entfernen?',
  'Role of {name}': 'Rolle von {name}',
  'If some of it is in use, let a colleague remove you: they can keep it.':
    'Wird etwas davon noch gebraucht, lassen Sie sich von einem Kollegen entfernen: Er kann es behalten.',
  'You are the only owner. Make somebody else an owner, or delete the workspace.':
    'Sie sind der einzige Inhaber. Machen Sie jemand anderen zum Inhaber, oder löschen Sie den Workspace.',
  'This is the current role.': 'Das ist die aktuelle Rolle.',
  'You lose access at once, and need an invitation to come back.':
    'Sie verlieren den Zugriff sofort und brauchen eine Einladung, um zurückzukehren.',
  you: 'Sie',
  '{name} is removed': '{name} ist entfernt',
  '{name} is {role} now': '{name} ist jetzt {role}',
  '{name} loses access with the next request. Devices, templates and everything else stay.':
    '{name} verliert den Zugriff mit der nächsten Anfrage. Geräte, Vorlagen und alles andere bleiben.',

  // The resources that people have created.
  Also: 'Außerdem',
  'Invitations revoked': 'Einladungen widerrufen',
  Keep: 'Behalten',
  'Keys kept': 'Schlüssel behalten',
  'Keys revoked': 'Schlüssel widerrufen',
  'Keys revoked permanently': 'Schlüssel, endgültig widerrufen',
  'MQTT logins kept': 'MQTT-Zugänge behalten',
  'MQTT logins suspended': 'MQTT-Zugänge gesperrt',
  'No live keys of theirs': 'Keine gültigen Schlüssel dieser Person',
  'No live keys of yours': 'Keine gültigen Schlüssel von Ihnen',
  'You have created no key and no MQTT login that is active, and no webhook that is enabled. Invitations that you have sent are revoked.':
    'Sie haben keinen aktiven Schlüssel, keinen aktiven MQTT-Zugang und keinen aktivierten Webhook angelegt. Einladungen, die Sie verschickt haben, werden widerrufen.',
  'none among the first {n}': 'keine unter den ersten {n}',
  '{names}, and more': '{names} und weitere',
  'Nothing else has ended.': 'Sonst ist nichts beendet.',
  'Platform keys': 'Plattformschlüssel',
  'Provision keys': 'Provisionierungsschlüssel',
  'These end with their rights': 'Das endet mit den Rechten der Person',
  'They have created no key and no MQTT login that is active. Webhooks that they have created are disabled.':
    'Die Person hat keinen aktiven Schlüssel und keinen aktiven MQTT-Zugang angelegt. Webhooks, die sie angelegt hat, werden deaktiviert.',
  'They may still know what stays: replace it soon.':
    'Die Person kennt vielleicht noch, was bleibt: Ersetzen Sie es bald.',
  'Webhooks disabled': 'Webhooks deaktiviert',
  'What you have created ends with it': 'Was Sie angelegt haben, endet damit',
  'Webhooks kept': 'Webhooks behalten',
  'platform keys': 'Plattformschlüssel',
  'provision keys': 'Provisionierungsschlüssel',
  webhooks: 'Webhooks',
  'what these keys have created, and invitations that you have sent':
    'was diese Schlüssel angelegt haben, und Einladungen, die Sie verschickt haben',
  'what these keys have created, and webhooks of theirs':
    'was diese Schlüssel angelegt haben, und Webhooks der Person',

  // Invitations.
  'A link that was handed over before stops working. The new one is shown once, and the audit log records that you have seen it.':
    'Ein früher übergebener Link verfällt. Der neue wird nur einmal angezeigt, und das Audit-Protokoll hält fest, dass Sie ihn gesehen haben.',
  'A new link for {email}?': 'Neuer Link für {email}?',
  'Create a new link': 'Neuen Link erzeugen',
  'New link…': 'Neuer Link…',
  'An invitation is a link that works once, for the invited address only.':
    'Eine Einladung ist ein Link, der einmal gilt und nur für die eingeladene Adresse.',
  'Invitations are not e-mailed: there is no mail server':
    'Einladungen werden nicht per E-Mail gesendet: Es gibt keinen Mailserver',
  'Press New link… and give the link to the person.':
    'Drücken Sie „Neuer Link…“, und geben Sie den Link der Person.',
  'Revoke…': 'Widerrufen…',
  'Invitation revoked': 'Einladung widerrufen',
  'It works once, until {time}. Hand it to {email} only: the person who opens it joins.':
    'Er gilt einmal, bis {time}. Geben Sie ihn nur {email}: Wer ihn öffnet, tritt bei.',
  'Its link stops. You can invite the address again.':
    'Ihr Link verfällt. Sie können die Adresse wieder einladen.',
  'Link for {email}': 'Link für {email}',
  'Nobody is invited': 'Niemand ist eingeladen',
  'Pending invitations': 'Offene Einladungen',
  'Revoke the invitation of {email}?': 'Einladung von {email} widerrufen?',

  // Inviting people.
  'Each person gets a mail with a link.': 'Jede Person erhält eine E-Mail mit einem Link.',
  'For those without a link, create one in the list of pending invitations.':
    'Wo ein Link fehlt, erzeugen Sie einen in der Liste der offenen Einladungen.',
  'No mail is sent. You get a link for each person, to hand over.':
    'Es wird keine E-Mail gesendet. Sie erhalten für jede Person einen Link zum Übergeben.',
  '1 person invited': '1 Person eingeladen',
  '1 person not invited': '1 Person nicht eingeladen',
  '30 days': '30 Tage',
  'A mail with a link goes to {emails}.': 'Eine E-Mail mit einem Link geht an {emails}.',
  'Copy all with their addresses': 'Alle mit Adressen kopieren',
  'Correct those not invited': 'Nicht eingeladene korrigieren',
  'E-mail addresses': 'E-Mail-Adressen',
  'Enter at least one address': 'Geben Sie mindestens eine Adresse ein',
  Invite: 'Einladen',
  'Invite people': 'Personen einladen',
  'Invite {n} people': '{n} Personen einladen',
  'No mail server sends the links: hand each person their own. Each works once. The list of pending invitations makes another.':
    'Kein Mailserver verschickt die Links: Geben Sie jeder Person ihren eigenen. Jeder gilt einmal. Die Liste der offenen Einladungen erzeugt weitere.',
  'Not an e-mail address: {addresses}': 'Keine E-Mail-Adresse: {addresses}',
  'Separated by commas, spaces or lines.': 'Getrennt durch Kommas, Leerzeichen oder Zeilen.',
  'The links work for': 'Gültigkeit der Links',
  'a day': 'ein Tag',
  'a week': 'eine Woche',
  '{done} of 1 person': '{done} von 1 Person',
  '{done} of {n} people': '{done} von {n} Personen',
  '{n} people invited': '{n} Personen eingeladen',
  '{n} people not invited': '{n} Personen nicht eingeladen',
  '{text}: no address': '{text}: keine Adresse',
}
