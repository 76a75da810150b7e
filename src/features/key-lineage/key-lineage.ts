/** Keys by who has made them: they outlive the membership of whoever that was. */
import type { Db } from '../../database/connect.ts'
import { formatId } from '../../lib/ids.ts'
import { findLiveMadeBy } from './store.ts'

export { isLiveKey } from './store.ts'

/** Live keys that a user or key has made, as callers see their ids. */
export async function liveKeysMadeBy(
  db: Db,
  workspaceId: string,
  createdBy: string,
): Promise<string[]> {
  const ids = await findLiveMadeBy(db, workspaceId, createdBy)
  return ids.map((id) => formatId('key', id))
}
