/**
 * The secrets of a principal: one confirmed and a few pending. A rotation only adds; the first
 * CONNECT with a pending secret confirms it and invalidates older ones.
 */
import type { Keyring } from '../../../platform/access/keyring.ts'
import type { ChangeFeed } from '../../../platform/database/change-feed.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { issueSecret } from '../../../platform/lib/secrets.ts'
import { MQTT_PASSWORD_PREFIX } from '../device-secrets/device-secret.ts'
import * as store from './store.ts'

export interface GeneratedPassword {
  /** The plaintext, which leaves the service once. */
  password: string
  hash: Buffer
}

export function generatePassword(keyring: Keyring): GeneratedPassword {
  const password = issueSecret(MQTT_PASSWORD_PREFIX)
  return { password, hash: keyring.hashSecret(password) }
}

/**
 * The first use of a pending secret. Of concurrent uses one confirms it; all succeed.
 * @returns whether this call confirmed it
 */
export async function confirmPrincipalSecret(
  services: { feed: ChangeFeed },
  db: Db,
  workspaceId: string,
  principalId: string,
  generation: number,
): Promise<boolean> {
  const confirmed = await store.confirmSecret.any(db, { workspaceId, ref: principalId, generation })
  if (confirmed) services.feed.applyAfterCommit(db, 'mqtt-principal', principalId)
  return confirmed
}
