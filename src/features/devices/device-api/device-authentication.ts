/** Resolves a device's HTTP token to its caller, from memory while the change feed allows it. */
import { hash } from 'node:crypto'
import type { Keyring } from '../../../platform/access/keyring.ts'
import type { DeviceCaller } from '../../../platform/access/principal.ts'
import type { ChangeFeed } from '../../../platform/database/change-feed.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { FeedCache } from '../../../platform/database/feed-cache.ts'
import type { MaybePromise } from '../../../platform/lib/maybe-promise.ts'
import { DEVICE_TOKEN_PREFIX, hasGoodChecksum } from '../../../platform/lib/secrets.ts'
import {
  confirmDeviceSecret,
  findHttpSecret,
  markSecretsUsed,
} from '../../mqtt/device-secrets/device-secret.ts'

export const looksLikeDeviceToken = (text: string): boolean => text.startsWith(DEVICE_TOKEN_PREFIX)

const MAX_CACHED_TOKENS = 50_000

/** @returns gives the caller of a token; undefined if it is unknown or its device may not call */
export function createDeviceAuthentication(services: {
  db: Db
  keyring: Keyring
  feed: ChangeFeed
}): (token: string) => MaybePromise<DeviceCaller | undefined> {
  const { db, keyring, feed } = services
  // Only confirmed tokens are cached; confirmed tokens do not expire.
  const known = new FeedCache<DeviceCaller>({
    feed,
    max: MAX_CACHED_TOKENS,
    kinds: ['device', 'workspace'],
    refsOf: ({ deviceId, workspaceId }) => [deviceId, workspaceId],
  })

  const read = async (keyedHash: Buffer): Promise<DeviceCaller | undefined> => {
    let row = await findHttpSecret.first(db, { hash: keyedHash })
    if (row === undefined) return undefined
    const { workspace_id: workspaceId, device_id: deviceId, generation } = row
    const isAdmitted = ['registered', 'active'].includes(row.status)
    const isPending = row.expires_at !== null
    if (!row.is_used && !(isAdmitted && isPending)) {
      await markSecretsUsed(db, [{ workspaceId, deviceId, kind: 'http', generation }])
    }
    if (!isAdmitted) return undefined
    if (isPending) {
      await confirmDeviceSecret({ feed }, db, workspaceId, deviceId, 'http', generation)
      // A reset or later token may have come first; then this one is invalid.
      row = await findHttpSecret.first(db, { hash: keyedHash })
    }
    if (row?.expires_at !== null) return undefined
    return { kind: 'device', workspaceId, deviceId, isApproved: row.is_approved }
  }

  return (token) => {
    // As for API keys: a plain hash identifies cached tokens, which then need no checksum.
    const key = hash('sha256', token, 'base64')
    const found = known.get(key)
    if (found !== undefined) return found
    if (!hasGoodChecksum(DEVICE_TOKEN_PREFIX, token)) return undefined
    return known.load(key, () => read(keyring.hashSecret(token)))
  }
}
