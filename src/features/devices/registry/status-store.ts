/** Status transitions and session ends, one statement each. */
import { type Db, statement } from '../../../platform/database/connect.ts'
import type { DeviceStatus } from './schema.ts'

/** All current sessions started before it, even if their broker's clock is ahead of `$3`. */
const endSessions = `sessions_from = greatest($3::bigint, 1 + coalesce(
  (SELECT incarnation FROM device_presence WHERE workspace_id = $1 AND device_id = $2), 0))`

const transition = (verb: string, set: string, condition: string) =>
  statement(
    `device_status.${verb}`,
    `UPDATE devices SET ${set}, revision = revision + 1, updated_at = now()
     WHERE workspace_id = $1 AND id = $2 AND ${condition} RETURNING id`,
  )

const transitions = {
  suspend: transition(
    'suspend',
    `status = 'suspended', suspended_from = status, ${endSessions}`,
    `status IN ('registered', 'active')`,
  ),
  resume: transition(
    'resume',
    'status = suspended_from, suspended_from = NULL',
    `status = 'suspended'`,
  ),
  decommission: transition(
    'decommission',
    `status = 'decommissioned', suspended_from = NULL, ${endSessions}`,
    `status <> 'decommissioned'`,
  ),
}
export type Transition = keyof typeof transitions

const cut = statement(
  'device_status.cut_sessions',
  `UPDATE devices SET ${endSessions} WHERE workspace_id = $1 AND id = $2 RETURNING device_key`,
)
const allow = statement(
  'device_status.allow_rotation',
  `UPDATE devices SET rotation_allowed_at = now() WHERE workspace_id = $1 AND id = $2
   RETURNING rotation_allowed_at + interval '24 hours' AS until`,
)
const lock = statement(
  'device_status.lock',
  'SELECT status FROM devices WHERE workspace_id = $1 AND id = $2 FOR NO KEY UPDATE',
)

/**
 * @param nowUs microseconds since the epoch
 * @returns false if the device does not exist or its state does not allow the transition
 */
export async function applyTransition(
  db: Db,
  transition: Transition,
  workspaceId: string,
  deviceId: string,
  nowUs: number,
): Promise<boolean> {
  const values = [workspaceId, deviceId, ...(transition === 'resume' ? [] : [nowUs])]
  return (await db.query(transitions[transition], values)).length > 0
}

/** Locks the device until the transaction ends. @returns its status, if it exists */
export async function lockStatus(
  db: Db,
  workspaceId: string,
  deviceId: string,
): Promise<DeviceStatus | undefined> {
  return (await db.query<{ status: DeviceStatus }>(lock, [workspaceId, deviceId]))[0]?.status
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
