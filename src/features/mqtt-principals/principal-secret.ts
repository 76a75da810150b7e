/**
 * The secrets of a principal: a confirmed one and a few pending ones. A rotation only adds; the
 * first CONNECT with a pending secret confirms it and kills all older ones.
 */
import type { Keyring } from '../../access/keyring.ts'
import type { ChangeFeed } from '../../database/change-feed.ts'
import type { Db } from '../../database/connect.ts'
import { mintSecret } from '../../lib/secrets.ts'
import { MQTT_PASSWORD_PREFIX } from '../device-secrets/device-secret.ts'
import * as store from './secrets-store.ts'

export interface MintedPassword {
  /** Leaves the service once. */
  password: string
  hash: Buffer
}

export function mintPassword(keyring: Keyring): MintedPassword {
  const password = mintSecret(MQTT_PASSWORD_PREFIX)
  return { password, hash: keyring.hashSecret(password) }
}

/**
 * The first use of a pending secret. Of several at once one confirms it; all of them are right.
 * @returns whether this was the one.
 */
export async function confirmPrincipalSecret(
  services: { feed: ChangeFeed },
  db: Db,
  workspaceId: string,
  principalId: string,
  generation: number,
): Promise<boolean> {
  const confirmed = await store.confirmSecret(db, workspaceId, principalId, generation)
  if (confirmed) services.feed.applyAfterCommit(db, 'mqtt-principal', principalId)
  return confirmed
}
