/** The statements that append to the events and to the audit log. */
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
