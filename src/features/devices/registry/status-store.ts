/** Status transitions of any number of devices, and session ends, one statement each. */
import { type Db, statement } from '../../../platform/database/connect.ts'
import type { DeviceStatus } from './schema.ts'

/** All current sessions started before it, even if their broker's clock is ahead of `$3`. */
const endSessions = `sessions_from = greatest($3::bigint, 1 + coalesce(
  (SELECT p.incarnation FROM device_presence p
   WHERE p.workspace_id = d.workspace_id AND p.device_id = d.id), 0))`

const transition = (verb: string, set: string) =>
  statement(
    `device_status.${verb}`,
    `UPDATE devices d SET ${set}, revision = d.revision + 1, updated_at = now()
     WHERE d.workspace_id = $1 AND d.id = ANY($2::uuid[])`,
  )

const transitions = {
  suspend: transition('suspend', `status = 'suspended', suspended_from = d.status, ${endSessions}`),
  resume: transition('resume', 'status = d.suspended_from, suspended_from = NULL'),
  decommission: transition(
    'decommission',
    `status = 'decommissioned', suspended_from = NULL, ${endSessions}`,
  ),
}
export type Transition = keyof typeof transitions

const cut = statement(
  'device_status.cut_sessions',
  `UPDATE devices d SET ${endSessions} WHERE d.workspace_id = $1 AND d.id = $2
   RETURNING d.device_key`,
)
const allow = statement(
  'device_status.allow_rotation',
  `UPDATE devices SET rotation_allowed_at = now() WHERE workspace_id = $1 AND id = $2
   RETURNING rotation_allowed_at + interval '24 hours' AS until`,
)
const lock = statement(
  'device_status.lock',
  `SELECT id, status, claimed_at IS NOT NULL AS is_claimed FROM devices
   WHERE workspace_id = $1 AND id = $2 FOR NO KEY UPDATE`,
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
  const values = [workspaceId, deviceIds, ...(transition === 'resume' ? [] : [nowUs])]
  await db.query(transitions[transition], values)
}

/** A locked device, as far as its transitions depend on it. */
export interface TransitDevice {
  id: string
  status: DeviceStatus
  is_claimed: boolean
}

/** Locks the device until the transaction ends. */
export async function lockStatus(
  db: Db,
  workspaceId: string,
  deviceId: string,
): Promise<TransitDevice | undefined> {
  return (await db.query<TransitDevice>(lock, [workspaceId, deviceId]))[0]
}

/** @returns the device's key; undefined if there is no such device */
export async function cutSessions(
  db: Db,
  workspaceId: string,
  deviceId: string,
  nowUs: number,
): Promise<string | undefined> {
  const values = [workspaceId, deviceId, nowUs]
  return (await db.query<{ device_key: string }>(cut, values))[0]?.device_key
}

/** The device must be locked. @returns until when, in milliseconds since the epoch */
export async function allowRotation(
  db: Db,
  workspaceId: string,
  deviceId: string,
): Promise<number> {
  const [row] = await db.query<{ until: number }>(allow, [workspaceId, deviceId])
  return (row as { until: number }).until
}
