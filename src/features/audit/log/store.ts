/** Queries on the audit log and its hash chain. */
import type { Db } from '../../../platform/database/connect.ts'
import { type RowOf, sql } from '../../../platform/database/sql.ts'
import { filteredList } from '../../../platform/database/filtered-list.ts'

export type AuditEntryRow = RowOf<typeof readEncrypted>

/** The columns of an entry. */
export const auditColumns = `workspace_id, id, occurred_at, actor_kind, actor_id, action, resource_kind,
  resource_id, request_id, address, detail, seq, hash`

export const pageOfAuditLog = filteredList<AuditEntryRow>({
  columns: auditColumns,
  table: 'audit_log',
  fields: {
    actor: { sql: 'actor_id', isIndexed: true },
    action: { sql: 'action', isIndexed: true },
    resource: { sql: 'resource_id', isIndexed: true },
    request_id: { sql: 'request_id' },
    address: { sql: 'address' },
    occurred_at: { sql: 'occurred_at', isTimeOfId: true },
  },
})

/** UUIDs around the times, and the times themselves in RFC 3339. */
export interface AuditFilters {
  since?: string
  before?: string
  from?: string
  to?: string
}

// One snapshot: head and entries are appended to the chain together, so an entry beyond the head is
// forged.
export const readHeadState = sql(
  'audit_chains.state',
  `SELECT c.seq, c.hash, c.mac, w.id AS workspace_id!, coalesce(c.pruned_seq, 0) AS pruned_seq!,
          c.pruned_hash, c.pruned_mac,
          (SELECT min(a.seq) FROM audit_log a
           WHERE a.workspace_id = w.id AND a.seq > coalesce(c.seq, 0)) AS beyond,
          (SELECT count(*) FROM audit_log a
           WHERE a.workspace_id = w.id AND a.seq IS NULL) AS unsealed!
   FROM (SELECT $workspaceId::uuid AS id) AS w LEFT JOIN audit_chains c ON c.workspace_id = w.id`,
)
/** Chained entries from one sequence number to another, both inclusive, in chain order. */
export const readEncrypted = sql(
  'audit_log.sealed_batch',
  `SELECT ${auditColumns} FROM audit_log
   WHERE workspace_id = $workspaceId AND seq >= $from AND seq <= $to ORDER BY seq LIMIT $limit`,
)

export interface ChainHead {
  workspace_id: string
  seq: number
  hash: Buffer
  mac: Buffer
}

/** The start of a chain whose earlier entries were deleted. */
export interface ChainStart {
  workspace_id: string
  /** The last deleted entry; 0: none. */
  pruned_seq: number
  pruned_hash: Buffer | null
  pruned_mac: Buffer | null
}

export interface HeadState extends ChainStart {
  seq: number | null
  hash: Buffer | null
  mac: Buffer | null
  /** The first entry that claims a sequence number after the head. */
  beyond: number | null
  unsealed: number
}

// Reads how large the audit log is, without counting its entries.

export type AuditLogExtent = RowOf<typeof readExtent>

export const readExtent = sql(
  'audit_log.extent',
  `SELECT greatest(reltuples, 0)::float8 AS entries!, pg_total_relation_size(oid)::float8 AS bytes!
   FROM pg_class WHERE oid = 'audit_log'::regclass`,
)

// Queries on the anchors of audit chains.

export type AnchorRow = RowOf<typeof page>

export const findHead = sql(
  'audit_anchors.head',
  `SELECT workspace_id, seq, hash, mac FROM audit_chains WHERE workspace_id = $workspaceId
     AND seq > 0`,
)
// Chains whose head has moved since the last anchor.
/** Heads without an anchor, of workspaces after `after`, in order. */
export const findMovedHeads = sql(
  'audit_anchors.moved',
  `SELECT c.workspace_id, c.seq, c.hash, c.mac FROM audit_chains c
   WHERE c.workspace_id > $workspaceId AND c.seq > 0
     AND NOT EXISTS (SELECT FROM audit_anchors a
                     WHERE a.workspace_id = c.workspace_id AND a.seq >= c.seq)
   ORDER BY c.workspace_id LIMIT $limit`,
)
const insert = sql(
  'audit_anchors.insert',
  `INSERT INTO audit_anchors (workspace_id, seq, hash, anchored_at, jws)
   SELECT * FROM unnest($workspaceIds::uuid[], $seqs::bigint[], $hashes::bytea[], $anchoredAts::timestamptz[], $signatures::text[])
   ON CONFLICT DO NOTHING RETURNING workspace_id`,
)
const page = sql(
  'audit_anchors.page',
  `SELECT workspace_id, seq, hash, anchored_at, jws FROM audit_anchors
   WHERE workspace_id = $workspaceId AND ($seq?::bigint IS NULL OR seq < $seq) ORDER BY seq DESC
     LIMIT $limit`,
)
export const findAnchor = sql(
  'audit_anchors.by_seq',
  `SELECT workspace_id, seq, hash, anchored_at, jws FROM audit_anchors
   WHERE workspace_id = $workspaceId AND seq = $seq`,
)

interface NewAnchor {
  workspaceId: string
  seq: number
  hash: Buffer
  /** RFC 3339. */
  anchoredAt: string
  jws: string
}

/**
 * @returns the workspaces whose head had no anchor: concurrent processes each get different ones
 */
export async function insertAnchors(db: Db, anchors: readonly NewAnchor[]): Promise<string[]> {
  const rows = await insert.rows(db, {
    workspaceIds: anchors.map(({ workspaceId }) => workspaceId),
    seqs: anchors.map(({ seq }) => seq),
    hashes: anchors.map(({ hash }) => hash),
    anchoredAts: anchors.map(({ anchoredAt }) => anchoredAt),
    signatures: anchors.map(({ jws }) => jws),
  })
  return rows.map((row) => row.workspace_id)
}

/** Newest first. */
export const pageOfAnchors = (
  db: Db,
  workspaceId: string,
  before: number | undefined,
  limit: number,
): Promise<AnchorRow[]> => page.rows(db, { workspaceId, seq: before ?? null, limit })

// Queries on time ranges of audit logs, for export and retention.

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

type EncryptedRange = RowOf<typeof sealedRange>

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
