/** A device's credentials: which are valid, and new ones for when they are compromised. */
import { type Context, originOf } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { Failure, found } from '../../../platform/errors/errors.ts'
import { deviceChange, record } from '../../../platform/record/record.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { issueReceipt } from '../../mqtt/revocation/receipt-issue.ts'
import {
  findValidSecrets,
  generateDeviceSecrets,
  resetDeviceSecrets,
} from '../../mqtt/device-secrets/device-secret.ts'
import { cancelRotateCommands } from '../commands/command-cancel.ts'
import { isRotationDue } from '../device-api/device.ts'
import { credentialsOf } from './device-view.ts'
import type { DeviceCredentialList, ResetCredentials, RotationAllowance } from './schema.ts'
import { timestamp, timestampOrNull } from '../../common/shapes.ts'
import * as store from './store.ts'

export { mayRepeatSecrets } from '../../mqtt/device-secrets/device-secret.ts'

/** The valid ones and what became of them; never the secrets. @throws Failure device_not_found */
export async function listCredentials(
  { db, workspaceId }: Context,
  deviceId: string,
): Promise<DeviceCredentialList> {
  const rotation_due = found(await isRotationDue(db, workspaceId, deviceId), 'device_not_found')
  const rows = await findValidSecrets.rows(db, { workspaceId, deviceId })
  const items = rows.map((row) => ({
    ...row,
    status: row.expires_at === null ? ('confirmed' as const) : ('pending' as const),
    created_at: timestamp(row.created_at),
    confirmed_at: timestampOrNull(row.confirmed_at),
    expires_at: timestampOrNull(row.expires_at),
  }))
  return { items, next_cursor: null, rotation_due }
}

/** @throws Failure device_not_found, or invalid_transition for one that has no credentials */
async function lockWithCredentials(trx: Db, workspaceId: string, deviceId: string) {
  const row = found(
    await store.lockDevice.first(trx, { workspaceId, id: deviceId }),
    'device_not_found',
  )
  if (row.status === 'decommissioned') {
    throw new Failure('invalid_transition', {
      detail: 'The device is decommissioned and cannot get credentials.',
    })
  }
  return row
}

/** All other secrets become invalid and live sessions end. A suspended device stays suspended. */
export async function resetCredentials(
  context: Context,
  deviceId: string,
): Promise<ResetCredentials> {
  const { db, keyring, workspaceId } = context
  const generated = generateDeviceSecrets(keyring)
  const device_id = formatId('dev', deviceId)
  return db.transaction(async (trx) => {
    const row = await lockWithCredentials(trx, workspaceId, deviceId)
    const { slug } = await store.lockHome.one(trx, { workspaceId, templateId: null })
    await resetDeviceSecrets(context, trx, workspaceId, deviceId, generated)
    const devices = { workspaceId, deviceIds: [deviceId] }
    await cancelRotateCommands(context, trx, originOf(context), devices)
    await issueReceipt(context, trx, 'device.credentials_reset', device_id)
    const data = { device_key: row.device_key }
    const change = deviceChange('device.credentials_reset', workspaceId, deviceId, data)
    await record(trx, originOf(context), change)
    const issued = { principalId: device_id, password: generated.mqttPassword }
    await context.passwordSync.replace(trx, workspaceId, issued)
    const device = { id: deviceId, deviceKey: row.device_key, slug }
    const endpoint = await context.mqttEndpointOf(workspaceId)
    return { device_id, ...credentialsOf(endpoint, device, generated) }
  })
}

/**
 * Allows a factory to renew the credentials of a claimed device, for provision keys that may
 * otherwise renew those of unclaimed devices only: when a fielded device has lost its credentials.
 */
export async function allowRotation(
  context: Context,
  deviceId: string,
): Promise<RotationAllowance> {
  const { db, workspaceId } = context
  const device_id = formatId('dev', deviceId)
  return db.transaction(async (trx) => {
    const row = await lockWithCredentials(trx, workspaceId, deviceId)
    const allowed_until = timestamp(
      (await store.allowRotation.one(trx, { workspaceId, id: deviceId })).until,
    )
    const data = { device_key: row.device_key, allowed_until }
    const change = deviceChange('device.rotation_allowed', workspaceId, deviceId, data)
    await record(trx, originOf(context), change)
    return { device_id, allowed_until }
  })
}
