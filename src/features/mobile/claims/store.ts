/** Queries on open and ended claims. */
import { changeInsert } from '../../../platform/database/change-feed.ts'
import { filteredList, type RowOfList } from '../../../platform/database/filtered-list.ts'
import { type ParamsOf, type RowOf, sql } from '../../../platform/database/sql.ts'

const columns = `c.workspace_id, c.id, c.moid_id, c.name,
  CASE WHEN c.status = 'open' AND c.expires_at <= now() THEN 'expired' ELSE c.status END AS status!,
  c.device_id, c.created_at, c.expires_at, c.bound_at, c.ended_at, c.revision, c.counted_under,
  (extract(epoch FROM c.expires_at - now()) * 1000)::float8 AS open_ms!`

const visible = "JOIN workspaces w ON w.id = c.workspace_id AND w.status = 'active'"

/** No row if the workspace already has a claim with this code. */
export const insertClaim = sql('claims.insert')`
  INSERT INTO claims AS c (workspace_id, id, shown_by, moid_id, device_id, name, code_hash,
                           expires_at, counted_under)
  VALUES ($workspaceId, $id, $shownBy, $moidId?, $deviceId?, $name?, $codeHash,
    now() + make_interval(secs => $lifetimeSeconds), $countedUnder?)
  ON CONFLICT ON CONSTRAINT claims_code DO NOTHING
  RETURNING ${columns}`
/** Serializes transactions of an identity that count its claims. */
export const lockMoid = sql('claims.lock_moid')`
  SELECT 1 FROM moids WHERE id = $id FOR NO KEY UPDATE`
export const countOpenClaims = sql('claims.count_open')`
  SELECT count(*) AS open FROM claims
  WHERE moid_id = $moidId AND status = 'open' AND expires_at > now()`
/** @param workspaceId the only one to search; null: all */
export const findClaim = sql('claims.by_id')`
  SELECT ${columns} FROM claims c ${visible}
  WHERE c.moid_id = $moidId AND c.id = $id
    AND ($workspaceId?::uuid IS NULL OR c.workspace_id = $workspaceId)`
export type NewClaim = ParamsOf<typeof insertClaim>
export type ClaimRow = RowOf<typeof findClaim>
export const lockClaim = sql('claims.lock')`${findClaim.source} FOR NO KEY UPDATE OF c`
export const pageOfClaims = sql('claims.page')`
  SELECT ${columns} FROM claims c ${visible}
  WHERE c.moid_id = $moidId AND ($workspaceId?::uuid IS NULL OR c.workspace_id = $workspaceId)
    AND ($after?::uuid IS NULL OR c.id < $after)
  ORDER BY c.id DESC LIMIT $limit`
const presentStatus =
  "CASE WHEN status = 'open' AND expires_at <= now() THEN 'expired' ELSE status END"

/** Claims of a workspace, newest first. */
export const pageOfWorkspaceClaims = filteredList('claims.filtered', {
  columns: `workspace_id, id, moid_id, shown_by, name, ${presentStatus} AS status!, device_id,
    created_at, expires_at, bound_at,
    CASE WHEN status = 'open' AND expires_at <= now() THEN expires_at ELSE ended_at END AS ended_at`,
  table: 'claims',
  fields: {
    status: { sql: presentStatus },
    device_id: { sql: 'device_id' },
    moid_id: { sql: 'moid_id' },
    shown_by: { sql: 'shown_by' },
    created_at: { sql: 'created_at', isTimeOfId: true },
  },
})
export type WorkspaceClaimRow = RowOfList<typeof pageOfWorkspaceClaims>
export const markCancelled = sql('claims.cancel')`
  UPDATE claims SET status = 'cancelled', ended_at = now(), revision = revision + 1
  WHERE workspace_id = $workspaceId AND id = $id AND status = 'open'`
export const cancelShownClaims = sql('claims.cancel_displayed')`
  UPDATE claims AS c
  SET status = CASE WHEN expires_at <= now() THEN 'expired' ELSE 'cancelled' END,
      ended_at = least(expires_at, now()), revision = revision + 1
  WHERE workspace_id = $workspaceId AND device_id = $deviceId AND status = 'open'
    AND shown_by = 'device'
  RETURNING ${columns}`
export const markExpiredClaims = sql('claims.mark_expired')`
  WITH late AS (
    SELECT workspace_id, id FROM claims WHERE status = 'open' AND expires_at <= now()
    ORDER BY expires_at LIMIT $limit FOR NO KEY UPDATE SKIP LOCKED
  )
  UPDATE claims AS c SET status = 'expired', ended_at = c.expires_at
  FROM late WHERE c.workspace_id = late.workspace_id AND c.id = late.id
  RETURNING ${columns}`
// Every process reads it from the feed, including this one.
/** Wakes waiters for claims of a workspace, up to a number. */
export const wakeOpenClaims = sql('claims.wake')`
  WITH open AS (
    SELECT id FROM claims WHERE workspace_id = $workspaceId AND status = 'open'
      AND moid_id IS NOT NULL
    LIMIT $limit
  )
  ${changeInsert('claim', 'open', 'id')}`
/** @returns the number deleted */
export const deleteEndedClaims = sql('claims.delete_ended')`
  WITH old AS (
    SELECT workspace_id, id FROM claims WHERE ended_at <= now() - make_interval(days => $days)
    ORDER BY ended_at LIMIT $limit FOR UPDATE SKIP LOCKED
  )
  DELETE FROM claims c USING old WHERE c.workspace_id = old.workspace_id AND c.id = old.id
  RETURNING 1`
