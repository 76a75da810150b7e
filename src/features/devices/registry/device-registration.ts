/** What every registration of a device has: by staff, an import or a provision key. */
import type { Origin } from '../../../platform/record/event.ts'
import { activeTraceparent } from '../../../platform/trace/span.ts'
import { formatId, newUuid } from '../../../platform/lib/ids.ts'
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
  'workspaceId' | 'deviceKey' | 'name' | 'templateId' | 'hardwareId' | 'tags'
>

/** @param eventData further members of its event */
export function newDevice(
  origin: Origin,
  fields: DeviceFields,
  generated: Pick<GeneratedSecrets, 'mqttHash' | 'httpHash'> | undefined,
  eventData: Record<string, unknown> = {},
): NewDevice {
  const { deviceKey, templateId } = fields
  const deviceId = newUuid()
  const device_id = formatId('dev', deviceId)
  const template_id = templateId && formatId('tpl', templateId)
  return {
    ...fields,
    deviceId,
    mqttHash: generated?.mqttHash ?? null,
    httpHash: generated?.httpHash ?? null,
    origin,
    auditId: newUuid(),
    eventId: newUuid(),
    resourceId: device_id,
    data: { device_id, device_key: deviceKey, template_id, ...eventData },
    traceparent: activeTraceparent(),
  }
}
