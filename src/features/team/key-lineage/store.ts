/** Queries on API keys by creator. */
import { type RowOf, sql } from '../../../platform/database/sql.ts'

// All keys that a key has created are read at once: the chains are followed in memory.
/** Keys that a user has created, and all that any key has created. @param createdBy public id */
export const findCreatedKeys = sql('api_keys.by_creator')`
  SELECT id, kind, created_by,
    CASE WHEN revoked_at IS NOT NULL THEN 'revoked'
         WHEN expires_at <= now() THEN 'expired' ELSE 'active' END AS status!
  FROM api_keys
  WHERE workspace_id = $workspaceId AND (created_by = $createdBy OR created_by LIKE 'key\\_%')
  ORDER BY id`
export type CreatedKeyRow = RowOf<typeof findCreatedKeys>
/** Whether a key has not been revoked. */
export const isLiveKey = sql('api_keys.is_live')`
  SELECT FROM api_keys WHERE workspace_id = $workspaceId AND id = $id AND revoked_at IS NULL`
// Rows are locked in a fixed order, to avoid deadlocks with what writes the uses of keys.
/** @returns those that were not revoked before */
export const markRevoked = sql('api_keys.revoke')`
  WITH revoked AS (
    SELECT id FROM api_keys
    WHERE workspace_id = $workspaceId AND id = ANY($ids::uuid[]) AND revoked_at IS NULL
    ORDER BY id FOR UPDATE
  )
  UPDATE api_keys k SET revoked_at = now(), revision = revision + 1, updated_at = now()
  FROM revoked WHERE k.workspace_id = $workspaceId AND k.id = revoked.id RETURNING k.id, k.kind`
/** The number of live keys that a user has created, by workspace. @param createdBy public id */
export const countLiveKeysOfUser = sql('api_keys.live_of_user')`
  SELECT w.slug, count(*) AS keys FROM api_keys k JOIN workspaces w ON w.id = k.workspace_id
  WHERE k.created_by = $createdBy AND k.revoked_at IS NULL
    AND (k.expires_at IS NULL OR k.expires_at > now())
  GROUP BY w.slug ORDER BY w.slug`
