/** Queries on time ranges of audit logs, for export and retention. */
import { type Db, statement } from '../../../platform/database/connect.ts'
import type { ChainStart } from './store.ts'

// Ids grow with time, so a bound is found directly. Chain order differs only slightly: the smallest
// sequence number is among the first entries, and the greatest among the last.
const sealedRange = statement(
  'audit_log.sealed_range',
  `SELECT
     (SELECT min(seq) FROM (
        SELECT seq FROM audit_log
        WHERE workspace_id = $1 AND id >= $2::uuid AND occurred_at >= $3::timestamptz
          AND seq IS NOT NULL
        ORDER BY id LIMIT 1000) AS oldest) AS first,
     (SELECT max(seq) FROM (
        SELECT seq FROM audit_log
        WHERE workspace_id = $1 AND id < $4::uuid AND occurred_at < $5::timestamptz
          AND seq IS NOT NULL
        ORDER BY id DESC LIMIT 1000) AS newest) AS last`,
)
const overdue = statement(
  'audit_log.overdue',
  `SELECT c.workspace_id FROM audit_chains c
   JOIN audit_log a ON a.workspace_id = c.workspace_id AND a.seq = c.pruned_seq + 1
   WHERE c.workspace_id >= $1 AND a.occurred_at < $2::timestamptz
   ORDER BY c.workspace_id LIMIT 1`,
)
const lockStart = statement(
  'audit_chains.lock_start',
  `SELECT workspace_id, pruned_seq, pruned_hash, pruned_mac FROM audit_chains
   WHERE workspace_id = $1 FOR UPDATE`,
)
const prune = statement(
  'audit_log.prune',
  'DELETE FROM audit_log WHERE workspace_id = $1 AND seq <= $2',
)
const moveStart = statement(
  'audit_chains.move_start',
  `UPDATE audit_chains SET pruned_seq = $2, pruned_hash = $3, pruned_mac = $4
   WHERE workspace_id = $1`,
)

const NIL = '00000000-0000-0000-0000-000000000000'
const MAX = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

export interface EncryptedRange {
  first: number | null
  last: number | null
}

/** The first and last sequence number between two times. `since` and `before` are UUIDs. */
export async function findEncryptedRange(
  db: Db,
  workspaceId: string,
  times: { since?: string; before?: string; from?: string; to?: string },
): Promise<EncryptedRange> {
  const { since = NIL, before = MAX, from = '-infinity', to = 'infinity' } = times
  const values = [workspaceId, since, from, before, to]
  return (await db.query<EncryptedRange>(sealedRange, values))[0] ?? { first: null, last: null }
}

/** The first workspace, starting at `from`, whose oldest entry is expired. */
export async function findOverdue(
  db: Db,
  from: string,
  before: string,
): Promise<string | undefined> {
  const rows = await db.query<{ workspace_id: string }>(overdue, [from, before])
  return rows[0]?.workspace_id
}

export async function lockChainStart(db: Db, workspaceId: string): Promise<ChainStart | undefined> {
  return (await db.query<ChainStart>(lockStart, [workspaceId]))[0]
}

/** Deletes the entries up to the new start. The chain must be locked. */
export async function deleteUpTo(db: Db, start: ChainStart): Promise<void> {
  const { workspace_id, pruned_seq, pruned_hash, pruned_mac } = start
  await db.query(prune, [workspace_id, pruned_seq])
  await db.query(moveStart, [workspace_id, pruned_seq, pruned_hash, pruned_mac])
}
