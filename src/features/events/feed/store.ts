/** Queries on the event feed. */
import type { Db } from '../../../platform/database/connect.ts'
import { columnsOf, composed, type RowOf, sql, unnested } from '../../../platform/database/sql.ts'
import { EventRows, Position } from './schema.ts'

// A snapshot's xmax is no bound, since later transactions may have started to write; one's own xid
// is.
/** @param own whether to assign the transaction an xid */
export const readMoment = sql('events.moment')`
  SELECT CASE WHEN s.is_called THEN s.last_value ELSE 0 END AS last_seq!,
         pg_snapshot_xmin(pg_current_snapshot())::text AS oldest_xid!,
         CASE WHEN $own THEN pg_current_xact_id() END::text AS own_xid
  FROM events_seq s`
const last = composed(
  `(SELECT json_build_object('seq', seq, 'id', id) FROM scanned ORDER BY seq DESC, id DESC LIMIT 1)`,
  Position,
  'last',
)
const events = composed(
  `(SELECT json_agg(json_build_object('seq', seq, 'id', id, 'type', type, 'data', data,
      'subject_id', subject_id, 'traceparent', traceparent,
      'occurred_at', floor(extract(epoch FROM occurred_at) * 1000)) ORDER BY seq, id)
    FROM matching)`,
  EventRows,
  'events',
)
// One statement is one snapshot: events deleted by retention are either visible or below the floor.
const reading = (condition = '') => `WITH scanned AS MATERIALIZED (
     SELECT e.seq, e.id, e.type, e.subject_id, e.occurred_at, e.data, e.traceparent
     FROM events e
     WHERE e.workspace_id = $workspaceId AND (e.seq, e.id) > ($seq, $id::uuid)
       AND e.seq <= $to ${condition}
     ORDER BY e.seq, e.id LIMIT $scan
   ), matching AS (
     SELECT * FROM scanned WHERE $types?::text[] IS NULL OR type = ANY ($types) ORDER BY seq, id
       LIMIT $limit
   )
   SELECT EXISTS (SELECT FROM event_floors f WHERE f.workspace_id = $workspaceId
                  AND (f.seq, f.id) > ($seq, $id::uuid)) AS is_gone!,
     (SELECT count(*) FROM scanned) AS scanned!,
     ${last}, ${events}`
const read = sql('events.read')`${reading()}`
const readOfDevice = sql('events.read_of_device')`${reading('AND e.subject_id = $deviceId')}`
export type Reading = RowOf<typeof read>

/** Whatever lies before the event, or before all that were scanned. */
const newest = (condition = '') => `WITH scanned AS MATERIALIZED (
     SELECT e.seq, e.id, e.type FROM events e
     WHERE e.workspace_id = $workspaceId AND e.seq <= $to ${condition}
     ORDER BY e.seq DESC, e.id DESC LIMIT $scan
   ), matching AS (
     SELECT seq, id FROM scanned WHERE $types?::text[] IS NULL OR type = ANY ($types)
     ORDER BY seq DESC, id DESC OFFSET $skip LIMIT 1
   )
   SELECT seq AS seq!, id AS id! FROM matching
   UNION ALL (SELECT seq, id FROM scanned WHERE NOT EXISTS (SELECT FROM matching)
     ORDER BY seq, id OFFSET 0 LIMIT CASE
       WHEN (SELECT count(*) FROM scanned) = $scan THEN 1 ELSE 0 END)`
const newestOfAll = sql('events.newest')`${newest()}`
const newestOfDevice = sql('events.newest_of_device')`${newest('AND e.subject_id = $deviceId')}`

const awake = sql('events.awake')`
  SELECT w.number AS number!
  FROM ${unnested('w', 'number int, workspaceId uuid, seq bigint, id uuid')}
  WHERE EXISTS (
    SELECT FROM events e
    WHERE e.workspace_id = w.workspace_id AND (e.seq, e.id) > (w.seq, w.id) AND e.seq <= $to)`

/** The events to read. */
export interface Choice {
  /** Undefined: all types. */
  types: readonly string[] | undefined
  /** UUID of a device; undefined: events about anything. */
  deviceId?: string | undefined
}

/**
 * @param to the last number that may be read
 * @param scan maximum number of events examined
 */
export function readEvents(
  db: Db,
  workspaceId: string,
  { after, to }: { after: Position; to: number },
  options: Choice & { limit: number; scan: number },
): Promise<Reading> {
  const { types = null, deviceId, ...limits } = options
  const parameters = { workspaceId, seq: after.seq, id: after.id, to, types, ...limits }
  return deviceId === undefined
    ? read.one(db, parameters)
    : readOfDevice.one(db, { ...parameters, deviceId })
}

/**
 * The position after which so many chosen events follow, among the last that are examined;
 * undefined if there are no more than these.
 */
export function findNewest(
  db: Db,
  workspaceId: string,
  to: number,
  options: Choice & { limit: number; scan: number },
): Promise<Position | undefined> {
  const { types = null, deviceId, limit: skip, scan } = options
  const parameters = { workspaceId, to, types, skip, scan }
  return deviceId === undefined
    ? newestOfAll.first(db, parameters)
    : newestOfDevice.first(db, { ...parameters, deviceId })
}

/** The waiters whose workspace has an event after their position. */
export async function findAwake(
  db: Db,
  waiting: readonly (Position & { number: number; workspaceId: string })[],
  to: number,
): Promise<number[]> {
  const rows = await awake.rows(db, { ...columnsOf(waiting), to })
  return rows.map(({ number }) => number)
}
