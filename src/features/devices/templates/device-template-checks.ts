/** Validates device templates beyond their schema. */
import { invalid } from '../../../platform/errors/errors.ts'
import { requireSmall } from '../../common/json-object.ts'
import { topicRuleError } from '../../mqtt/acl/rule-check.ts'
import { checkCapabilities } from './capability-checks.ts'
import { parseSerialFormat } from './serial-format.ts'
import type { TemplateFields } from './store.ts'

/** @throws Failure invalid_request pointing at the member */
export function checkTemplate(fields: TemplateFields): void {
  const format = parseSerialFormat(fields.serial_format)
  if ('error' in format) throw invalid('/serial_format', format.error)
  checkCapabilities(fields)
  for (const [index, rule] of fields.mqtt_acl.entries()) {
    const error = topicRuleError('device', rule)
    if (error !== undefined) throw invalid(`/mqtt_acl/${index}/topic`, error)
  }
  if (fields.firmware !== null && !URL.canParse(fields.firmware.url)) {
    throw invalid('/firmware/url', 'must be an http or https URL')
  }
  for (const name of ['capability_definitions', 'default_config', 'mqtt_acl'] as const) {
    requireSmall(`/${name}`, fields[name])
  }
}
