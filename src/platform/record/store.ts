/** Statements that append to events and the audit log. */
import { AUDIT_ENTRY, INSERT_AUDIT } from '../database/audit-insert.ts'
import type { Db } from '../database/connect.ts'
import { columnsOf, type ParamsOf, sql, type RowOf, unnested } from '../database/sql.ts'

const APPEND = `${INSERT_AUDIT} VALUES (${AUDIT_ENTRY})`
export const appendAudit = sql('events.append_audit')`${APPEND}`

export const appendBoth = sql('events.append_both')`
  WITH entry AS (${APPEND})
  INSERT INTO events (workspace_id, id, type, subject_id, data, traceparent)
  VALUES ($workspaceId, $eventId, $action, $subjectId?, $data, $traceparent?)`

const appendManyAudit = sql('events.append_many_audit')`
  ${INSERT_AUDIT}
  SELECT * FROM ${unnested(
    'entry',
    `workspaceId uuid, auditId uuid, actorKind text, actorId text, action text, resourceKind text,
     resourceId text, requestId text, address text, detail jsonb`,
  )}`
const appendManyEvents = sql('events.append_many_events')`
  INSERT INTO events (workspace_id, type, id, subject_id, data, traceparent)
  SELECT * FROM ${unnested(
    'event',
    `workspaceId uuid, action text, eventId uuid, subjectId uuid, data jsonb, traceparent text`,
  )}`

// Ids are UUIDv7: they grow with time, and so does the primary key within a workspace.
/** The oldest event of the next workspace after `$after`; workspaces without events are skipped. */
export const findOldestEvent = sql('events.next_workspace')`
  SELECT workspace_id, id FROM events WHERE workspace_id > $after ORDER BY workspace_id, id LIMIT 1`
/** Deletes events of a workspace with smaller ids. @returns how many */
export const removeEvents = sql('events.delete_old')`
  WITH old AS (SELECT id FROM events WHERE workspace_id = $workspaceId AND id < $before
               ORDER BY id LIMIT $limit),
  gone AS (
    DELETE FROM events e USING old WHERE e.workspace_id = $workspaceId AND e.id = old.id
    RETURNING e.seq, e.id
  ), floor AS (
    INSERT INTO event_floors AS f (workspace_id, seq, id)
    SELECT $workspaceId, seq, id FROM gone ORDER BY seq DESC, id DESC LIMIT 1
    ON CONFLICT (workspace_id) DO UPDATE SET seq = excluded.seq, id = excluded.id
    WHERE (f.seq, f.id) < (excluded.seq, excluded.id)
  )
  SELECT count(*) AS removed FROM gone`

/** An audit entry; `detail` is JSON. */
export type AuditRow = ParamsOf<typeof appendAudit>

/** An event; `data` is JSON, `traceparent` that of what recorded it, if it is traced. */
export type EventRow = Pick<
  ParamsOf<typeof appendBoth>,
  'workspaceId' | 'action' | 'eventId' | 'subjectId' | 'data' | 'traceparent'
>

export async function insertAuditRows(db: Db, rows: readonly AuditRow[]): Promise<void> {
  await appendManyAudit.run(db, columnsOf(rows))
}

export async function insertEventRows(db: Db, rows: readonly EventRow[]): Promise<void> {
  if (rows.length > 0) await appendManyEvents.run(db, columnsOf(rows))
}

// Statements on the acts that are counted instead of written to the audit log one by one.

/** By the database's clock, in UTC: all processes count into the same window. */
const WINDOW = "date_trunc('hour', now(), 'UTC')"
/** Addresses that get an entry of their own when a window closes; the others share one. */
const MAX_ADDRESSES = 50

// A row whose budget is used up is left as it is.
const take = sql('audit_counts.take')`
  INSERT INTO audit_counts AS c (workspace_id, window_start, action, address_block, written)
  SELECT $workspaceId, ${WINDOW}, $action, b.block, b.entries
  FROM unnest($blocks::text[], $entries::int[]) AS b (block, entries) ORDER BY b.block
  ON CONFLICT (workspace_id, window_start, action, address_block) DO UPDATE
  SET written = c.written + excluded.written WHERE c.written < $budget
  RETURNING address_block`
// In the order of the key, so that concurrent transactions do not deadlock.
const count = sql('audit_counts.count')`
  INSERT INTO audit_counts AS c
    (workspace_id, window_start, action, address_block, counted, first_at, last_at)
  SELECT n.workspace_id, ${WINDOW}, n.action, n.address_block, sum(n.acts), now(), now()
  FROM ${unnested('n', 'workspaceId uuid, action text, addressBlock text, acts bigint')}
  GROUP BY 1, 3, 4 ORDER BY 1, 3, 4
  ON CONFLICT (workspace_id, window_start, action, address_block) DO UPDATE
  SET counted = c.counted + excluded.counted,
      first_at = least(c.first_at, excluded.first_at),
      last_at = greatest(c.last_at, excluded.last_at)`
export const findClosedWindows = sql('audit_counts.closed')`
  SELECT DISTINCT workspace_id, window_start, action FROM audit_counts
  WHERE window_start < ${WINDOW} LIMIT $limit`
export type CountRow = RowOf<typeof closeWindow>

/**
 * Deletes the counts of a window. Rows are locked in the order of the key: another process waits
 * for the first one, then finds none.
 * @returns them by address block; none if another process did
 */
export const closeWindow = sql('audit_counts.close')`
  WITH over AS (
    SELECT ctid FROM audit_counts
    WHERE workspace_id = $workspaceId AND window_start = to_timestamp($windowStart::float8 / 1000)
      AND action = $action
    ORDER BY address_block FOR UPDATE
  ), gone AS (
    DELETE FROM audit_counts c USING over WHERE c.ctid = over.ctid
    RETURNING c.address_block, c.counted, c.first_at, c.last_at
  ), ranked AS (
    SELECT *, row_number() OVER (ORDER BY counted DESC, address_block) AS rank
    FROM gone WHERE counted > 0
  )
  SELECT CASE WHEN rank <= ${MAX_ADDRESSES} THEN address_block END AS address_block,
         count(*)::int AS addresses, sum(counted)::bigint AS acts!,
         min(first_at) AS first_at!, max(last_at) AS last_at!
  FROM ranked GROUP BY 1`

/**
 * Takes entries from the budgets of address blocks.
 * @returns the blocks that had room; the last one may exceed it by its entries
 */
export async function takeEntries(
  trx: Db,
  workspaceId: string,
  action: string,
  entries: ReadonlyMap<string, number>,
  budget: number,
): Promise<Set<string>> {
  const rows = await take.rows(trx, {
    workspaceId,
    action,
    blocks: [...entries.keys()],
    entries: [...entries.values()],
    budget,
  })
  return new Set(rows.map((row) => row.address_block))
}

interface CountedAct {
  workspaceId: string
  action: string
  addressBlock: string
  acts: number
}

export async function countActs(trx: Db, counted: readonly CountedAct[]): Promise<void> {
  if (counted.length > 0) await count.run(trx, columnsOf(counted))
}

export type ClosedWindow = RowOf<typeof findClosedWindows>
