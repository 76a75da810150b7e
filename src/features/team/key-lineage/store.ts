/** Queries on API keys by creator. */
import { type Db, statement } from '../../../platform/database/connect.ts'

export interface CreatedKeyRow {
  id: string
  kind: 'platform' | 'provision'
  created_by: string
  status: 'active' | 'expired' | 'revoked'
}

// All keys that a key has created are read at once: the chains are followed in memory.
const byCreator = statement(
  'api_keys.by_creator',
  `SELECT id, kind, created_by,
     CASE WHEN revoked_at IS NOT NULL THEN 'revoked'
          WHEN expires_at <= now() THEN 'expired' ELSE 'active' END AS status
   FROM api_keys
   WHERE workspace_id = $1 AND (created_by = $2 OR created_by LIKE 'key\\_%')
   ORDER BY id`,
)
const live = statement(
  'api_keys.is_live',
  'SELECT FROM api_keys WHERE workspace_id = $1 AND id = $2 AND revoked_at IS NULL',
)
// Rows are locked in a fixed order, to avoid deadlocks with what writes the uses of keys.
const revoke = statement(
  'api_keys.revoke',
  `WITH revoked AS (
     SELECT id FROM api_keys
     WHERE workspace_id = $1 AND id = ANY($2::uuid[]) AND revoked_at IS NULL
     ORDER BY id FOR UPDATE
   )
   UPDATE api_keys k SET revoked_at = now(), revision = revision + 1, updated_at = now()
   FROM revoked WHERE k.workspace_id = $1 AND k.id = revoked.id RETURNING k.id, k.kind`,
)
const liveOfUser = statement(
  'api_keys.live_of_user',
  `SELECT w.slug, count(*) AS keys FROM api_keys k JOIN workspaces w ON w.id = k.workspace_id
   WHERE k.created_by = $1 AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
   GROUP BY w.slug ORDER BY w.slug`,
)

/** Whether a key has not been revoked. */
export const isLiveKey = async (db: Db, workspaceId: string, id: string): Promise<boolean> =>
  (await db.query(live, [workspaceId, id])).length > 0

/** Keys that a user has created, and all that any key has created. @param userId public id */
export const findCreatedKeys = (
  db: Db,
  workspaceId: string,
  userId: string,
): Promise<CreatedKeyRow[]> => db.query(byCreator, [workspaceId, userId])

/** @returns those that were not revoked before */
export const markRevoked = (
  trx: Db,
  workspaceId: string,
  ids: readonly string[],
): Promise<Pick<CreatedKeyRow, 'id' | 'kind'>[]> => trx.query(revoke, [workspaceId, ids])

/** The number of live keys that a user has created, by workspace. @param userId public id */
export const countLiveKeysOfUser = (
  db: Db,
  userId: string,
): Promise<{ slug: string; keys: number }[]> => db.query(liveOfUser, [userId])
