/**
 * API keys by creator. A key outlives its creator's membership unless it is revoked, and a platform
 * key can create further keys: both follow from the creators.
 */
import type { ChangeFeed } from '../../../platform/database/change-feed.ts'
import type { Db } from '../../../platform/database/connect.ts'
import type { Origin } from '../../../platform/record/event.ts'
import { recordAll } from '../../../platform/record/record.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { type CreatedKeyRow, findCreatedKeys, markRevoked } from './store.ts'

export { countLiveKeysOfUser, isLiveKey } from './store.ts'

export interface CreatedKey extends CreatedKeyRow {
  publicId: string
}

/** The keys that a user has created, those created with them, and so on; ended ones included. */
export async function keysCreatedBy(
  db: Db,
  workspaceId: string,
  userId: string,
): Promise<CreatedKey[]> {
  const rows = await findCreatedKeys.rows(db, { workspaceId, createdBy: userId })
  const keys = rows.map((row) => ({ ...row, publicId: formatId('key', row.id) }))
  const byCreator = Map.groupBy(keys, ({ created_by }) => created_by)
  const found = [...(byCreator.get(userId) ?? [])]
  // The list grows during the loop: a key has one creator, so that each is found once.
  for (const { publicId } of found) found.push(...(byCreator.get(publicId) ?? []))
  return found
}

/** Revokes keys: from the commit on they are refused, in every process within a second. */
export async function revokeKeys(
  { feed }: { feed: ChangeFeed },
  trx: Db,
  origin: Origin,
  workspaceId: string,
  ids: readonly string[],
): Promise<void> {
  const revoked = await markRevoked.rows(trx, { workspaceId, ids })
  await feed.announceAll(
    trx,
    'api-key',
    revoked.map(({ id }) => id),
  )
  const changes = revoked.map(({ id, kind }) => {
    const keyId = formatId('key', id)
    return {
      workspaceId,
      action: 'api_key.revoked' as const,
      resource: { kind: 'api_key', id: keyId },
      data: { api_key_id: keyId, key_kind: kind },
    }
  })
  await recordAll(trx, origin, changes)
}
