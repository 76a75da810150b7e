/** The German text of each English one; see translations.ts. */
export const german = {
  // The waves.
  'no wave has begun': 'noch keine Welle hat begonnen',
  'a later wave asks it': 'kommt in einer späteren Welle an die Reihe',
  'asked only if the rotation is resumed': 'wird nur aufgefordert, wenn es weitergeht',
  'not asked; the rotation was cancelled': 'nicht aufgefordert; die Erneuerung wurde abgebrochen',
  'not asked; the rotation has failed': 'nicht aufgefordert; die Erneuerung ist fehlgeschlagen',
  'not asked; the rotation is completed': 'nicht aufgefordert; die Erneuerung ist abgeschlossen',
  'the rotation has ended; if it rotates later, it does not appear here':
    'die Erneuerung ist beendet; erneuert es später, erscheint das hier nicht',
  'it gets the command as soon as it connects, which it cannot without credentials':
    'erhält den Befehl, sobald es sich verbindet; ohne Zugangsdaten kann es das nicht',
  'counts as failed unless it uses a new password by {time}':
    'gilt als fehlgeschlagen, wenn es nicht bis {time} ein neues Passwort verwendet',
  'What happens now': 'Wie es weitergeht',
  'Wave {wave} of {waves}: all devices were asked.':
    'Welle {wave} von {waves}: Alle Geräte wurden aufgefordert.',
  'Wave {wave} of {waves}. Once all its devices have confirmed or failed, the next wave starts {pause} later. It waits at most {within} for devices that are offline.':
    'Welle {wave} von {waves}. Sobald jedes ihrer Geräte bestätigt hat oder fehlgeschlagen ist, beginnt {pause} später die nächste. Auf Geräte, die offline sind, wartet sie höchstens {within}.',
  // The list, and a new campaign.
  '{n} of {total}': '{n} von {total}',
  '{n} of {total} confirmed': '{n} von {total} bestätigt',
  Wave: 'Welle',
  Confirmed: 'Bestätigt',
  'Start a rotation': 'Zugangsdaten erneuern',
  'No rotations yet': 'Noch keine Erneuerungen',
  'A rotation asks many devices for new credentials, some at a time, and halts by itself if too many fail.':
    'Eine Erneuerung fordert viele Geräte nach und nach auf, ihre Zugangsdaten zu erneuern, und hält von selbst an, wenn es bei zu vielen fehlschlägt.',
  'As in the list of devices: status = active AND tags.floor = ground. Empty: all of them.':
    'Wie in der Geräteliste: status = active AND tags.floor = ground. Leer: alle.',
  'Wave size, in per cent of the devices': 'Größe einer Welle, in Prozent der Geräte',
  'Minutes between waves': 'Minuten zwischen den Wellen',
  'Minutes to use the new password, once online':
    'Minuten Frist für das neue Passwort, sobald online',
  'Halts when more than this many per cent fail':
    'Anhalten, wenn mehr als so viel Prozent fehlschlagen',
  '{n} device will be asked, in waves. Each keeps its old password until it has used the new one, so none is locked out.':
    '{n} Gerät wird aufgefordert, in Wellen. Jedes behält sein altes Passwort, bis es das neue verwendet hat; keines wird ausgesperrt.',
  '{n} devices will be asked, in waves. Each keeps its old password until it has used the new one, so none is locked out.':
    '{n} Geräte werden aufgefordert, in Wellen. Jedes behält sein altes Passwort, bis es das neue verwendet hat; keines wird ausgesperrt.',

  '1 of them is decommissioned, and counts as failed.':
    '1 davon ist ausgemustert und zählt als fehlgeschlagen.',
  '{n} of them are decommissioned, and count as failed.':
    '{n} davon sind ausgemustert und zählen als fehlgeschlagen.',
  'A wave has 1 device: the first failure halts it.':
    'Eine Welle hat 1 Gerät: Der erste Fehlschlag hält die Erneuerung an.',
  'All in 1 wave.': 'Alle in 1 Welle.',
  'At least one device.': 'Mindestens ein Gerät.',
  'Later it counts as failed. A wave waits as long for devices that are offline.':
    'Später zählt das Gerät als fehlgeschlagen. So lange wartet eine Welle auch auf Geräte, die offline sind.',
  'Leave them out': 'Weglassen',
  'Of the devices that have ended. Then no further one is asked until you resume.':
    'Von den Geräten, die fertig sind. Danach wird keines mehr aufgefordert, bis Sie fortsetzen.',
  'The first wave has {size} devices: 1 failure in it halts it.':
    'Die erste Welle hat {size} Geräte: 1 Fehlschlag darin hält die Erneuerung an.',
  'The next wave begins this long after the one before has ended.':
    'So lange nach dem Ende einer Welle beginnt die nächste.',
  '{waves} waves of {size} each. The pauses between them take {minutes} min.':
    '{waves} Wellen zu je {size}. Die Pausen dazwischen dauern zusammen {minutes} min.',
  'How many devices will be asked is not known: the filter cannot be read.':
    'Wie viele Geräte aufgefordert werden, ist nicht bekannt: Der Filter ist nicht lesbar.',
  'How many devices will be asked is not known.':
    'Es ist nicht bekannt, wie viele Geräte aufgefordert werden.',
  'All {n} devices will be asked, in waves. Each keeps its old password until it has used the new one, so none is locked out.':
    'Alle {n} Geräte werden aufgefordert, in Wellen. Jedes behält sein altes Passwort, bis es das neue verwendet hat; keines wird ausgesperrt.',
  'All devices will be asked, in waves: {n}': 'Alle Geräte werden in Wellen aufgefordert: {n}',
  'Devices without credentials cannot connect: a wave waits for them as for those that are offline, and they end as not reached.':
    'Geräte ohne Zugangsdaten können sich nicht verbinden: Eine Welle wartet auf sie wie auf die, die offline sind; am Ende gelten sie als nicht erreicht.',
  'Devices that will be asked, in waves: {n}': 'Geräte, die in Wellen aufgefordert werden: {n}',
  'On {brokers} a new password replaces the old one as soon as a device has fetched it: a device that loses it needs a reset. Elsewhere the old one works until the new one was used.':
    'Auf {brokers} ersetzt ein neues Passwort das alte, sobald ein Gerät es abgeholt hat: Verliert ein Gerät es, müssen seine Zugangsdaten zurückgesetzt werden. Anderswo gilt das alte, bis das neue verwendet wurde.',

  // How far campaigns and their devices are.
  preparing: 'in Vorbereitung',
  running: 'läuft',
  paused: 'pausiert',
  halted: 'angehalten',
  completed: 'abgeschlossen',
  'completed, {n} failed': 'abgeschlossen, {n} fehlgeschlagen',
  'completed, {n} not reached': 'abgeschlossen, {n} nicht erreicht',
  cancelled: 'abgebrochen',
  'Devices that have confirmed or failed': 'Bestätigte und fehlgeschlagene Geräte',
  'it was deleted': 'es wurde gelöscht',
  'its status did not allow it': 'sein Status ließ es nicht zu',
  'it did not use a new password in time': 'neues Passwort nicht rechtzeitig verwendet',
  'it has connected again since then': 'es hat sich seitdem wieder verbunden',

  // One campaign.
  'Asked, not rotated yet': 'Aufgefordert, noch nicht erneuert',
  Resume: 'Fortsetzen',
  'Cancel this rotation?': 'Diese Erneuerung abbrechen?',
  'Cancel the rotation': 'Erneuerung abbrechen',
  'Keep it': 'Beibehalten',
  'To continue later, pause it instead.': 'Wenn sie später weitergehen soll, pausieren Sie sie.',
  'No further device is asked. Those that were asked may still rotate; if they do not, their credentials stay valid.':
    'Kein weiteres Gerät wird aufgefordert. Bereits aufgeforderte dürfen ihre Zugangsdaten noch erneuern; tun sie es nicht, bleiben die bisherigen gültig.',
  'Halted: too many of the devices have failed': 'Angehalten: zu viele Geräte sind fehlgeschlagen',
  'The limit is {share}. Those that failed are below. Resumed, it continues with wave {wave} of {waves}, and only later waves count.':
    'Das Limit ist {share}. Die fehlgeschlagenen stehen unten. Nach dem Fortsetzen folgt Welle {wave} von {waves}, und nur spätere Wellen zählen.',
  'The limit is {share}. Its last wave is over: finished, it is completed with {failed} of {total} devices failed. See why they failed, and ask those again in a new rotation.':
    'Das Limit ist {share}. Die letzte Welle ist vorbei: Wird die Erneuerung abgeschlossen, sind {failed} von {total} Geräten fehlgeschlagen. Sehen Sie nach, warum, und fordern Sie diese in einer neuen Erneuerung noch einmal auf.',
  'Show those that failed': 'Fehlgeschlagene zeigen',
  'Resume…': 'Fortsetzen…',
  'Resume this rotation?': 'Diese Erneuerung fortsetzen?',
  'Resume the rotation': 'Erneuerung fortsetzen',
  'Wave {wave} of {waves} is next. Only later waves count towards the limit.':
    'Als Nächstes folgt Welle {wave} von {waves}. Für das Limit zählen nur spätere Wellen.',
  'Devices of the next wave': 'Geräte der nächsten Welle',
  'Finish…': 'Abschließen…',
  'Finish this rotation?': 'Diese Erneuerung abschließen?',
  'Finish the rotation': 'Erneuerung abschließen',
  'Its last wave is over: it is completed with these numbers, and asks no device again. Those that were asked may still rotate.':
    'Die letzte Welle ist vorbei: Die Erneuerung endet mit diesen Zahlen und fordert kein Gerät noch einmal auf. Bereits aufgeforderte dürfen ihre Zugangsdaten noch erneuern.',
  'Ask the failed again…': 'Fehlgeschlagene erneut auffordern…',
  'Ask the failed devices again?': 'Fehlgeschlagene Geräte erneut auffordern?',
  '{n} device that failed is asked in a new rotation, with the waves and limits of this one.':
    '{n} fehlgeschlagenes Gerät wird in einer neuen Erneuerung aufgefordert, mit den Wellen und Grenzen von dieser.',
  '{n} devices that failed are asked in a new rotation, with the waves and limits of this one.':
    '{n} fehlgeschlagene Geräte werden in einer neuen Erneuerung aufgefordert, mit den Wellen und Grenzen von dieser.',
  '{n} device that failed was deleted since.': '{n} fehlgeschlagenes Gerät wurde seitdem gelöscht.',
  '{n} devices that failed were deleted since.':
    '{n} fehlgeschlagene Geräte wurden seitdem gelöscht.',
  'A rotation takes {n} at most.': 'Eine Erneuerung nimmt höchstens {n}.',
  'It is not known yet which devices failed.':
    'Es ist noch nicht bekannt, welche Geräte fehlgeschlagen sind.',
  'None of them can be asked again.': 'Keines davon kann erneut aufgefordert werden.',
  'The devices that failed': 'Fehlgeschlagene Geräte',
  'The rotation has failed': 'Die Erneuerung ist fehlgeschlagen',
  'Not asked': 'Nicht aufgefordert',
  'Not asked yet': 'Noch nicht aufgefordert',
  'Asked, not reached': 'Aufgefordert, nicht erreicht',
  'Asked, not reached yet': 'Aufgefordert, noch nicht erreicht',
  'Asked, has the command': 'Aufgefordert, Befehl erhalten',
  Rotated: 'Erneuert',
  'not used yet': 'noch nicht verwendet',
  'no use is known': 'keine Verwendung bekannt',
  'On {brokers} no use of a password is reported':
    'Auf {brokers} wird keine Verwendung von Passwörtern gemeldet',
  'There a new password replaces the old one as soon as a device has fetched it. A device that has connected again since then ends as rotated and not as confirmed; one that stays away fails.':
    'Dort ersetzt ein neues Passwort das alte, sobald ein Gerät es abgeholt hat. Ein Gerät, das sich seitdem wieder verbunden hat, endet als erneuert und nicht als bestätigt; eines, das wegbleibt, schlägt fehl.',
  'Wave size': 'Größe einer Welle',
  '{share} of the devices': '{share} der Geräte',
  '{n} device selected': '{n} ausgewähltes Gerät',
  '{n} devices selected': '{n} ausgewählte Geräte',
  'Between waves': 'Zwischen den Wellen',
  'Time to use the new password': 'Frist für das neue Passwort',
  Halts: 'Wird angehalten',
  'when more than {share} fail': 'wenn mehr als {share} fehlschlagen',

  // Its devices.
  Asked: 'Aufgefordert',
  'Devices of the rotation': 'Geräte der Erneuerung',
  'Devices appear here as the waves continue.':
    'Geräte erscheinen hier, während die Wellen laufen.',
}
