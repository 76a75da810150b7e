/**
 * Short-lived MQTT logins of phones, for the devices that an identity holds in one workspace.
 * Rights are decided at CONNECT, by the devices held then.
 */
import type { MoidCaller } from '../../../platform/access/principal.ts'
import { type Context, originOf } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { Failure, invalid } from '../../../platform/errors/errors.ts'
import { record } from '../../../platform/record/record.ts'
import { formatId, newUuid } from '../../../platform/lib/ids.ts'
import { requireActiveWorkspace } from '../../team/active-workspaces/active-workspace.ts'
import { workspaceOf } from '../claims/claim.ts'
import { MAX_PHONE_DEVICES } from '../../mqtt/credentials/credential.ts'
import { type ReceiptServices, revokePhoneSessions } from '../../mqtt/revocation/receipt-issue.ts'
import { generatePassword } from '../../mqtt/principals/principal-secret.ts'
import { timestamp } from '../../common/shapes.ts'
import type { CreateMoidMqttCredentials, MoidMqttCredentials } from './schema.ts'
import * as store from './store.ts'

/** Live logins per identity and workspace; a further one ends the oldest. */
const MAX_LOGINS = 5
const DEFAULT_LIFETIME_SECONDS = 3_600
const EXPIRED_BATCH = 1_000

/** @throws Failure workspace_not_found, no_claimed_devices, credential_rejected */
async function requireDevices(
  trx: Db,
  { moidId, workspaceId: home }: MoidCaller,
  workspaceId: string,
): Promise<store.HeldDevice[]> {
  await requireActiveWorkspace(trx, workspaceId)
  if (!(await store.lockMoid.any(trx, { moidId }))) throw new Failure('credential_rejected')
  const devices = await store.findHeldDevices.rows(trx, {
    moidId,
    workspaceId,
    limit: MAX_PHONE_DEVICES,
  })
  // Naming a workspace gives an unauthenticated caller neither a login nor information.
  if (devices.length === 0 && home === null) throw new Failure('workspace_not_found')
  const serving = devices.filter(({ serves }) => serves)
  if (serving.length === 0) throw new Failure('no_claimed_devices')
  return serving
}

export async function createMqttLogin(
  context: Context<MoidCaller>,
  input: CreateMoidMqttCredentials,
): Promise<MoidMqttCredentials> {
  const { db, feed, keyring, caller, mqttEndpointOf } = context
  const workspaceId = workspaceOf(caller, input.workspace_id)
  if (workspaceId === null) {
    throw invalid('/workspace_id', 'is required: a login is valid for the devices of one workspace')
  }
  const { moidId, sessionId } = caller
  const { password, hash } = generatePassword(keyring)
  const id = newUuid()
  const name = formatId('mqm', id)
  const lifetimeSeconds = input.expires_in ?? DEFAULT_LIFETIME_SECONDS
  return db.transaction(async (trx) => {
    const devices = await requireDevices(trx, caller, workspaceId)
    const login = { workspaceId, id, moidId, sessionId, hash, lifetimeSeconds }
    const expiresAt = timestamp((await store.insertLogin.one(trx, login)).expires_at)
    await context.passwordSync.issued(trx, workspaceId, [{ principalId: name, password }])
    const ended = await store.deleteOldest.rows(trx, { moidId, workspaceId, kept: MAX_LOGINS })
    await feed.announceAll(
      trx,
      'mqtt-login',
      ended.map((login) => login.id),
    )
    await revokePhoneSessions(context, trx, { logins: ended }, 'moid_mqtt_login.created')
    await record(trx, originOf(context), {
      workspaceId,
      action: 'moid_mqtt_login.created',
      resource: { kind: 'mqtt_login', id: name },
      data: { mqtt_login_id: name, moid_id: formatId('moid', moidId), expires_at: expiresAt },
    })
    const { host, port, tls } = await mqttEndpointOf(workspaceId)
    return {
      workspace_id: formatId('ws', workspaceId),
      mqtt_host: host,
      mqtt_port: port,
      mqtt_tls: tls,
      mqtt_username: name,
      mqtt_password: password,
      expires_at: expiresAt,
      devices: devices.map((device) => ({
        device_id: formatId('dev', device.id),
        topic_prefix: `${device.slug}/${device.device_key}`,
      })),
    }
  })
}

/**
 * Deletes expired logins, which also ends their sessions on brokers without expiry. May run in
 * several processes at once.
 */
export async function removeMqttLogins(services: ReceiptServices & { db: Db }): Promise<void> {
  const drop = (): Promise<number> =>
    services.db.transaction(async (trx) => {
      const gone = await store.deleteExpired.rows(trx, { limit: EXPIRED_BATCH })
      await revokePhoneSessions(services, trx, { logins: gone }, 'expired')
      return gone.length
    })
  while ((await drop()) >= EXPIRED_BATCH);
}
