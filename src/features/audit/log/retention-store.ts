/** Queries on time ranges of audit logs, for export and retention. */
import type { Db } from '../../../platform/database/connect.ts'
import { type RowOf, sql } from '../../../platform/database/sql.ts'
import type { ChainStart } from './store.ts'

// Ids grow with time, so a bound is found directly. Chain order differs only slightly: the smallest
// sequence number is among the first entries, and the greatest among the last.
const sealedRange = sql(
  'audit_log.sealed_range',
  `SELECT
     (SELECT min(seq) FROM (
        SELECT seq FROM audit_log
        WHERE workspace_id = $workspaceId AND id >= $fromId::uuid
          AND occurred_at >= $from::timestamptz
          AND seq IS NOT NULL
        ORDER BY id LIMIT 1000) AS oldest) AS first,
     (SELECT max(seq) FROM (
        SELECT seq FROM audit_log
        WHERE workspace_id = $workspaceId AND id < $toId::uuid AND occurred_at < $to::timestamptz
          AND seq IS NOT NULL
        ORDER BY id DESC LIMIT 1000) AS newest) AS last`,
)
const overdue = sql(
  'audit_log.overdue',
  `SELECT c.workspace_id FROM audit_chains c
   JOIN audit_log a ON a.workspace_id = c.workspace_id AND a.seq = c.pruned_seq + 1
   WHERE c.workspace_id >= $workspaceId AND a.occurred_at < $occurredAt::timestamptz
   ORDER BY c.workspace_id LIMIT 1`,
)
export const lockChainStart = sql(
  'audit_chains.lock_start',
  `SELECT workspace_id, pruned_seq, pruned_hash, pruned_mac FROM audit_chains
   WHERE workspace_id = $workspaceId FOR UPDATE`,
)
const prune = sql(
  'audit_log.prune',
  'DELETE FROM audit_log WHERE workspace_id = $workspaceId AND seq <= $seq',
)
const moveStart = sql(
  'audit_chains.move_start',
  `UPDATE audit_chains SET pruned_seq = $prunedSeq, pruned_hash = $prunedHash?,
     pruned_mac = $prunedMac?
   WHERE workspace_id = $workspaceId`,
)

const NIL = '00000000-0000-0000-0000-000000000000'
const MAX = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

export type EncryptedRange = RowOf<typeof sealedRange>

/** The first and last sequence number between two times. `since` and `before` are UUIDs. */
export async function findEncryptedRange(
  db: Db,
  workspaceId: string,
  times: { since?: string; before?: string; from?: string; to?: string },
): Promise<EncryptedRange> {
  const { since = NIL, before = MAX, from = '-infinity', to = 'infinity' } = times
  return (
    (await sealedRange.rows(db, { workspaceId, fromId: since, from, toId: before, to }))[0] ?? {
      first: null,
      last: null,
    }
  )
}

/** The first workspace, starting at `from`, whose oldest entry is expired. */
export async function findOverdue(
  db: Db,
  from: string,
  before: string,
): Promise<string | undefined> {
  const rows = await overdue.rows(db, { workspaceId: from, occurredAt: before })
  return rows[0]?.workspace_id
}

/** Deletes the entries up to the new start. The chain must be locked. */
export async function deleteUpTo(db: Db, start: ChainStart): Promise<void> {
  const { workspace_id, pruned_seq, pruned_hash, pruned_mac } = start
  await prune.run(db, { workspaceId: workspace_id, seq: pruned_seq })
  await moveStart.run(db, {
    workspaceId: workspace_id,
    prunedSeq: pruned_seq,
    prunedHash: pruned_hash,
    prunedMac: pruned_mac,
  })
}
