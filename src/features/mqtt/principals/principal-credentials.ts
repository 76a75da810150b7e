/** New passwords of a principal: in place of the old one immediately, or in addition to it. */
import { type Context, originOf } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { record } from '../../../platform/record/record.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { mqttCredentialsOf } from '../../common/mqtt-credentials-shape.ts'
import { timestamp } from '../../common/shapes.ts'
import { lockPrincipal } from './mqtt-principal.ts'
import { generatePassword } from './principal-secret.ts'
import type { ResetMqttPrincipal, RotatedMqttPrincipal } from './schema.ts'
import { addPendingSecret, replaceAllSecrets, slugOf } from './store.ts'
import { issueReceipt } from '../revocation/receipt-issue.ts'

/** Creates a new password and stores its hash. */
async function renew<T>(
  context: Context,
  principalId: string,
  action: 'mqtt_principal.credentials_reset' | 'mqtt_principal.rotated',
  store: (trx: Db, hash: Buffer, password: string) => Promise<T>,
): Promise<ResetMqttPrincipal & { stored: T }> {
  const { db, keyring, workspaceId } = context
  const { password, hash } = generatePassword(keyring)
  const principal_id = formatId('mqp', principalId)
  return db.transaction(async (trx) => {
    const row = await lockPrincipal(trx, context, principalId)
    const slug = (await slugOf.one(trx, { id: workspaceId })).slug
    const stored = await store(trx, hash, password)
    await record(trx, originOf(context), {
      workspaceId,
      action,
      resource: { kind: 'mqtt_principal', id: principal_id },
      data: { principal_id, name: row.name },
    })
    const endpoint = await context.mqttEndpointOf(workspaceId)
    const login = { username: principal_id, password, topicPrefix: slug }
    const mqtt_credentials = mqttCredentialsOf(endpoint, login)
    return { principal_id, mqtt_credentials, stored }
  })
}

/** All other passwords become invalid and live sessions end. */
export async function resetPrincipalCredentials(
  context: Context,
  principalId: string,
): Promise<ResetMqttPrincipal> {
  const { feed, workspaceId } = context
  const action = 'mqtt_principal.credentials_reset'
  const replace = async (trx: Db, hash: Buffer, password: string): Promise<void> => {
    await replaceAllSecrets.run(trx, { workspaceId, principalId, hash })
    await feed.announce(trx, 'mqtt-principal', principalId)
    const principal_id = formatId('mqp', principalId)
    await issueReceipt(context, trx, action, principal_id)
    const issued = { principalId: principal_id, password }
    await context.passwordSync.replace(trx, workspaceId, issued)
  }
  const { stored: _, ...response } = await renew(context, principalId, action, replace)
  return response
}

/**
 * The old password remains valid until the first use of the new one, or forever if it is never
 * used.
 */
export async function rotatePrincipalCredentials(
  context: Context,
  principalId: string,
): Promise<RotatedMqttPrincipal> {
  const action = 'mqtt_principal.rotated'
  const add = async (trx: Db, hash: Buffer, password: string): Promise<number> => {
    const issued = { principalId: formatId('mqp', principalId), password }
    await context.passwordSync.issued(trx, context.workspaceId, [issued])
    const key = { workspaceId: context.workspaceId, principalId }
    return (await addPendingSecret.one(trx, { ...key, hash })).expires_at
  }
  const { stored, ...response } = await renew(context, principalId, action, add)
  return { ...response, confirm_by: timestamp(stored) }
}
