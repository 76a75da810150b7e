/** Queries on the audit log and its hash chain. */
import { type RowOf, sql, unnested } from '../../../platform/database/sql.ts'
import { filteredList, type PageOf } from '../../../platform/database/filtered-list.ts'

export type ChainedRow = RowOf<typeof readChained>
/** An entry without a place in the chain, as it is hashed. */
export type EntryRow = Omit<ChainedRow, 'seq' | 'hash'>
/** An entry with its place in the chain, if it has one. */
export type AuditEntryRow = EntryRow & { seq: number | null; hash: Buffer | null }

/** The columns of an entry `a` that are hashed. */
export const entryColumns = `a.workspace_id, a.id, a.occurred_at, a.actor_kind, a.actor_id, a.action,
  a.resource_kind, a.resource_id, a.request_id, a.address, a.detail`

const unplacedPage = filteredList('audit_log.filtered', {
  columns: `workspace_id, id, occurred_at, actor_kind, actor_id, action, resource_kind, resource_id,
    request_id, address, detail, seq, hash`,
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

/**
 * The most entries of one row of `audit_batches`, whose positions are all in the same thousand. So
 * a position is found by its row's last one.
 */
export const BATCH_ENTRIES = 1_000

// Entries that were chained by a version before 0.7 have their position and hash in `audit_log`.
// Later entries have them in the row of their batch.
/** The position and hash of entry `$id` in its batch; see BATCH_ENTRIES. */
const placeOf = (id: string): string => `
  SELECT b.first_seq - 1 + array_position(b.ids, ${id}) AS seq,
         b.hashes[array_position(b.ids, ${id})] AS hash
  FROM audit_batches b
  WHERE b.workspace_id = $workspaceId AND b.greatest_id >= ${id} AND b.least_id <= ${id}
    AND ${id} = ANY (b.ids)
  ORDER BY b.greatest_id LIMIT 1`

const places = sql('audit_batches.places')`
  SELECT e.id AS id!, p.seq AS seq!, p.hash FROM unnest($ids::uuid[]) AS e (id)
  CROSS JOIN LATERAL (${placeOf('e.id')}) AS p`

/** Newest first, with their places in the chain. */
export const pageOfAuditLog: PageOf<AuditEntryRow> = async (db, workspaceId, request) => {
  const { rows, next } = await unplacedPage(db, workspaceId, request)
  const ids = rows.filter(({ seq }) => seq === null).map(({ id }) => id)
  const found = ids.length === 0 ? [] : await places.rows(db, { workspaceId, ids })
  const byId = new Map(found.map((place) => [place.id, place]))
  return { rows: rows.map((row) => ({ ...row, ...byId.get(row.id) })), next }
}

// One snapshot: head and entries are appended to the chain together, so an entry beyond the head is
// forged.
export const readHeadState = sql('audit_chains.state')`
  SELECT c.seq, c.hash, c.mac, w.id AS workspace_id!, coalesce(c.pruned_seq, 0) AS pruned_seq!,
         c.pruned_hash, c.pruned_mac,
         least((SELECT min(a.seq) FROM audit_log a
                WHERE a.workspace_id = w.id AND a.seq > coalesce(c.seq, 0)),
               (SELECT min(greatest(b.first_seq, coalesce(c.seq, 0) + 1))
                FROM audit_batches b
                WHERE b.workspace_id = w.id AND b.last_seq > coalesce(c.seq, 0))) AS beyond,
         (SELECT coalesce(sum(cardinality(q.ids)), 0)::int FROM audit_queue q
          WHERE q.workspace_id = w.id) AS unsealed!
  FROM (SELECT $workspaceId::uuid AS id) AS w LEFT JOIN audit_chains c ON c.workspace_id = w.id`
// One snapshot, for the same reason. Each entry of the log waits, or has a place in the chain.
export const countUnchained = sql('audit_log.unchained')`
  SELECT (SELECT count(*) FROM audit_log a WHERE a.workspace_id = $workspaceId)
    - (SELECT coalesce(sum(cardinality(q.ids)), 0) FROM audit_queue q
       WHERE q.workspace_id = $workspaceId)
    - coalesce((SELECT c.seq - c.pruned_seq FROM audit_chains c
                WHERE c.workspace_id = $workspaceId), 0) AS entries!`
/**
 * Chained entries from one sequence number to another, both inclusive, in chain order. Positions
 * are dense, so the range also limits how many there are.
 */
export const readChained = sql('audit_log.chained')`
  SELECT ${entryColumns}, p.seq AS seq!, p.hash FROM (
    SELECT id, seq, hash FROM audit_log
    WHERE workspace_id = $workspaceId AND seq >= $from AND seq <= $to
    UNION ALL
    SELECT e.id, b.first_seq - 1 + e.n AS seq, e.hash
    FROM audit_batches b
    CROSS JOIN LATERAL unnest(b.ids, b.hashes) WITH ORDINALITY AS e (id, hash, n)
    WHERE b.workspace_id = $workspaceId AND b.last_seq >= $from
      AND b.last_seq < $to + ${BATCH_ENTRIES}
      AND b.first_seq - 1 + e.n BETWEEN $from AND $to
  ) AS p JOIN audit_log a ON a.workspace_id = $workspaceId AND a.id = p.id
  ORDER BY p.seq`

export type ChainHead = RowOf<typeof findHead>
/** The start of a chain whose earlier entries were deleted: `pruned_seq` is the last, 0 if none. */
export type ChainStart = RowOf<typeof lockChainStart>
/** `beyond` is the first entry that claims a sequence number after the head. */
export type HeadState = RowOf<typeof readHeadState>

// Reads how large the audit log is, without counting its entries.

export type AuditLogExtent = RowOf<typeof readExtent>

export const readExtent = sql('audit_log.extent')`
  SELECT coalesce(sum(greatest(reltuples, 0)), 0)::float8 AS entries!,
         coalesce(sum(pg_total_relation_size(oid)), 0)::float8 AS bytes!
  FROM pg_class
  WHERE relkind = 'r' AND (oid = 'audit_log'::regclass
    OR oid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = 'audit_log'::regclass))`

// Queries on the anchors of audit chains.

export type AnchorRow = RowOf<typeof pageOfAnchors>

export const findHead = sql('audit_anchors.head')`
  SELECT workspace_id, seq, hash, mac FROM audit_chains WHERE workspace_id = $workspaceId
    AND seq > 0`
// Chains whose head has moved since the last anchor.
/** Heads without an anchor, of workspaces after `after`, in order. */
export const findMovedHeads = sql('audit_anchors.moved')`
  SELECT c.workspace_id, c.seq, c.hash, c.mac FROM audit_chains c
  WHERE c.workspace_id > $workspaceId AND c.seq > 0
    AND NOT EXISTS (SELECT FROM audit_anchors a
                    WHERE a.workspace_id = c.workspace_id AND a.seq >= c.seq)
  ORDER BY c.workspace_id LIMIT $limit`
/**
 * Stores anchors. @returns the workspaces of those that had none: of concurrent processes, each
 * gets different ones.
 */
export const insertAnchors = sql('audit_anchors.insert')`
  INSERT INTO audit_anchors (workspace_id, seq, hash, anchored_at, jws)
  SELECT * FROM ${unnested(
    'head',
    'workspaceId uuid, seq bigint, hash bytea, anchoredAt timestamptz, jws text',
  )}
  ON CONFLICT DO NOTHING RETURNING workspace_id`
/** Newest first. */
export const pageOfAnchors = sql('audit_anchors.page')`
  SELECT workspace_id, seq, hash, anchored_at, jws FROM audit_anchors
  WHERE workspace_id = $workspaceId AND ($seq?::bigint IS NULL OR seq < $seq) ORDER BY seq DESC
  LIMIT $limit`
export const findAnchor = sql('audit_anchors.by_seq')`
  SELECT workspace_id, seq, hash, anchored_at, jws FROM audit_anchors
  WHERE workspace_id = $workspaceId AND seq = $seq`

// Queries on time ranges of audit logs, for export and retention.

// Ids grow with time, so a bound is found directly. Chain order differs only slightly: the smallest
// sequence number is among the first entries, and the greatest among the last.
const placedEntries = (where: string, order: string): string => `
  SELECT coalesce(a.seq, p.seq) AS seq FROM (
    SELECT id, seq FROM audit_log WHERE workspace_id = $workspaceId AND ${where}
    ORDER BY id ${order} LIMIT 1000
  ) AS a LEFT JOIN LATERAL (${placeOf('a.id')}) AS p ON a.seq IS NULL`
/** The first and last sequence number between two times, which are near these ids. */
export const findChainedRange = sql('audit_log.chained_range')`
  SELECT
    (SELECT min(seq) FROM (${placedEntries(
      'id >= $fromId::uuid AND occurred_at >= $from::timestamptz',
      'ASC',
    )}) AS oldest) AS first,
    (SELECT max(seq) FROM (${placedEntries(
      'id < $toId::uuid AND occurred_at < $to::timestamptz',
      'DESC',
    )}) AS newest) AS last`
/** The first workspace, from the given one on, whose oldest entry is expired. */
export const findOverdue = sql('audit_log.overdue')`
  SELECT c.workspace_id FROM audit_chains c
  CROSS JOIN LATERAL (
    SELECT id FROM audit_log WHERE workspace_id = c.workspace_id AND seq = c.pruned_seq + 1
    UNION ALL
    (SELECT b.ids[c.pruned_seq + 2 - b.first_seq] FROM audit_batches b
     WHERE b.workspace_id = c.workspace_id AND b.last_seq > c.pruned_seq
     ORDER BY b.last_seq LIMIT 1)
  ) AS e
  JOIN audit_log a ON a.workspace_id = c.workspace_id AND a.id = e.id
  WHERE c.workspace_id >= $workspaceId AND a.occurred_at < $occurredAt::timestamptz
  ORDER BY c.workspace_id LIMIT 1`
export const lockChainStart = sql('audit_chains.lock_start')`
  SELECT workspace_id, pruned_seq, pruned_hash, pruned_mac FROM audit_chains
  WHERE workspace_id = $workspaceId FOR UPDATE`
// A batch of which a part is deleted stays: its entries have their positions by it.
/** Deletes the entries before the new start. The chain must be locked. */
export const deleteUpTo = sql('audit_log.delete_old')`
  WITH entries AS (
    DELETE FROM audit_log WHERE workspace_id = $workspaceId AND id = ANY ($ids::uuid[])
  ), batches AS (
    DELETE FROM audit_batches WHERE workspace_id = $workspaceId AND last_seq <= $prunedSeq
  )
  UPDATE audit_chains SET pruned_seq = $prunedSeq, pruned_hash = $prunedHash?,
    pruned_mac = $prunedMac?
  WHERE workspace_id = $workspaceId`
