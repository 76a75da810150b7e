/** What a rule about topics must be, whether a template's or one of a device or a principal. */
import type { TopicRule } from '../../broker/port.ts'
import { fillTopic } from '../../broker/topics.ts'
import type { LastingKind } from '../mqtt-credentials/identity.ts'

/** Stand for any device and any principal: whatever is well-formed for one is so for all. */
const samples = {
  device: { slug: 'slug', device_key: 'key', device_id: 'dev_id' },
  principal: { slug: 'slug', principal_id: 'mqp_id' },
}

const listed = (names: readonly string[]): string =>
  names
    .map((name) => `{${name}}`)
    .join(', ')
    .replace(/, (?=[^,]*$)/, ' and ')

/**
 * What is wrong with the topic of a rule that has its variables still, in words that go on after
 * its name, or undefined.
 */
export function topicRuleError(
  owner: LastingKind,
  { action, topic }: TopicRule,
): string | undefined {
  if (!topic.startsWith('{slug}/')) return 'must begin with {slug}/'
  if (action !== 'subscribe' && /[+#]/.test(topic))
    return 'has a wildcard; only subscribe rules may'
  try {
    fillTopic(topic, samples[owner])
    return undefined
  } catch {
    return `must be a well-formed topic that names ${listed(Object.keys(samples[owner]))} only`
  }
}
