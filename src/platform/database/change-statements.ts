/** The SQL of the change feed. */
import { sql } from './sql.ts'

/** @template Kind the kinds of changes */
export interface FeedRead<Kind> {
  snapshot: string
  /** Milliseconds since the epoch. */
  now: string
  /** When the server was started, which differs for another server. */
  server: string
  changes: { kind: Kind; ref: string }[] | null
}

// New since the previous poll is what its snapshot did not see: transactions that started later or
// were in progress then. So each change is read once, however long another transaction stays open.
// The snapshot and the changes are read by one statement. Rows restored from another server may
// have transaction ids of the future; without the upper bound, every poll would find them.
export const read = sql(
  'changes.read',
  `SELECT pg_current_snapshot()::text AS snapshot,
          extract(epoch FROM clock_timestamp()) * 1000 AS now,
          extract(epoch FROM pg_postmaster_start_time())::text AS server,
          (SELECT json_agg(json_build_object('kind', c.kind, 'ref', c.ref) ORDER BY c.id)
           FROM changes c
           WHERE (c.xid >= pg_snapshot_xmax($snapshot::pg_snapshot)
                  AND c.xid < pg_snapshot_xmax(pg_current_snapshot()))
              OR c.xid = ANY (ARRAY(SELECT pg_snapshot_xip($snapshot::pg_snapshot)))) AS changes`,
)
export const insert = sql('changes.insert', 'INSERT INTO changes (kind, ref) VALUES ($kind, $ref)')
export const insertAll = sql(
  'changes.insert_all',
  'INSERT INTO changes (kind, ref) SELECT $kind, unnest($refs::uuid[])',
)
export const prune = sql(
  'changes.prune',
  `DELETE FROM changes WHERE at < now() - make_interval(secs => $seconds)`,
)
