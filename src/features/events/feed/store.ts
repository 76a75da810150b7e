/** Queries on the event feed. */
import { type Db, statement } from '../../../platform/database/connect.ts'

/** A position in the feed. */
export interface Position {
  seq: number
  id: string
}

export interface EventRow extends Position {
  type: string
  /** UUID of the device whose events keep their order, if any. */
  subject_id: string | null
  /** Milliseconds since the epoch. */
  occurred_at: number
  data: Record<string, unknown>
}

/** Counters in one snapshot; xids are decimal digits. */
export interface Moment {
  /** The last assigned sequence number, possibly of an open transaction. */
  last_seq: number
  /** All transactions with lower xids have ended. */
  oldest_xid: string
  /** Transactions that wrote before this snapshot have lower xids; null if not requested. */
  own_xid: string | null
}

export interface Reading {
  /** Whether events after the position were deleted. */
  is_gone: boolean
  /** Number of examined events, and the last of them. */
  looked: number
  last: Position | null
  events: EventRow[] | null
}

// A snapshot's xmax is no bound, since later transactions may have started to write; one's own xid
// is.
const moment = statement(
  'events.moment',
  `SELECT CASE WHEN s.is_called THEN s.last_value ELSE 0 END AS last_seq,
          pg_snapshot_xmin(pg_current_snapshot())::text AS oldest_xid,
          CASE WHEN $1 THEN pg_current_xact_id() END::text AS own_xid
   FROM events_seq s`,
)
// One statement is one snapshot: events deleted by retention are either visible or below the floor.
const read = statement(
  'events.read',
  `WITH looked AS MATERIALIZED (
     SELECT e.seq, e.id, e.type, e.subject_id, e.occurred_at, e.data FROM events e
     WHERE e.workspace_id = $1 AND (e.seq, e.id) > ($2, $3::uuid) AND e.seq <= $4
     ORDER BY e.seq, e.id LIMIT $5
   ), matching AS (
     SELECT * FROM looked WHERE $6::text[] IS NULL OR type = ANY ($6) ORDER BY seq, id LIMIT $7
   )
   SELECT EXISTS (SELECT FROM event_floors f WHERE f.workspace_id = $1
                  AND (f.seq, f.id) > ($2, $3::uuid)) AS is_gone,
     (SELECT count(*) FROM looked) AS looked,
     (SELECT json_build_object('seq', seq, 'id', id) FROM looked
      ORDER BY seq DESC, id DESC LIMIT 1) AS last,
     (SELECT json_agg(json_build_object('seq', seq, 'id', id, 'type', type, 'data', data,
        'subject_id', subject_id, 'occurred_at', floor(extract(epoch FROM occurred_at) * 1000))
        ORDER BY seq, id)
      FROM matching) AS events`,
)
const awake = statement(
  'events.awake',
  `SELECT w.number
   FROM unnest($1::int[], $2::uuid[], $3::bigint[], $4::uuid[]) AS w (number, workspace_id, seq, id)
   WHERE EXISTS (
     SELECT FROM events e
     WHERE e.workspace_id = w.workspace_id AND (e.seq, e.id) > (w.seq, w.id) AND e.seq <= $5)`,
)

/** @param isNumbered whether to assign the transaction an xid */
export async function readMoment(db: Db, isNumbered: boolean): Promise<Moment> {
  return (await db.query<Moment>(moment, [isNumbered]))[0] as Moment
}

/**
 * @param to the last number that may be read
 * @param scan maximum number of events examined
 * @param types undefined: all types
 */
export async function readEvents(
  db: Db,
  workspaceId: string,
  { after, to }: { after: Position; to: number },
  options: { types: readonly string[] | undefined; limit: number; scan: number },
): Promise<Reading> {
  const { types = null, limit, scan } = options
  const values = [workspaceId, after.seq, after.id, to, scan, types, limit]
  return (await db.query<Reading>(read, values))[0] as Reading
}

/** The waiters whose workspace has an event after their position. */
export async function findAwake(
  db: Db,
  waiting: readonly (Position & { number: number; workspaceId: string })[],
  to: number,
): Promise<number[]> {
  const rows = await db.query<{ number: number }>(awake, [
    waiting.map(({ number }) => number),
    waiting.map(({ workspaceId }) => workspaceId),
    waiting.map(({ seq }) => seq),
    waiting.map(({ id }) => id),
    to,
  ])
  return rows.map(({ number }) => number)
}
