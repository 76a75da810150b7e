/** The record of a change of a device: its audit entry and its event name the device alike. */
import { formatId } from '../../platform/lib/ids.ts'
import type { AuditAction, Change } from '../../platform/record/event.ts'

/**
 * @param deviceId UUID
 * @param data of the event, besides the id of the device
 * @param detail for the audit log only
 */
export function deviceChange(
  action: AuditAction,
  workspaceId: string,
  deviceId: string,
  data: Record<string, unknown>,
  detail: Record<string, unknown> = {},
): Change {
  const device_id = formatId('dev', deviceId)
  return {
    workspaceId,
    action,
    resource: { kind: 'device', id: device_id },
    subjectId: deviceId,
    data: { device_id, ...data },
    detail,
  }
}
