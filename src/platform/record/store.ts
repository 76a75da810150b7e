/** Statements that append to events and the audit log. */
import type { Db } from '../database/connect.ts'
import { sql } from '../database/sql.ts'

const appendAudit = sql(
  'events.append_audit',
  `INSERT INTO audit_log (workspace_id, id, actor_kind, actor_id, action, resource_kind,
                          resource_id, request_id, address, detail)
   VALUES ($workspaceId, $auditId, $actorKind, $actorId?, $action, $resourceKind?, $resourceId?,
           $requestId?, $address?, $detail)`,
)

const appendBoth = sql(
  'events.append_both',
  `WITH entry AS (
     INSERT INTO audit_log (workspace_id, id, actor_kind, actor_id, action, resource_kind,
                            resource_id, request_id, address, detail)
     VALUES ($workspaceId, $auditId, $actorKind, $actorId?, $action, $resourceKind?, $resourceId?,
             $requestId?, $address?, $detail)
   )
   INSERT INTO events (workspace_id, id, type, subject_id, data)
   VALUES ($workspaceId, $eventId, $action, $subjectId?, $data)`,
)

const appendManyAudit = sql(
  'events.append_many_audit',
  `INSERT INTO audit_log (workspace_id, id, actor_kind, actor_id, action, resource_kind,
                          resource_id, request_id, address, detail)
   SELECT * FROM unnest($workspaceIds::uuid[], $auditIds::uuid[], $actorKinds::text[],
                        $actorIds::text[], $actions::text[], $resourceKinds::text[],
                        $resourceIds::text[], $requestIds::text[], $addresses::text[],
                        $details::jsonb[])`,
)
const appendManyEvents = sql(
  'events.append_many_events',
  `INSERT INTO events (workspace_id, type, id, subject_id, data)
   SELECT * FROM unnest($workspaceIds::uuid[], $actions::text[], $eventIds::uuid[],
     $subjectIds::uuid[],
                        $data::jsonb[])`,
)

// Ids are UUIDv7: they grow with time, and so does the primary key within a workspace.
const nextWithEvents = sql(
  'events.next_workspace',
  'SELECT workspace_id, id FROM events WHERE workspace_id > $after ORDER BY workspace_id, id LIMIT 1',
)
const removeOld = sql(
  'events.remove_old',
  `WITH old AS (SELECT workspace_id, id FROM events WHERE workspace_id = $workspaceId
    AND id < $before
                ORDER BY id LIMIT $limit),
   gone AS (
     DELETE FROM events e USING old WHERE e.workspace_id = old.workspace_id AND e.id = old.id
     RETURNING e.seq, e.id
   ), floor AS (
     INSERT INTO event_floors AS f (workspace_id, seq, id)
     SELECT $workspaceId, seq, id FROM gone ORDER BY seq DESC, id DESC LIMIT 1
     ON CONFLICT (workspace_id) DO UPDATE SET seq = excluded.seq, id = excluded.id
     WHERE (f.seq, f.id) < (excluded.seq, excluded.id)
   )
   SELECT count(*) AS removed FROM gone`,
)

/** An audit entry; `detail` is JSON. */
export interface AuditRow {
  workspaceId: string
  auditId: string
  actorKind: string
  actorId: string | null
  action: string
  resourceKind: string | null
  resourceId: string | null
  requestId: string | null
  address: string | null
  detail: string
}

/** An event; `data` is JSON. */
export interface EventRow {
  workspaceId: string
  action: string
  eventId: string
  subjectId: string | null
  data: string
}

export async function insertAudit(db: Db, row: AuditRow): Promise<void> {
  await appendAudit.rows(db, row)
}

export async function insertAuditAndEvent(db: Db, row: AuditRow, event: EventRow): Promise<void> {
  await appendBoth.rows(db, { ...row, ...event })
}

export async function insertAuditRows(db: Db, rows: readonly AuditRow[]): Promise<void> {
  await appendManyAudit.rows(db, {
    workspaceIds: rows.map(({ workspaceId }) => workspaceId),
    auditIds: rows.map(({ auditId }) => auditId),
    actorKinds: rows.map(({ actorKind }) => actorKind),
    actorIds: rows.map(({ actorId }) => actorId),
    actions: rows.map(({ action }) => action),
    resourceKinds: rows.map(({ resourceKind }) => resourceKind),
    resourceIds: rows.map(({ resourceId }) => resourceId),
    requestIds: rows.map(({ requestId }) => requestId),
    addresses: rows.map(({ address }) => address),
    details: rows.map(({ detail }) => detail),
  })
}

export async function insertEventRows(db: Db, rows: readonly EventRow[]): Promise<void> {
  if (rows.length === 0) return
  await appendManyEvents.rows(db, {
    workspaceIds: rows.map(({ workspaceId }) => workspaceId),
    actions: rows.map(({ action }) => action),
    eventIds: rows.map(({ eventId }) => eventId),
    subjectIds: rows.map(({ subjectId }) => subjectId),
    data: rows.map(({ data }) => data),
  })
}

/** The oldest event of the next workspace after `after`; workspaces without events are skipped. */
export async function findOldestEvent(
  db: Db,
  after: string,
): Promise<{ workspace_id: string; id: string } | undefined> {
  return nextWithEvents.first(db, { after })
}

/** Deletes events of a workspace with smaller ids. @returns how many */
export async function removeEvents(
  db: Db,
  workspaceId: string,
  before: string,
  limit: number,
): Promise<number> {
  const [row] = await removeOld.rows(db, { workspaceId, before, limit })
  return row?.removed ?? 0
}
