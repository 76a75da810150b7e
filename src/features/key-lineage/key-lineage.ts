/** API keys by creator: they outlive their creator's membership. */
import type { Db } from '../../database/connect.ts'
import { formatId } from '../../lib/ids.ts'
import { findLiveMadeBy } from './store.ts'

export { isLiveKey } from './store.ts'

/** Public ids of live keys that a user or key has created. */
export async function liveKeysMadeBy(
  db: Db,
  workspaceId: string,
  createdBy: string,
): Promise<string[]> {
  const ids = await findLiveMadeBy(db, workspaceId, createdBy)
  return ids.map((id) => formatId('key', id))
}
