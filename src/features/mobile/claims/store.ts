/** Queries on open and ended claims. */
import { changeInsert } from '../../../platform/database/change-feed.ts'
import { type Db, statement } from '../../../platform/database/connect.ts'

export type ClaimStatus = 'open' | 'bound' | 'released' | 'expired' | 'cancelled'

export interface ClaimRow {
  workspace_id: string
  id: string
  moid_id: string | null
  name: string | null
  /** An open claim counts as expired at once, even before it is marked. */
  status: ClaimStatus
  device_id: string | null
  created_at: number
  expires_at: number
  bound_at: number | null
  ended_at: number | null
  revision: number
  /** The address block under which it was counted; null: it was recorded. */
  counted_under: string | null
  /** Milliseconds until `expires_at`, by the database's clock. */
  open_ms: number
}

const columns = `c.workspace_id, c.id, c.moid_id, c.name,
  CASE WHEN c.status = 'open' AND c.expires_at <= now() THEN 'expired' ELSE c.status END AS status,
  c.device_id, c.created_at, c.expires_at, c.bound_at, c.ended_at, c.revision, c.counted_under,
  (extract(epoch FROM c.expires_at - now()) * 1000)::float8 AS open_ms`

const visible = "JOIN workspaces w ON w.id = c.workspace_id AND w.status = 'active'"

const insert = statement(
  'claims.insert',
  `INSERT INTO claims AS c (workspace_id, id, shown_by, moid_id, device_id, name, code_hash,
                            expires_at, counted_under)
   VALUES ($1, $2, $3, $4, $5, $6, $7, now() + make_interval(secs => $8), $9)
   ON CONFLICT ON CONSTRAINT claims_code DO NOTHING
   RETURNING ${columns}`,
)
const lockMoidRow = statement(
  'claims.lock_moid',
  'SELECT 1 FROM moids WHERE id = $1 FOR NO KEY UPDATE',
)
const countOpen = statement(
  'claims.count_open',
  `SELECT count(*) AS open FROM claims
   WHERE moid_id = $1 AND status = 'open' AND expires_at > now()`,
)
const byId = statement(
  'claims.by_id',
  `SELECT ${columns} FROM claims c ${visible}
   WHERE c.moid_id = $1 AND c.id = $2 AND ($3::uuid IS NULL OR c.workspace_id = $3)`,
)
const lock = statement('claims.lock', `${byId.text} FOR NO KEY UPDATE OF c`)
const page = statement(
  'claims.page',
  `SELECT ${columns} FROM claims c ${visible}
   WHERE c.moid_id = $1 AND ($2::uuid IS NULL OR c.workspace_id = $2)
     AND ($3::uuid IS NULL OR c.id < $3)
   ORDER BY c.id DESC LIMIT $4`,
)
const cancel = statement(
  'claims.cancel',
  `UPDATE claims SET status = 'cancelled', ended_at = now(), revision = revision + 1
   WHERE workspace_id = $1 AND id = $2 AND status = 'open'`,
)
const cancelShown = statement(
  'claims.cancel_shown',
  `UPDATE claims AS c
   SET status = CASE WHEN expires_at <= now() THEN 'expired' ELSE 'cancelled' END,
       ended_at = least(expires_at, now()), revision = revision + 1
   WHERE workspace_id = $1 AND device_id = $2 AND status = 'open' AND shown_by = 'device'
   RETURNING ${columns}`,
)
const markExpired = statement(
  'claims.mark_expired',
  `WITH late AS (
     SELECT workspace_id, id FROM claims WHERE status = 'open' AND expires_at <= now()
     ORDER BY expires_at LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED
   )
   UPDATE claims AS c SET status = 'expired', ended_at = c.expires_at
   FROM late WHERE c.workspace_id = late.workspace_id AND c.id = late.id
   RETURNING ${columns}`,
)
// Every process reads it from the feed, including this one.
const wake = statement(
  'claims.wake',
  `WITH open AS (
     SELECT id FROM claims WHERE workspace_id = $1 AND status = 'open' AND moid_id IS NOT NULL
     LIMIT $2
   )
   ${changeInsert('claim', 'open', 'id')}`,
)
const deleteEnded = statement(
  'claims.delete_ended',
  `WITH old AS (
     SELECT workspace_id, id FROM claims WHERE ended_at <= now() - make_interval(days => $1)
     ORDER BY ended_at LIMIT $2 FOR UPDATE SKIP LOCKED
   )
   DELETE FROM claims c USING old WHERE c.workspace_id = old.workspace_id AND c.id = old.id
   RETURNING 1`,
)

export interface NewClaim {
  workspaceId: string
  id: string
  shownBy: 'phone' | 'device'
  moidId: string | null
  deviceId: string | null
  name: string | null
  codeHash: Buffer
  lifetimeSeconds: number
  countedUnder: string | null
}

/** @returns undefined if the workspace already has a claim with this code */
export async function insertClaim(db: Db, claim: NewClaim): Promise<ClaimRow | undefined> {
  const values = [
    claim.workspaceId,
    claim.id,
    claim.shownBy,
    claim.moidId,
    claim.deviceId,
    claim.name,
    claim.codeHash,
    claim.lifetimeSeconds,
    claim.countedUnder,
  ]
  return (await db.query<ClaimRow>(insert, values))[0]
}

/** Serializes transactions of an identity that count its claims. */
export const lockMoid = async (db: Db, moidId: string): Promise<boolean> =>
  (await db.query(lockMoidRow, [moidId])).length > 0

export const countOpenClaims = async (db: Db, moidId: string): Promise<number> =>
  (await db.query<{ open: number }>(countOpen, [moidId]))[0]?.open ?? 0

/** @param within the only workspace to search; null: all */
export async function findClaim(
  db: Db,
  moidId: string,
  id: string,
  within: string | null,
): Promise<ClaimRow | undefined> {
  return (await db.query<ClaimRow>(byId, [moidId, id, within]))[0]
}

export async function lockClaim(
  db: Db,
  moidId: string,
  id: string,
  within: string | null,
): Promise<ClaimRow | undefined> {
  return (await db.query<ClaimRow>(lock, [moidId, id, within]))[0]
}

export const pageOfClaims = (
  db: Db,
  moidId: string,
  within: string | null,
  after: string | undefined,
  limit: number,
): Promise<ClaimRow[]> => db.query(page, [moidId, within, after ?? null, limit])

export async function markCancelled(db: Db, workspaceId: string, id: string): Promise<void> {
  await db.query(cancel, [workspaceId, id])
}

export const cancelShownClaims = (
  db: Db,
  workspaceId: string,
  deviceId: string,
): Promise<ClaimRow[]> => db.query(cancelShown, [workspaceId, deviceId])

export const markExpiredClaims = (db: Db, limit: number): Promise<ClaimRow[]> =>
  db.query(markExpired, [limit])

/** Wakes waiters for claims of a workspace, up to a number. */
export async function wakeOpenClaims(trx: Db, workspaceId: string, limit: number): Promise<void> {
  await trx.query(wake, [workspaceId, limit])
}

/** @returns the number deleted */
export const deleteEndedClaims = async (db: Db, days: number, limit: number): Promise<number> =>
  (await db.query(deleteEnded, [days, limit])).length
