/** Approves and rejects devices: one statement for any number. */
import { changeInsert } from '../../../platform/database/change-feed.ts'
import { type Db, statement } from '../../../platform/database/connect.ts'
import type { Origin } from '../../../platform/record/event.ts'
import type { DeviceApproval, DeviceStatus } from './schema.ts'

// Rows are locked in a fixed order, to avoid deadlocks.
const decision = (becomes: 'approved' | 'rejected', from: string) =>
  statement(
    `device_approval.${becomes}`,
    `WITH told AS (
       SELECT * FROM unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::text[])
         AS t (id, audit_id, event_id, resource_id)
     ), chosen AS (
       SELECT d.id, d.approval, told.audit_id, told.event_id, told.resource_id
       FROM devices d JOIN told ON told.id = d.id
       WHERE d.workspace_id = $1 AND d.approval IN (${from})
         AND d.status IN ('registered', 'active')
       ORDER BY d.id FOR NO KEY UPDATE OF d
     ), decided AS (
       UPDATE devices d
       SET approval = '${becomes}', revision = revision + 1, updated_at = now()
       FROM chosen WHERE d.workspace_id = $1 AND d.id = chosen.id
       RETURNING d.id, chosen.audit_id, chosen.event_id, chosen.resource_id,
                 jsonb_build_object('device_id', chosen.resource_id,
                                    'device_key', d.device_key) AS data,
                 jsonb_build_object('before', jsonb_build_object('approval', chosen.approval),
                                    'after', jsonb_build_object('approval', d.approval)) AS changed
     ), entry AS (
       INSERT INTO audit_log (workspace_id, id, actor_kind, actor_id, action, resource_kind,
                              resource_id, request_id, address, detail)
       SELECT $1, audit_id, $6, $7, 'device.${becomes}', 'device', resource_id, $8, $9,
              data || changed
       FROM decided
     ), event AS (
       INSERT INTO events (workspace_id, id, type, subject_id, data)
       SELECT $1, event_id, 'device.${becomes}', id, data FROM decided
     ), announced AS (
       ${changeInsert('device', 'decided', 'decided.id')}
     )
     SELECT id FROM decided`,
  )

const decisions = {
  approve: decision('approved', `'pending', 'rejected'`),
  reject: decision('rejected', `'pending'`),
}
export type Decision = keyof typeof decisions

const lock = statement(
  'device_approval.lock',
  'SELECT status, approval FROM devices WHERE workspace_id = $1 AND id = $2 FOR NO KEY UPDATE',
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
  const rows = await db.query<{ id: string }>(decisions[decision], [
    workspaceId,
    devices.map(({ id }) => id),
    devices.map(({ auditId }) => auditId),
    devices.map(({ eventId }) => eventId),
    devices.map(({ resourceId }) => resourceId),
    origin.actor.kind,
    origin.actor.id,
    origin.requestId,
    origin.address,
  ])
  return rows.map(({ id }) => id)
}

export interface PresentState {
  status: DeviceStatus
  approval: DeviceApproval
}

/** Locks the device until the transaction ends. */
export async function lockState(
  db: Db,
  workspaceId: string,
  deviceId: string,
): Promise<PresentState | undefined> {
  return (await db.query<PresentState>(lock, [workspaceId, deviceId]))[0]
}
