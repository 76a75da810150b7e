/** Transitions of any number of devices, and session ends, one statement each. */
import type { Db } from '../../../platform/database/connect.ts'
import { type RowOf, sql } from '../../../platform/database/sql.ts'

/** All current sessions started before it, even those of a broker whose clock is ahead. */
const endSessions = `sessions_from = greatest($sessionsFrom::bigint, 1 + coalesce(
  (SELECT p.incarnation FROM device_presence p
   WHERE p.workspace_id = d.workspace_id AND p.device_id = d.id), 0))`

const transition = (set: string) =>
  `UPDATE devices d SET ${set}, revision = d.revision + 1, updated_at = now()
   WHERE d.workspace_id = $workspaceId AND d.id = ANY($ids::uuid[])`

const transitions = {
  suspend: sql(
    'device_status.suspend',
    transition(`status = 'suspended', suspended_from = d.status, ${endSessions}`),
  ),
  resume: sql(
    'device_status.resume',
    transition('status = d.suspended_from, suspended_from = NULL'),
  ),
  decommission: sql(
    'device_status.decommission',
    transition(`status = 'decommissioned', suspended_from = NULL, ${endSessions}`),
  ),
  approve: sql('device_status.approve', transition(`approval = 'approved'`)),
  reject: sql('device_status.reject', transition(`approval = 'rejected'`)),
}
export type Transition = keyof typeof transitions

const cut = sql(
  'device_status.cut_sessions',
  `UPDATE devices d SET ${endSessions} WHERE d.workspace_id = $workspaceId AND d.id = $id
   RETURNING d.device_key`,
)
const allow = sql(
  'device_status.allow_rotation',
  `UPDATE devices SET rotation_allowed_at = now() WHERE workspace_id = $workspaceId AND id = $id
   RETURNING rotation_allowed_at + interval '24 hours' AS until!`,
)
// In a fixed order, to avoid deadlocks.
/** Locks the existing devices until the transaction ends. */
export const lockDevices = sql(
  'device_status.lock',
  `SELECT id, device_key, status, suspended_from, approval, template_id, tags,
          claimed_at IS NOT NULL AS is_claimed!
   FROM devices WHERE workspace_id = $workspaceId AND id = ANY($ids::uuid[])
   ORDER BY id FOR NO KEY UPDATE`,
)

/**
 * Applies a transition to locked devices that allow it.
 * @param nowUs microseconds since the epoch
 */
export async function applyTransition(
  db: Db,
  transition: Transition,
  workspaceId: string,
  deviceIds: readonly string[],
  nowUs: number,
): Promise<void> {
  await transitions[transition].run(db, { workspaceId, ids: deviceIds, sessionsFrom: nowUs })
}

/** A locked device. */
export type TransitDevice = RowOf<typeof lockDevices>

/** @returns the device's key; undefined if there is no such device */
export async function cutSessions(
  db: Db,
  workspaceId: string,
  deviceId: string,
  nowUs: number,
): Promise<string | undefined> {
  return (await cut.first(db, { workspaceId, id: deviceId, sessionsFrom: nowUs }))?.device_key
}

/** The device must be locked. @returns until when, in milliseconds since the epoch */
export async function allowRotation(
  db: Db,
  workspaceId: string,
  deviceId: string,
): Promise<number> {
  return (await allow.one(db, { workspaceId, id: deviceId })).until
}
