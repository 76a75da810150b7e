/**
 * Converts a grant to the ACL of a dynamic security role. In a role, the matching entry with the
 * highest priority decides, which is our order reversed.
 */
import type { TopicRule } from '../port.ts'

export interface AccessEntry {
  acltype: 'publishClientSend' | 'publishClientReceive' | 'subscribePattern'
  topic: string
  allow: boolean
  priority: number
}

/**
 * The ACL that allows exactly the grant. Mosquitto checks a subscription when it is made and each
 * message when it is delivered: a filter wider than a deny may be subscribed to, and the second
 * check withholds denied messages. Shared subscriptions are checked with their group prefix, so
 * they need their own entries.
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

/** Whether two lists have the same entries in any order. */
export function isSameAccess(left: readonly AccessEntry[], right: readonly AccessEntry[]): boolean {
  const keys = new Set(left.map(keyOf))
  const others = new Set(right.map(keyOf))
  return keys.size === others.size && [...keys].every((key) => others.has(key))
}
