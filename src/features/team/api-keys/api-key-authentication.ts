/** Resolves an API key to its caller, from memory while the change feed allows it. */
import { columnsOf } from '../../../platform/database/sql.ts'
import { hash } from 'node:crypto'
import type { PlatformKeyCaller, ProvisionKeyCaller } from '../../../platform/access/principal.ts'
import type { Keyring } from '../../../platform/access/keyring.ts'
import type { ChangeFeed } from '../../../platform/database/change-feed.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { FeedCache } from '../../../platform/database/feed-cache.ts'
import type { Clock } from '../../../platform/lib/clock.ts'
import type { MaybePromise } from '../../../platform/lib/maybe-promise.ts'
import { writeBuffered } from '../../../platform/lib/write-buffered.ts'
import {
  hasGoodChecksum,
  PLATFORM_KEY_PREFIX,
  PROVISION_KEY_PREFIX,
} from '../../../platform/lib/secrets.ts'
import { findLiveKey, type KeyUse, type LiveKeyRow, writeKeyUses } from './store.ts'

type KeyCaller = PlatformKeyCaller | ProvisionKeyCaller

export interface KeyAuthentication {
  /** The caller; undefined for a key that is unknown, expired or revoked. */
  authenticate(key: string, address: string): MaybePromise<KeyCaller | undefined>
  /**
   * Writes in one statement when and from where keys were last used. A use whose write fails is
   * kept for the next time.
   */
  flush(): Promise<void>
}

export const looksLikeApiKey = (text: string): boolean =>
  text.startsWith(PLATFORM_KEY_PREFIX) || text.startsWith(PROVISION_KEY_PREFIX)

interface Known {
  caller: KeyCaller
  expiresAt: number | null
}

function callerOf(row: LiveKeyRow): KeyCaller {
  const { workspace_id: workspaceId, id: keyId } = row
  if (row.kind === 'platform') return { kind: 'platform-key', workspaceId, keyId }
  return {
    kind: 'provision-key',
    workspaceId,
    workspaceSlug: row.slug,
    keyId,
    templateIds: row.template_ids,
    actions: row.actions,
    allowedCidrs: row.allowed_cidrs,
    ratePerMin: row.rate_per_min,
    hasQuota: row.device_quota !== null,
    onKnownDevice: row.on_known_device,
    approval: row.approval,
  }
}

const MAX_CACHED_KEYS = 50_000
const USES_BATCH = 1_000

export function createKeyAuthentication(services: {
  db: Db
  keyring: Keyring
  feed: ChangeFeed
  clock: Clock
}): KeyAuthentication {
  const { db, keyring, feed, clock } = services
  const known = new FeedCache<Known>({
    feed,
    max: MAX_CACHED_KEYS,
    kinds: ['api-key', 'workspace'],
    refsOf: ({ caller }) => [caller.keyId, caller.workspaceId],
  })
  const uses = new Map<string, KeyUse>()

  const admit = (found: Known | undefined, address: string): KeyCaller | undefined => {
    const now = clock.now()
    if (found === undefined || (found.expiresAt !== null && found.expiresAt <= now))
      return undefined
    const { caller } = found
    uses.set(caller.keyId, {
      workspaceId: caller.workspaceId,
      keyId: caller.keyId,
      at: now,
      address,
    })
    return caller
  }

  return {
    authenticate(key, address) {
      const prefix = key.startsWith(PLATFORM_KEY_PREFIX)
        ? PLATFORM_KEY_PREFIX
        : PROVISION_KEY_PREFIX
      // Not the key itself, which a heap dump would reveal, nor the stored hash, which takes six
      // times as long.
      const cacheKey = hash('sha256', key, 'base64')
      const found = known.get(cacheKey)
      if (found !== undefined) return admit(found, address)
      // Cached keys need no checksum; mistyped ones no lookup.
      if (!hasGoodChecksum(prefix, key)) return undefined
      const read = async (): Promise<Known | undefined> => {
        const row = await findLiveKey.first(db, { hash: keyring.hashSecret(key) })
        return row && { caller: callerOf(row), expiresAt: row.expires_at }
      }
      return known.load(cacheKey, read).then((value) => admit(value, address))
    },
    flush: () => writeBuffered(uses, USES_BATCH, (rows) => writeKeyUses.run(db, columnsOf(rows))),
  }
}
