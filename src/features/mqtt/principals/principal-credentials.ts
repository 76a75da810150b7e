/** New passwords of a principal: in place of the old one immediately, or in addition to it. */
import type { Context } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { mqttCredentialsOf } from '../../common/mqtt-credentials-shape.ts'
import { timestamp } from '../../common/shapes.ts'
import { changePrincipal, type PrincipalChange } from './principal-change.ts'
import { generatePassword } from './principal-secret.ts'
import type { ResetMqttPrincipal, RotatedMqttPrincipal } from './schema.ts'
import { addPendingSecret, replaceAllSecrets, slugOf } from './store.ts'

interface Renewal<Stored> extends Pick<PrincipalChange<Stored>, 'action' | 'reaches'> {
  store: (trx: Db, hash: Buffer, issued: Issued) => Promise<Stored>
}

/** For brokers that store passwords. */
interface Issued {
  principalId: string
  password: string
}

/** Creates a new password and stores its hash. */
function renew<Stored>(
  context: Context,
  principalId: string,
  { store, ...change }: Renewal<Stored>,
): Promise<{ response: ResetMqttPrincipal; stored: Stored }> {
  const { keyring, workspaceId } = context
  const { password, hash } = generatePassword(keyring)
  const principal_id = formatId('mqp', principalId)
  return changePrincipal(context, principalId, {
    ...change,
    async write(trx) {
      const { slug: topicPrefix } = await slugOf.one(trx, { id: workspaceId })
      const stored = await store(trx, hash, { principalId: principal_id, password })
      const endpoint = await context.mqttEndpointOf(workspaceId)
      const login = { username: principal_id, password, topicPrefix }
      const response = { principal_id, mqtt_credentials: mqttCredentialsOf(endpoint, login) }
      return { response, stored }
    },
  })
}

/** All other passwords become invalid and live sessions end. */
export async function resetPrincipalCredentials(
  context: Context,
  principalId: string,
): Promise<ResetMqttPrincipal> {
  const { workspaceId, passwordSync } = context
  const { response } = await renew(context, principalId, {
    action: 'mqtt_principal.credentials_reset',
    reaches: 'sessions',
    async store(trx, hash, issued) {
      await replaceAllSecrets.run(trx, { workspaceId, principalId, hash })
      await passwordSync.replace(trx, workspaceId, issued)
    },
  })
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
  const { workspaceId, passwordSync } = context
  const { response, stored } = await renew(context, principalId, {
    action: 'mqtt_principal.rotated',
    reaches: 'nobody',
    async store(trx, hash, issued) {
      await passwordSync.issued(trx, workspaceId, [issued])
      return addPendingSecret.one(trx, { workspaceId, principalId, hash })
    },
  })
  return { ...response, confirm_by: timestamp(stored.expires_at) }
}
