/**
 * A grant as the access list of a role of dynamic security. Within a role the entry of the highest
 * priority that matches decides, which is our order turned round.
 */
import type { TopicRule } from '../port.ts'

export interface AccessEntry {
  acltype: 'publishClientSend' | 'publishClientReceive' | 'subscribePattern'
  topic: string
  allow: boolean
  priority: number
}

/**
 * The entries of a role that allows just this. A subscription is judged when it is made and each
 * message again when it is delivered: Mosquitto lets a filter be subscribed to that is wider than a
 * deny, and the second judgement keeps back what the deny is about. A shared subscription is asked
 * for with its group in front, so it needs entries of its own.
 */
export function accessListOf(rules: readonly TopicRule[]): AccessEntry[] {
  return rules.flatMap(({ action, topic, permission }, index) => {
    const rest = { allow: permission === 'allow', priority: rules.length - index }
    const entries: AccessEntry[] = []
    if (action !== 'subscribe') entries.push({ acltype: 'publishClientSend', topic, ...rest })
    if (action !== 'publish') {
      entries.push({ acltype: 'publishClientReceive', topic, ...rest })
      entries.push({ acltype: 'subscribePattern', topic, ...rest })
      entries.push({ acltype: 'subscribePattern', topic: `$share/+/${topic}`, ...rest })
    }
    return entries
  })
}

const keyOf = ({ acltype, topic, allow, priority }: AccessEntry): string =>
  JSON.stringify([acltype, topic, allow, priority])

/** Whether two lists hold the same entries, in whatever order the broker tells them. */
export function isSameAccess(left: readonly AccessEntry[], right: readonly AccessEntry[]): boolean {
  const keys = new Set(left.map(keyOf))
  const others = new Set(right.map(keyOf))
  return keys.size === others.size && [...keys].every((key) => others.has(key))
}
