/** The German text of each English one; see translations.ts. */
export const german = {
  // Asking what a client may do.
  'Check access': 'Zugriff prüfen',
  'The key or the name of a device, the name of a login, or an id.':
    'Die Kennung oder der Name eines Geräts, der Name eines Zugangs oder eine ID.',
  'There is no device or login of this name.':
    'Es gibt kein Gerät und keinen Zugang mit diesem Namen.',
  Check: 'Prüfen',
  'publish to': 'veröffentlichen auf',
  'subscribe to': 'abonnieren',
  'receive from': 'empfangen von',
  'Subscribe rules also decide what it may receive.':
    'Regeln für Abonnements entscheiden auch, was empfangen werden darf.',
  '(with an empty last level)': '(letzte Ebene leer)',
  'Yes, it may.': 'Ja, das ist erlaubt.',
  'Once it connects:': 'Sobald es sich verbindet:',
  'No, it may not.': 'Nein, das ist nicht erlaubt.',
  'Rule {position} of the device decides: {rule}.':
    'Es entscheidet Regel {position} des Geräts ({rule}).',
  'Rule {position} of the login decides: {rule}.':
    'Es entscheidet Regel {position} des Zugangs ({rule}).',
  'Rule {position} of the template decides: {rule}.':
    'Es entscheidet Regel {position} der Vorlage ({rule}).',
  'Rule {position} of the default list decides: {rule}.':
    'Es entscheidet Regel {position} der Standardregeln ({rule}).',
  '{permission} {action} {topic}': '{permission}: {action} {topic}',
  'No rule matches, and what no rule allows is denied. Topics of a workspace begin with its slug.':
    'Keine Regel passt, und was keine Regel erlaubt, ist verboten. Topics eines Workspace beginnen mit seinem Slug.',
  'It could not connect: {why}.': 'Der Client könnte sich nicht verbinden: {why}.',
  refused: 'abgelehnt',
  'This is no well-formed topic.': 'Das ist kein gültiges Topic.',
  'Topics that begin with $ belong to the broker.':
    'Topics, die mit $ beginnen, gehören dem Broker.',
  'A rule lets a client publish or subscribe to topics, or forbids it. The first match decides, no match denies.':
    'Eine Regel erlaubt einem Client, auf Topics zu veröffentlichen oder sie zu abonnieren, oder verbietet es. Die erste passende Regel entscheidet; was keine erlaubt, ist verboten.',
  'The default rules allow this': 'Die Standardregeln erlauben dies',
  'Where the rules are': 'Wo die Regeln stehen',
  'Only the default rules apply': 'Nur die Standardregeln gelten',
  'Devices without a template may use their own topics.':
    'Geräte ohne Vorlage dürfen ihre eigenen Topics verwenden.',
  'A device can also have rules of its own, on its page.':
    'Ein Gerät kann auf seiner Seite auch eigene Regeln haben.',
  login: 'Zugang',
  'the default rules': 'die Standardregeln',
  '{n} rule': '{n} Regel',
  '{n} rules': '{n} Regeln',
  'rules of its own': 'eigene Regeln',

  // The own rules of a device or a login.
  'Own rules': 'Eigene Regeln',
  'Own rules: the first match decides': 'Eigene Regeln: die erste passende entscheidet',
  'No rules of its own': 'Keine eigenen Regeln',
  'What no rule allows is denied.': 'Was keine Regel erlaubt, ist verboten.',
  'What no rule allows is denied: without rules it may connect, and nothing else.':
    'Was keine Regel erlaubt, ist verboten: Ohne Regeln darf er sich verbinden, sonst nichts.',
  'Add rule…': 'Regel hinzufügen…',
  'Move rule {position} up': 'Regel {position} nach oben',
  'Move rule {position} down': 'Regel {position} nach unten',
  'Change rule {position}': 'Regel {position} ändern',
  'Remove rule {position}': 'Regel {position} entfernen',
  'Remove rule {position}?': 'Regel {position} entfernen?',
  'Move rule {position}?': 'Regel {position} verschieben?',
  Move: 'Verschieben',
  'Add this rule?': 'Diese Regel hinzufügen?',
  'Change rule {position}?': 'Regel {position} ändern?',
  'See the effect…': 'Auswirkung ansehen…',

  // The rights that a change gives and takes.
  'Live sessions get the change within a second.':
    'Laufende Sitzungen erhalten die Änderung binnen einer Sekunde.',
  'It loses': 'Fällt weg',
  'It gains': 'Kommt hinzu',
  'No topic is gained or lost.': 'Kein Topic kommt hinzu oder fällt weg.',
  'There may be more: not all were examined.': 'Es können mehr sein: Nicht alle wurden untersucht.',

  // Words without effect.
  'Rule {position} never decides': 'Regel {position} entscheidet nie',
  'Rule {position} refuses no message': 'Regel {position} lehnt keine Nachricht ab',
  'Rule {position} changes nothing': 'Regel {position} ändert nichts',
  'rule {positions}': 'Regel {positions}',
  'rules {positions}': 'Regeln {positions}',
  'rule {positions} of the template': 'Regel {positions} der Vorlage',
  'rules {positions} of the template': 'Regeln {positions} der Vorlage',
  'default rule {positions}': 'Standardregel {positions}',
  'default rules {positions}': 'Standardregeln {positions}',
  'It denies topics that no later rule allows.':
    'Sie verbietet Topics, die keine spätere Regel erlaubt.',
  'All that it matches is decided before, by {rules}.':
    'Über alles, worauf sie passt, ist vorher entschieden: {rules}.',
  'For publishing, all that it matches is decided before, by {rules}.':
    'Beim Veröffentlichen ist über alles, worauf sie passt, vorher entschieden: {rules}.',
  'For subscribing, all that it matches is decided before, by {rules}.':
    'Beim Abonnieren ist über alles, worauf sie passt, vorher entschieden: {rules}.',
  'All of its topics are decided before, by {rules}.':
    'Über alle ihre Topics ist vorher entschieden: {rules}.',
  'Without it, {rules} would decide the same.': 'Auch ohne sie entscheidet genauso: {rules}.',

  // A rule.
  publish: 'veröffentlichen',
  subscribe: 'abonnieren',
  'publish and subscribe': 'veröffentlichen und abonnieren',
  allow: 'erlaubt',
  deny: 'verboten',
  'Add a rule': 'Regel hinzufügen',
  'Rule added': 'Regel hinzugefügt',
  'Rule changed': 'Regel geändert',
  'It applies to live sessions within a second.':
    'Sie gilt binnen einer Sekunde für laufende Sitzungen.',
  '{variable} is {slug}. Rules about subscriptions may have + for one level and # at the end for all that follow.':
    '{variable} ist {slug}. Regeln für Abonnements können + für eine Ebene enthalten und # am Ende für alle folgenden.',
  Place: 'Platz',
  last: 'am Ende',
  'before {position}: {permission} {topic}': 'vor {position}: {permission} {topic}',

  'Enter the key or the name of a device, the name of a login, or an id.':
    'Geben Sie die Kennung oder den Namen eines Geräts, den Namen eines Zugangs oder eine ID ein.',
  'Nobody to ask about yet': 'Noch gibt es nichts zu prüfen',
  'A check says whether a device or a login may use a topic, and which rule decides. This workspace has neither yet.':
    'Eine Prüfung sagt, ob ein Gerät oder ein Zugang ein Topic verwenden darf und welche Regel entscheidet. Dieser Workspace hat noch keines von beiden.',

  // The data that could not be read.
  'The rules': 'Regeln',
}
