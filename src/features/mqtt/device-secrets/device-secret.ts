/**
 * The secrets of a device: one for MQTT and one for HTTP, issued together. Each kind has a
 * confirmed secret and a few pending ones. A rotation only adds; the first use of a pending
 * secret confirms it and invalidates older ones, so a device gets in with whichever response
 * reached it.
 */
import type { Keyring } from '../../../platform/access/keyring.ts'
import type { ChangeFeed } from '../../../platform/database/change-feed.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { DEVICE_TOKEN_PREFIX, issueSecret } from '../../../platform/lib/secrets.ts'
import * as store from './store.ts'

export {
  destroyDeviceSecrets,
  findHttpSecret,
  findValidSecrets,
  markSecretsUsed,
  type SecretName,
} from './store.ts'

/** Plaintexts, which leave the service once, and the hashes that are stored. */
export interface GeneratedSecrets extends store.HashedSecrets {
  mqttPassword: string
  deviceHttpToken: string
}

export const MQTT_PASSWORD_PREFIX = 'mqp_'

export function generateDeviceSecrets(keyring: Keyring): GeneratedSecrets {
  const mqttPassword = issueSecret(MQTT_PASSWORD_PREFIX)
  const deviceHttpToken = issueSecret(DEVICE_TOKEN_PREFIX)
  return {
    mqttPassword,
    deviceHttpToken,
    mqttHash: keyring.hashSecret(mqttPassword),
    httpHash: keyring.hashSecret(deviceHttpToken),
  }
}

/**
 * Whether a response's secrets may be repeated: only while neither was ever presented. A used
 * secret was not lost, and another client may have repeated the request.
 */
export const mayRepeatSecrets = (
  { db, keyring }: { db: Db; keyring: Keyring },
  { device_http_token }: { device_http_token: string },
): Promise<boolean> => store.areSecretsUnused(db, keyring.hashSecret(device_http_token))

/** Replaces all secrets of a locked device immediately and ends live sessions. */
export async function resetDeviceSecrets(
  services: { feed: ChangeFeed },
  trx: Db,
  workspaceId: string,
  deviceId: string,
  { mqttHash, httpHash }: GeneratedSecrets,
): Promise<void> {
  await store.destroyDeviceSecrets.run(trx, { workspaceId, deviceIds: [deviceId] })
  await store.issueSecrets.run(trx, { workspaceId, deviceId, mqttHash, httpHash })
  await services.feed.announce(trx, 'device', deviceId)
}

/**
 * The first use of a pending secret. Of concurrent uses one confirms it; all succeed.
 * @returns whether this call confirmed it
 */
export async function confirmDeviceSecret(
  services: { feed: ChangeFeed },
  db: Db,
  workspaceId: string,
  deviceId: string,
  kind: 'mqtt' | 'http',
  generation: number,
): Promise<boolean> {
  const confirmed = await store.confirmSecret.any(db, {
    workspaceId,
    ref: deviceId,
    kind,
    generation,
  })
  if (confirmed) services.feed.applyAfterCommit(db, 'device', deviceId)
  return confirmed
}
