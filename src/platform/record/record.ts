/** Records a change: its audit entry and its event, in the transaction of the change itself. */
import type { Db } from '../database/connect.ts'
import { formatId, newUuid } from '../lib/ids.ts'
import * as store from './store.ts'
import { activeTraceparent } from '../trace/span.ts'
import { type AuditAction, type Change, eventTypes, INSTALLATION, type Origin } from './event.ts'

const published = new Set<string>(eventTypes)

const isPublished = ({ workspaceId, action }: Change): boolean =>
  workspaceId !== INSTALLATION && published.has(action)

/** The audit entry of a change, for a statement that writes both. Events are not included. */
export function auditRowOf(origin: Origin, change: Change): store.AuditRow {
  const { workspaceId, action, resource, data = {}, detail = {} } = change
  return {
    workspaceId,
    auditId: newUuid(),
    actorKind: origin.actor.kind,
    actorId: origin.actor.id,
    action,
    resourceKind: resource?.kind ?? null,
    resourceId: resource?.id ?? null,
    requestId: origin.requestId,
    address: origin.address,
    detail: JSON.stringify({ ...data, ...detail }),
  }
}

const eventRowOf = ({ workspaceId, action, subjectId, data = {} }: Change): store.EventRow => ({
  workspaceId,
  action,
  eventId: newUuid(),
  subjectId: subjectId ?? null,
  data: JSON.stringify(data),
  traceparent: activeTraceparent(),
})

/**
 * Appends the audit entry of a change and, if the action is a published event type in a workspace,
 * its event. `db` must be the transaction of the change, so that they commit together.
 */
export async function record(db: Db, origin: Origin, change: Change): Promise<void> {
  const row = auditRowOf(origin, change)
  return isPublished(change)
    ? store.appendBoth.run(db, { ...row, ...eventRowOf(change) })
    : store.appendAudit.run(db, row)
}

/** Rows per statement. */
const BATCH = 1_000

/** Like `record`, for many changes: two statements per batch. */
export async function recordAll(db: Db, origin: Origin, changes: readonly Change[]): Promise<void> {
  for (let at = 0; at < changes.length; at += BATCH) {
    const batch = changes.slice(at, at + BATCH)
    await store.insertAuditRows(
      db,
      batch.map((change) => auditRowOf(origin, change)),
    )
    await publishAll(db, batch)
  }
}

/** Appends events without audit entries, for what is not a change. */
export async function publishAll(db: Db, changes: readonly Change[]): Promise<void> {
  await store.insertEventRows(db, changes.filter(isPublished).map(eventRowOf))
}

/**
 * A change of a device.
 * @param deviceId UUID
 * @param data of the event, besides the id of the device
 * @param detail for the audit log only
 */
export function deviceChange(
  action: AuditAction,
  workspaceId: string,
  deviceId: string,
  data: Record<string, unknown>,
  detail: Record<string, unknown> = {},
): Change {
  const device_id = formatId('dev', deviceId)
  return {
    workspaceId,
    action,
    resource: { kind: 'device', id: device_id },
    subjectId: deviceId,
    data: { device_id, ...data },
    detail,
  }
}

/** The fields of `after`, or those of them in `among`, that differ from `before`; for the log. */
export function changedFields<T extends object>(
  before: T,
  after: T,
  among: readonly (keyof T)[] = Object.keys(after) as (keyof T)[],
): { before: Partial<T>; after: Partial<T> } {
  const names = among.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
  const pick = (from: T) =>
    Object.fromEntries(names.map((name) => [name, from[name]])) as Partial<T>
  return { before: pick(before), after: pick(after) }
}
