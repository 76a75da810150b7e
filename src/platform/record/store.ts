/** Statements that append to events and the audit log. */
import { type Db, statement } from '../database/connect.ts'

const appendAudit = statement(
  'events.append_audit',
  `INSERT INTO audit_log (workspace_id, id, actor_kind, actor_id, action, resource_kind,
                          resource_id, request_id, address, detail)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
)

const appendBoth = statement(
  'events.append_both',
  `WITH entry AS (
     INSERT INTO audit_log (workspace_id, id, actor_kind, actor_id, action, resource_kind,
                            resource_id, request_id, address, detail)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
   )
   INSERT INTO events (workspace_id, id, type, subject_id, data)
   VALUES ($1, $11, $5, $12, $13)`,
)

const appendManyAudit = statement(
  'events.append_many_audit',
  `INSERT INTO audit_log (workspace_id, id, actor_kind, actor_id, action, resource_kind,
                          resource_id, request_id, address, detail)
   SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[],
                        $7::text[], $8::text[], $9::text[], $10::jsonb[])`,
)
const appendManyEvents = statement(
  'events.append_many_events',
  `INSERT INTO events (workspace_id, type, id, subject_id, data)
   SELECT * FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::uuid[], $5::jsonb[])`,
)

// Ids are UUIDv7: they grow with time, and so does the primary key within a workspace.
const nextWithEvents = statement(
  'events.next_workspace',
  'SELECT workspace_id, id FROM events WHERE workspace_id > $1 ORDER BY workspace_id, id LIMIT 1',
)
const removeOld = statement(
  'events.remove_old',
  `WITH old AS (SELECT workspace_id, id FROM events WHERE workspace_id = $1 AND id < $2
                ORDER BY id LIMIT $3),
   gone AS (
     DELETE FROM events e USING old WHERE e.workspace_id = old.workspace_id AND e.id = old.id
     RETURNING e.seq, e.id
   ), floor AS (
     INSERT INTO event_floors AS f (workspace_id, seq, id)
     SELECT $1, seq, id FROM gone ORDER BY seq DESC, id DESC LIMIT 1
     ON CONFLICT (workspace_id) DO UPDATE SET seq = excluded.seq, id = excluded.id
     WHERE (f.seq, f.id) < (excluded.seq, excluded.id)
   )
   SELECT count(*) AS removed FROM gone`,
)

export type AuditRow = readonly [
  workspaceId: string,
  id: string,
  actorKind: string,
  actorId: string | null,
  action: string,
  resourceKind: string | null,
  resourceId: string | null,
  requestId: string | null,
  address: string | null,
  detail: string,
]

export async function insertAudit(db: Db, row: AuditRow): Promise<void> {
  await db.query(appendAudit, row)
}

export async function insertAuditAndEvent(
  db: Db,
  row: AuditRow,
  event: readonly [id: string, subjectId: string | null, data: string],
): Promise<void> {
  await db.query(appendBoth, [...row, ...event])
}

/** Transposes rows into one array per column, for `unnest`. */
const transposed = (rows: readonly (readonly unknown[])[], columns: number): unknown[][] =>
  Array.from({ length: columns }, (_none, column) => rows.map((row) => row[column]))

export async function insertAuditRows(db: Db, rows: readonly AuditRow[]): Promise<void> {
  await db.query(appendManyAudit, transposed(rows, 10))
}

export type EventRow = readonly [
  workspaceId: string,
  type: string,
  id: string,
  subjectId: string | null,
  data: string,
]

export async function insertEventRows(db: Db, rows: readonly EventRow[]): Promise<void> {
  if (rows.length > 0) await db.query(appendManyEvents, transposed(rows, 5))
}

/** The oldest event of the next workspace after `after` that has any. */
export async function findOldestEvent(
  db: Db,
  after: string,
): Promise<{ workspace_id: string; id: string } | undefined> {
  return (await db.query<{ workspace_id: string; id: string }>(nextWithEvents, [after]))[0]
}

/** Deletes events of a workspace with smaller ids. @returns how many */
export async function removeEvents(
  db: Db,
  workspaceId: string,
  before: string,
  limit: number,
): Promise<number> {
  const [row] = await db.query<{ removed: number }>(removeOld, [workspaceId, before, limit])
  return row?.removed ?? 0
}
