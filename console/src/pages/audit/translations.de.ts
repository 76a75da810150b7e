/** The German text of each English one; see i18n/translate.ts. */
export const german = {
  'Every action and its actor, kept as evidence.':
    'Jede Aktion und wer sie ausgeführt hat, als Nachweis aufbewahrt.',
  // The log.
  'A name, an id, an action, or actor = usr_… AND occurred_at > 2026-01-01':
    'Name, ID, Aktion oder actor = usr_… AND occurred_at > 2026-01-01',
  'Export the whole log': 'Alles exportieren',
  'Each change of the workspace has an entry, with who made it and from where.':
    'Zu jeder Änderung im Workspace gibt es einen Eintrag: wer sie vorgenommen hat und von wo.',
  'No entry passes this filter': 'Kein Eintrag passt zu diesem Filter',
  'not yet in the chain': 'noch nicht in der Kette',
  'a workspace; its id is not kept': 'ein Workspace; seine ID wird nicht aufbewahrt',
  'Show entry {id}': 'Eintrag {id} anzeigen',

  // The actor of an entry, if it has no id.
  anonymous: 'anonym',

  // One entry.
  'There is no such entry': 'Diesen Eintrag gibt es nicht',
  'It was deleted after the retention period, or the link is mistyped.':
    'Er wurde nach Ablauf der Aufbewahrungsfrist gelöscht, oder der Link ist falsch.',
  Request: 'Anfrage',
  'Subject id': 'ID des Objekts',
  'Place in the chain': 'Stelle in der Kette',
  'not yet: entries are appended twice a second':
    'noch nicht: Einträge werden zweimal in der Sekunde angehängt',
  Hash: 'Hash',
  'More details': 'Weitere Angaben',

  // The chain.
  'Each entry contains the hash of the one before: none can be changed, removed or inserted unnoticed. Entries of one moment may have their numbers in another order.':
    'Jeder Eintrag enthält den Hash des vorherigen: Keiner lässt sich spurlos ändern, entfernen oder einfügen. Einträge eines Augenblicks können in anderer Reihenfolge nummeriert sein.',
  'The chain is broken': 'Die Kette ist gebrochen',
  'The chain is broken at entry {seq}': 'Die Kette ist bei Eintrag {seq} gebrochen',
  'It is not what was appended: one of its values was changed.':
    'Er ist nicht mehr so, wie er angehängt wurde: Ein Wert darin wurde geändert.',
  'It was removed, or another was put in its place.':
    'Er wurde entfernt oder durch einen anderen ersetzt.',
  'It follows the head of the chain, which nobody but the service may move.':
    'Er folgt auf den Kopf der Kette, den nur der Dienst verschieben darf.',
  'An entry has no place in the chain, and does not wait for one.':
    'Ein Eintrag hat keinen Platz in der Kette und wartet auch nicht auf einen.',
  'The head of the chain is gone.': 'Der Kopf der Kette fehlt.',
  'The head of the chain was not written by the service.':
    'Der Kopf der Kette wurde nicht vom Dienst geschrieben.',
  'The head of the chain is not the hash of the last entry.':
    'Der Kopf der Kette ist nicht der Hash des letzten Eintrags.',
  'The chain does not contain the anchor: it was computed again after a change.':
    'Die Kette enthält den Anker nicht: Sie wurde nach einer Änderung neu berechnet.',
  'The chain is not what was appended.': 'Die Kette ist nicht mehr so, wie sie angehängt wurde.',
  'Entries before it are as they were written; nothing is known of those after it.':
    'Die Einträge davor sind unverändert; über die danach lässt sich nichts sagen.',
  'The chain is intact: {entries} entries are as they were written':
    'Die Kette ist unversehrt: {entries} Einträge sind unverändert',
  'Entries {from} to {to}, each follows from the one before.':
    'Einträge {from} bis {to}, jeder folgt aus dem vorherigen.',
  '{n} new ones are not in the chain yet.': '{n} neue sind noch nicht in der Kette.',
  'Those up to {seq} were deleted by retention.':
    'Die bis {seq} wurden nach Ablauf der Aufbewahrungsfrist gelöscht.',
  'The anchor at {seq} is in the chain.': 'Der Anker bei {seq} ist in der Kette.',
  'The entry of the anchor was deleted by retention.':
    'Der Eintrag des Ankers wurde nach Ablauf der Aufbewahrungsfrist gelöscht.',
  'Verified {time}. The head of the chain; store it elsewhere to prove later that nothing before it was changed:':
    'Geprüft {time}. Der Kopf der Kette; bewahren Sie ihn anderswo auf, um später zu beweisen, dass davor nichts geändert wurde:',
  'Head of the chain': 'Kopf der Kette',

  // Anchors.
  Anchors: 'Anker',
  'Anchors…': 'Anker…',
  Anchored: 'Verankert',
  Entry: 'Eintrag',
  'Entry of your anchor': 'Eintrag Ihres Ankers',
  'Its number, which is “seq” in the copy.': 'Seine Nummer, „seq“ in der Kopie.',
  'Its hash': 'Sein Hash',
  '64 hex digits.': '64 Hex-Ziffern.',
  'Newest anchors': 'Neueste Anker',
  'Verifying…': 'Wird geprüft…',
  'Another anchor is being verified.': 'Es wird gerade ein anderer Anker geprüft.',
  'Verify an anchor that you have kept': 'Einen aufbewahrten Anker prüfen',
  'A number, and 64 hex digits.': 'Eine Zahl und 64 Hex-Ziffern.',
  'Anchored at entry {seq}': 'Verankert bei Eintrag {seq}',
  'An anchor is the head of the chain at a time, signed. Copy anchors to where the operator of the service cannot change them: then nobody can rewrite the log unseen.':
    'Ein Anker ist der signierte Kopf der Kette zu einem Zeitpunkt. Kopieren Sie Anker dorthin, wo der Betreiber sie nicht ändern kann: Dann kann niemand das Protokoll unbemerkt umschreiben.',
  'Anchor now': 'Jetzt verankern',
  'No anchors yet': 'Noch keine Anker',
  'They are created once an hour.': 'Sie entstehen einmal pro Stunde.',
  'The hash chain': 'Hash-Kette',
}
