/**
 * The secrets of a device: one for MQTT, one for its HTTP routes, made together. Each kind has a
 * confirmed secret and a few pending ones. A rotation only adds; the first use of a pending secret
 * confirms it and kills all older ones, so whichever answer reached the device, it gets in.
 */
import type { Keyring } from '../../access/keyring.ts'
import type { ChangeFeed } from '../../database/change-feed.ts'
import type { Db } from '../../database/connect.ts'
import { DEVICE_TOKEN_PREFIX, mintSecret } from '../../lib/secrets.ts'
import * as store from './store.ts'

export { findHttpSecret } from './store.ts'

/** Plaintext that leaves the service once, and the hashes that stay. */
export interface MintedSecrets extends store.HashedSecrets {
  mqttPassword: string
  deviceHttpToken: string
}

export const MQTT_PASSWORD_PREFIX = 'mqp_'

export function mintDeviceSecrets(keyring: Keyring): MintedSecrets {
  const mqttPassword = mintSecret(MQTT_PASSWORD_PREFIX)
  const deviceHttpToken = mintSecret(DEVICE_TOKEN_PREFIX)
  return {
    mqttPassword,
    deviceHttpToken,
    mqttHash: keyring.hashSecret(mqttPassword),
    httpHash: keyring.hashSecret(deviceHttpToken),
  }
}

/** Puts a new secret in place of all others, which are dead at once; live sessions are cut. */
export async function resetDeviceSecrets(
  services: { feed: ChangeFeed },
  trx: Db,
  workspaceId: string,
  deviceId: string,
  minted: MintedSecrets,
): Promise<void> {
  await store.replaceAllSecrets(trx, workspaceId, deviceId, minted)
  services.feed.applyAfterCommit(trx, 'device', deviceId)
}

/** Leaves the device without any secret; live sessions are cut. */
export async function destroyDeviceSecrets(
  services: { feed: ChangeFeed },
  trx: Db,
  workspaceId: string,
  deviceId: string,
): Promise<void> {
  await store.destroyAllSecrets(trx, workspaceId, deviceId)
  services.feed.applyAfterCommit(trx, 'device', deviceId)
}

/**
 * The first use of a pending secret. Of several at once one confirms it; all of them are right.
 * @returns whether this was the one.
 */
export async function confirmDeviceSecret(
  services: { feed: ChangeFeed },
  db: Db,
  workspaceId: string,
  deviceId: string,
  kind: 'mqtt' | 'http',
  generation: number,
): Promise<boolean> {
  const confirmed = await store.confirmSecret(db, workspaceId, deviceId, kind, generation)
  if (confirmed) services.feed.applyAfterCommit(db, 'device', deviceId)
  return confirmed
}
