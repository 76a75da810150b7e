/** The default rules of the service, which apply to devices without other rules. */
import type { TemplateTopicRule } from '../../../../sdk/schema.ts'

const published = [
  'telemetry',
  'state',
  'presence',
  'presence/',
  'events',
  'ack',
  'config/get',
  'config/status',
]
// `cmd/#` matches `cmd` as well.
const subscribed = ['cmd/#', 'config/#']

const allowed = (
  action: TemplateTopicRule['action'],
  levels: readonly string[],
): TemplateTopicRule[] =>
  levels.map((level) => ({ action, topic: `{slug}/{device_key}/${level}`, permission: 'allow' }))

export const defaultRules: readonly TemplateTopicRule[] = [
  ...allowed('publish', published),
  ...allowed('subscribe', subscribed),
]
