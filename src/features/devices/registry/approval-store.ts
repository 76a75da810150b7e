/** Approves and rejects devices: one statement for any number. */
import { changeInsert } from '../../../platform/database/change-feed.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { type RowOf, sql } from '../../../platform/database/sql.ts'
import type { Origin } from '../../../platform/record/event.ts'

// Rows are locked in a fixed order, to avoid deadlocks.
const decision = (becomes: 'approved' | 'rejected', from: string) =>
  `WITH told AS (
       SELECT * FROM unnest($ids::uuid[], $auditIds::uuid[], $eventIds::uuid[],
         $resourceIds::text[])
         AS t (id, audit_id, event_id, resource_id)
     ), chosen AS (
       SELECT d.id, d.approval, told.audit_id, told.event_id, told.resource_id
       FROM devices d JOIN told ON told.id = d.id
       WHERE d.workspace_id = $workspaceId AND d.approval IN (${from})
         AND d.status IN ('registered', 'active')
       ORDER BY d.id FOR NO KEY UPDATE OF d
     ), decided AS (
       UPDATE devices d
       SET approval = '${becomes}', revision = revision + 1, updated_at = now()
       FROM chosen WHERE d.workspace_id = $workspaceId AND d.id = chosen.id
       RETURNING d.id, chosen.audit_id, chosen.event_id, chosen.resource_id,
                 jsonb_build_object('device_id', chosen.resource_id,
                                    'device_key', d.device_key) AS data,
                 jsonb_build_object('before', jsonb_build_object('approval', chosen.approval),
                                    'after', jsonb_build_object('approval', d.approval)) AS changed
     ), entry AS (
       INSERT INTO audit_log (workspace_id, id, actor_kind, actor_id, action, resource_kind,
                              resource_id, request_id, address, detail)
       SELECT $workspaceId, audit_id, $actorKind, $actorId?, 'device.${becomes}', 'device',
         resource_id, $requestId?,
              $address?,
              data || changed
       FROM decided
     ), event AS (
       INSERT INTO events (workspace_id, id, type, subject_id, data)
       SELECT $workspaceId, event_id, 'device.${becomes}', id, data FROM decided
     ), announced AS (
       ${changeInsert('device', 'decided', 'decided.id')}
     )
     SELECT id FROM decided`

const decisions = {
  approve: sql('device_approval.approved', decision('approved', `'pending', 'rejected'`)),
  reject: sql('device_approval.rejected', decision('rejected', `'pending'`)),
}
export type Decision = keyof typeof decisions

/** Locks the device until the transaction ends. */
export const lockState = sql(
  'device_approval.lock',
  `SELECT status, approval FROM devices WHERE workspace_id = $workspaceId
     AND id = $id FOR NO KEY UPDATE`,
)

export interface DecidedDevice {
  id: string
  auditId: string
  eventId: string
  /** Public id. */
  resourceId: string
}

/** @returns ids of the devices that changed */
export async function decideDevices(
  db: Db,
  decision: Decision,
  { workspaceId, origin }: { workspaceId: string; origin: Origin },
  devices: readonly DecidedDevice[],
): Promise<string[]> {
  const rows = await decisions[decision].rows(db, {
    workspaceId,
    ids: devices.map(({ id }) => id),
    auditIds: devices.map(({ auditId }) => auditId),
    eventIds: devices.map(({ eventId }) => eventId),
    resourceIds: devices.map(({ resourceId }) => resourceId),
    actorKind: origin.actor.kind,
    actorId: origin.actor.id,
    requestId: origin.requestId,
    address: origin.address,
  })
  return rows.map(({ id }) => id)
}

export type PresentState = RowOf<typeof lockState>
