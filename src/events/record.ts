/** Records a change: its audit entry and its event, in the transaction of the change itself. */
import type { Db } from '../database/connect.ts'
import { newUuid } from '../lib/ids.ts'
import { type AuditRow, insertAudit, insertAuditAndEvent } from './store.ts'
import { type Change, eventTypes, INSTALLATION, type Origin } from './event.ts'

const published = new Set<string>(eventTypes)

/**
 * Appends the audit entry of a change and, for what is published and belongs to a workspace, its
 * event. `db` must be the transaction of the change, so that all are there or none is.
 */
export async function record(db: Db, origin: Origin, change: Change): Promise<void> {
  const { workspaceId, action, resource, data = {}, detail = {} } = change
  const row: AuditRow = [
    workspaceId,
    newUuid(),
    origin.actor.kind,
    origin.actor.id,
    action,
    resource?.kind ?? null,
    resource?.id ?? null,
    origin.requestId,
    origin.address,
    JSON.stringify({ ...data, ...detail }),
  ]
  if (workspaceId === INSTALLATION || !published.has(action)) return insertAudit(db, row)
  const event = [newUuid(), change.subjectId ?? null, JSON.stringify(data)] as const
  return insertAuditAndEvent(db, row, event)
}

/** The fields of `after` that differ from `before`, for the audit log. */
export function changedFields<T extends object>(
  before: T,
  after: T,
): { before: Partial<T>; after: Partial<T> } {
  const names = (Object.keys(after) as (keyof T)[]).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  )
  const pick = (from: T) =>
    Object.fromEntries(names.map((name) => [name, from[name]])) as Partial<T>
  return { before: pick(before), after: pick(after) }
}
