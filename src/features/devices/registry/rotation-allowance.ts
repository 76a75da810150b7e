/**
 * Allows a factory to renew the credentials of a claimed device, for provision keys that may
 * otherwise renew those of unclaimed devices only: when a fielded device has lost its credentials.
 */
import type { KnownCaller } from '../../../platform/access/principal.ts'
import { type Context, originOf } from '../../../context.ts'
import { record } from '../../../platform/record/record.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { timestamp } from '../../common/shapes.ts'
import { lockWithCredentials } from './device-credentials.ts'
import type { RotationAllowance } from './schema.ts'
import * as statusStore from './status-store.ts'

export async function allowRotation(
  context: Context<KnownCaller>,
  deviceId: string,
): Promise<RotationAllowance> {
  const { db, workspaceId } = context
  const device_id = formatId('dev', deviceId)
  return db.transaction(async (trx) => {
    const row = await lockWithCredentials(trx, workspaceId, deviceId)
    const allowed_until = timestamp(await statusStore.allowRotation(trx, workspaceId, deviceId))
    await record(trx, originOf(context), {
      workspaceId,
      action: 'device.rotation_allowed',
      resource: { kind: 'device', id: device_id },
      subjectId: deviceId,
      data: { device_id, device_key: row.device_key, allowed_until },
    })
    return { device_id, allowed_until }
  })
}
