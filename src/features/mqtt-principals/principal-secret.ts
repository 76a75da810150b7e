/**
 * The secrets of a principal: a confirmed one and a few pending ones. A rotation only adds; the
 * first CONNECT with a pending secret confirms it and kills all older ones.
 */
import type { ChangeFeed } from '../../database/change-feed.ts'
import type { Db } from '../../database/connect.ts'
import * as store from './secrets-store.ts'

/** The first use of a pending secret. Of several at once one confirms it; all of them are right. */
export async function confirmPrincipalSecret(
  services: { feed: ChangeFeed },
  db: Db,
  workspaceId: string,
  principalId: string,
  generation: number,
): Promise<void> {
  const confirmed = await store.confirmSecret(db, workspaceId, principalId, generation)
  if (confirmed) services.feed.applyAfterCommit(db, 'mqtt-principal', principalId)
}
