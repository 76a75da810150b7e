/** The rules of a device of the workspace `bench`. */
import type { TopicRule } from '../../src/adapters/broker/port.ts'
import { DEFAULT_DEVICE_RULES, topicFiller } from '../../src/adapters/broker/topics.ts'

export function deviceRules(deviceKey: string): TopicRule[] {
  const fill = topicFiller({ slug: 'bench', device_key: deviceKey })
  return DEFAULT_DEVICE_RULES.map((rule) => ({ ...rule, topic: fill(rule.topic) }))
}
