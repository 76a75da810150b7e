/**
 * Matching of topic filters, split into levels, with topics and with each other. All inputs must be
 * well-formed. Source: MQTT 5.0, section 4.7.
 */

const isWildcard = (level: string | undefined): boolean => level === '+' || level === '#'

/** A leading wildcard never matches topics that begin with `$` (MQTT 5.0, section 4.7.2). */
const hidesFrom = (firstLevel: string | undefined, filter: readonly string[]): boolean =>
  firstLevel?.startsWith('$') === true && isWildcard(filter[0])

const HASH = 35
const DOLLAR = 36
const PLUS = 43
const SLASH = 47

/**
 * Whether a filter matches a topic. Compares in place: this runs for every message and rule, and
 * split levels would have to be kept per session.
 */
export const filterMatches = (filter: string, topic: string): boolean => {
  const first = filter.charCodeAt(0)
  if (topic.charCodeAt(0) === DOLLAR && (first === PLUS || first === HASH)) return false
  const [filterEnd, topicEnd] = [filter.length, topic.length]
  let [at, seen] = [0, 0]
  for (;;) {
    // Both positions are at the start of a level.
    const level = filter.charCodeAt(at)
    if (level === HASH) return true
    if (level === PLUS) {
      const slash = topic.indexOf('/', seen)
      seen = slash === -1 ? topicEnd : slash
      at += 1
    } else {
      while (at < filterEnd && filter.charCodeAt(at) !== SLASH) {
        if (filter.charCodeAt(at) !== topic.charCodeAt(seen)) return false
        at += 1
        seen += 1
      }
      if (seen < topicEnd && topic.charCodeAt(seen) !== SLASH) return false
    }
    if (at === filterEnd) return seen === topicEnd
    // A filter that ends in `/#` also matches the level before it.
    if (seen === topicEnd) return filter.charCodeAt(at + 1) === HASH
    at += 1
    seen += 1
  }
}

/** Whether the outer filter matches every topic that the inner one matches. */
export const levelsCover = (outer: readonly string[], inner: readonly string[]): boolean => {
  if (hidesFrom(inner[0], outer)) return false
  // Every topic has at least one level, so this is the other form of "everything".
  if (outer.length === 2 && outer[0] === '+' && outer[1] === '#') return true
  for (const [index, level] of outer.entries()) {
    if (level === '#') return true
    const wanted = inner[index]
    if (wanted === undefined || wanted === '#') return false
    if (level !== '+' && level !== wanted) return false
  }
  return outer.length === inner.length
}

/** Whether some topic is matched by both filters. */
export const levelsIntersect = (left: readonly string[], right: readonly string[]): boolean => {
  if (hidesFrom(left[0], right) || hidesFrom(right[0], left)) return false
  const length = Math.max(left.length, right.length)
  for (let index = 0; index < length; index += 1) {
    const one = left[index]
    const other = right[index]
    if (one === '#' || other === '#') return true
    if (one === undefined || other === undefined) return false
    if (one !== other && one !== '+' && other !== '+') return false
  }
  return true
}
