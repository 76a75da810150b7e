/**
 * Whether other rules take something away. Where that can't be told by comparing one rule with one
 * other, something counts as lost: a session that ends comes back, a right that stays is a hole.
 */
import type { TopicRule } from './port.ts'
import { covers, intersects } from './topics.ts'

type Touches = (left: string, right: string) => boolean

/**
 * Whether all that an allow of before gave is given still. A deny that comes first now takes
 * nothing if a deny that came before that allow has covered it already.
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
 * Whether everybody who has the rules of `before` may do the same by those of `after`: publish to
 * the same topics, subscribe to the same filters, receive the same messages. False where unsure.
 * The rules that come before both of them, the same ones, don't matter: what was kept is kept.
 * @param touches whether two filters may have a topic in common
 */
export function keepsAll(
  before: readonly TopicRule[],
  after: readonly TopicRule[],
  touches: Touches = intersects,
): boolean {
  if (JSON.stringify(before) === JSON.stringify(after)) return true
  return (['publish', 'subscribe'] as const).every((action) => {
    const isAbout = (rule: TopicRule): boolean => rule.action === action || rule.action === 'pubsub'
    const [old, now] = [before.filter(isAbout), after.filter(isAbout)]
    return old.every(({ permission, topic }, index) => {
      if (permission === 'deny') return true
      const earlier = old.slice(0, index)
      // It decides nothing, or an earlier allow has given all of it.
      if (earlier.some((rule) => covers(rule.topic, topic))) return true
      const denied = earlier.filter((rule) => rule.permission === 'deny')
      return isKept(topic, denied, now, touches)
    })
  })
}
