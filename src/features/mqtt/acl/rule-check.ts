/** Validates topic rules of templates, devices and principals. */
import type { TopicRule } from '../../../adapters/broker/port.ts'
import { topicFiller } from '../../../adapters/broker/topics.ts'
import type { LastingKind } from '../credentials/identity.ts'

/** Sample values: a topic that is well-formed for one device or principal is so for all. */
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
 * The fault of a rule's topic that still contains variables, in words that follow its name;
 * undefined if there is none.
 */
export function topicRuleError(
  owner: LastingKind,
  { action, topic }: TopicRule,
): string | undefined {
  if (!topic.startsWith('{slug}/')) return 'must begin with {slug}/'
  if (action !== 'subscribe' && /[+#]/.test(topic))
    return 'has a wildcard; only subscribe rules may'
  try {
    topicFiller(samples[owner])(topic)
    return undefined
  } catch {
    return `must be a well-formed topic that names ${listed(Object.keys(samples[owner]))} only`
  }
}
