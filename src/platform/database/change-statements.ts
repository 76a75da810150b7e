/** The SQL of the change feed. */
import { statement } from './connect.ts'

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
export const read = statement(
  'changes.read',
  `SELECT pg_current_snapshot()::text AS snapshot,
          extract(epoch FROM clock_timestamp()) * 1000 AS now,
          extract(epoch FROM pg_postmaster_start_time())::text AS server,
          (SELECT json_agg(json_build_object('kind', c.kind, 'ref', c.ref) ORDER BY c.id)
           FROM changes c
           WHERE (c.xid >= pg_snapshot_xmax($1::pg_snapshot)
                  AND c.xid < pg_snapshot_xmax(pg_current_snapshot()))
              OR c.xid = ANY (ARRAY(SELECT pg_snapshot_xip($1::pg_snapshot)))) AS changes`,
)
export const insert = statement('changes.insert', 'INSERT INTO changes (kind, ref) VALUES ($1, $2)')
export const insertAll = statement(
  'changes.insert_all',
  'INSERT INTO changes (kind, ref) SELECT $1, unnest($2::uuid[])',
)
export const prune = statement(
  'changes.prune',
  `DELETE FROM changes WHERE at < now() - make_interval(secs => $1)`,
)
