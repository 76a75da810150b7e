/**
 * Whether a change of rules takes any right away. If comparing rules one by one cannot decide, the
 * right counts as lost: a session that ends needlessly reconnects, a right that stays is a security
 * hole.
 */
import type { TopicRule } from './port.ts'
import { covers, intersects, isAbout } from './topics.ts'

type Touches = (left: string, right: string) => boolean

/**
 * Whether everything that an old allow granted is still granted. A deny that now precedes it takes
 * nothing away if a deny that preceded the old allow already covered it.
 */
function isKept(
  topic: string,
  denied: readonly TopicRule[],
  now: readonly TopicRule[],
  touches: Touches,
): boolean {
  for (const rule of now) {
    if (rule.permission === 'allow') {
      if (covers(rule.topic, topic)) return true
    } else if (touches(rule.topic, topic)) {
      if (!denied.some((each) => covers(each.topic, rule.topic))) return false
    }
  }
  return false
}

/**
 * Whether `after` grants everything that `before` granted: publishing to the same topics,
 * subscribing to the same filters, receiving the same messages. False if unsure. Identical rules
 * that precede both lists do not matter.
 * @param touches whether two filters may have a topic in common
 */
export function keepsAll(
  before: readonly TopicRule[],
  after: readonly TopicRule[],
  touches: Touches = intersects,
): boolean {
  if (JSON.stringify(before) === JSON.stringify(after)) return true
  return (['publish', 'subscribe'] as const).every((action) => {
    const old = before.filter((rule) => isAbout(rule, action))
    const now = after.filter((rule) => isAbout(rule, action))
    return old.every(({ permission, topic }, index) => {
      if (permission === 'deny') return true
      const earlier = old.slice(0, index)
      // The rule decides nothing, or an earlier allow already granted all of it.
      if (earlier.some((rule) => covers(rule.topic, topic))) return true
      const denied = earlier.filter((rule) => rule.permission === 'deny')
      return isKept(topic, denied, now, touches)
    })
  })
}
