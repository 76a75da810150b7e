/**
 * How topic filters that were split into their levels match topics and each other. All of them must
 * be well-formed. Source: MQTT 5.0, section 4.7.
 */

const isWildcard = (level: string | undefined): boolean => level === '+' || level === '#'

/** Topics that begin with `$` are never matched by a leading wildcard (MQTT 5.0, section 4.7.2). */
const hidesFrom = (firstLevel: string | undefined, filter: readonly string[]): boolean =>
  firstLevel?.startsWith('$') === true && isWildcard(filter[0])

/**
 * Whether a filter matches a topic. The topic is walked in place: this runs for every message and
 * every rule.
 */
export const levelsMatch = (filter: readonly string[], topic: string): boolean => {
  if (topic.startsWith('$') && isWildcard(filter[0])) return false
  let start = 0
  for (const level of filter) {
    if (level === '#') return true
    if (start > topic.length) return false
    const slash = topic.indexOf('/', start)
    const end = slash === -1 ? topic.length : slash
    const same = end - start === level.length && topic.startsWith(level, start)
    if (level !== '+' && !same) return false
    start = end + 1
  }
  return start > topic.length
}

/** Whether the first filter matches every topic that the second one matches. */
export const levelsCover = (outer: readonly string[], inner: readonly string[]): boolean => {
  if (hidesFrom(inner[0], outer)) return false
  // Every topic has at least one level, so this is the one other spelling of "everything".
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
