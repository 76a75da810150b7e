/** What a device template must be, beyond the shape of its members. */
import type { TopicRule } from '../../broker/port.ts'
import { fillTopic } from '../../broker/topics.ts'
import { invalid } from '../../errors.ts'
import { demandSmall } from '../json-object.ts'
import { checkCapabilities } from './capability-checks.ts'
import { parseSerialFormat } from './serial-format.ts'
import type { TemplateFields } from './store.ts'

/** Stands for any device: whatever is well-formed for one is so for all. */
const SAMPLE = { slug: 'slug', device_key: 'key', device_id: 'dev_id' }

/**
 * What is wrong with the topic of a rule that has its variables still, in words that go on after
 * its name, or undefined.
 */
function topicRuleError({ action, topic }: TopicRule): string | undefined {
  if (!topic.startsWith('{slug}/')) return 'must begin with {slug}/'
  if (action !== 'subscribe' && /[+#]/.test(topic))
    return 'has a wildcard; only subscribe rules may'
  try {
    fillTopic(topic, SAMPLE)
    return undefined
  } catch {
    return 'must be a well-formed topic that names {slug}, {device_key} and {device_id} only'
  }
}

/** @throws Failure invalid_request that points at the member. */
export function checkTemplate(fields: TemplateFields): void {
  const format = parseSerialFormat(fields.serial_format)
  if ('error' in format) throw invalid('/serial_format', format.error)
  checkCapabilities(fields)
  for (const [index, rule] of fields.mqtt_acl.entries()) {
    const error = topicRuleError(rule)
    if (error !== undefined) throw invalid(`/mqtt_acl/${index}/topic`, error)
  }
  if (fields.firmware !== null && !URL.canParse(fields.firmware.url)) {
    throw invalid('/firmware/url', 'must be an http or https URL')
  }
  for (const name of ['capability_definitions', 'default_config', 'mqtt_acl'] as const) {
    demandSmall(`/${name}`, fields[name])
  }
}
