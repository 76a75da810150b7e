/** The common part of every registration of a device: by staff, an import or a provision key. */
import type { Origin } from '../../../platform/record/event.ts'
import { activeTraceparent } from '../../../platform/trace/span.ts'
import { formatId, newUuid } from '../../../platform/lib/ids.ts'
import { originParams } from '../../common/row-key.ts'
import type { GeneratedSecrets } from '../../mqtt/device-secrets/device-secret.ts'
import type { NewDevice } from './registration-store.ts'

export {
  type NewDevice,
  registerByKey,
  registerByStaff,
  registerOne,
  type RegisterOutcome,
  type Registration,
  type StaffDevice,
} from './registration-store.ts'

type DeviceFields = Pick<
  NewDevice,
  'workspaceId' | 'deviceKey' | 'name' | 'templateId' | 'hardwareId'
> & { tags: Record<string, string> }

/** @param eventData further members of its event */
export function newDevice(
  origin: Origin,
  fields: DeviceFields,
  generated: Pick<GeneratedSecrets, 'mqttHash' | 'httpHash'> | undefined,
  eventData: Record<string, unknown> = {},
): NewDevice {
  const { deviceKey, templateId } = fields
  const id = newUuid()
  const device_id = formatId('dev', id)
  const template_id = templateId && formatId('tpl', templateId)
  return {
    ...fields,
    ...originParams(origin),
    id,
    tags: JSON.stringify(fields.tags),
    mqttHash: generated?.mqttHash ?? null,
    httpHash: generated?.httpHash ?? null,
    auditId: newUuid(),
    eventId: newUuid(),
    resourceId: device_id,
    data: JSON.stringify({ device_id, device_key: deviceKey, template_id, ...eventData }),
    traceparent: activeTraceparent(),
  }
}
