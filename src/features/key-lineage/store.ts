/** Queries on API keys by creator. */
import { type Db, statement } from '../../database/connect.ts'

const liveMadeBy = statement(
  'api_keys.live_made_by',
  `SELECT id FROM api_keys
   WHERE workspace_id = $1 AND created_by = $2 AND revoked_at IS NULL
     AND (expires_at IS NULL OR expires_at > now())
   ORDER BY id`,
)
const live = statement(
  'api_keys.is_live',
  'SELECT FROM api_keys WHERE workspace_id = $1 AND id = $2 AND revoked_at IS NULL',
)

/** Whether a key has not been revoked. */
export const isLiveKey = async (db: Db, workspaceId: string, id: string): Promise<boolean> =>
  (await db.query(live, [workspaceId, id])).length > 0

/** @param createdBy public id of the creator */
export async function findLiveMadeBy(
  db: Db,
  workspaceId: string,
  createdBy: string,
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(liveMadeBy, [workspaceId, createdBy])
  return rows.map(({ id }) => id)
}
