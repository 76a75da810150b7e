/** Queries on devices. */
import type { Db } from '../../../platform/database/connect.ts'
import { type RowOf, sql } from '../../../platform/database/sql.ts'

export type DeviceRow = RowOf<typeof findDevice>

/** The columns of the view; `from` is the device table or a CTE that returned rows of it. */
const columns = (from: string): string =>
  `SELECT d.workspace_id, d.id, d.device_key, d.name, d.template_id, d.hardware_id, d.status,
          d.approval, d.tags, d.custom_fields, d.config, p.connected, p.last_seen_at, d.claimed_at,
          d.created_at, d.updated_at, d.revision
   FROM ${from} d
   LEFT JOIN device_presence p ON p.workspace_id = d.workspace_id AND p.device_id = d.id`

export const findDevice = sql('devices.by_id')`
  ${columns('devices')} WHERE d.workspace_id = $workspaceId AND d.id = $id`
export const lockDevice = sql('devices.lock')`${findDevice.source} FOR NO KEY UPDATE OF d`
/** The one of the two that is taken. */
export const findConflict = sql('devices.conflict')`
  SELECT coalesce(bool_or(device_key = $deviceKey), false) AS device_key!,
         coalesce(bool_or(hardware_id = $hardwareId?), false) AS hardware_id!
  FROM devices WHERE workspace_id = $workspaceId
    AND (device_key = $deviceKey OR hardware_id = $hardwareId?)`
const update = sql('devices.update')`
  WITH changed AS (
    UPDATE devices
    SET name = $name, template_id = $templateId?, tags = $tags, custom_fields = $customFields,
      config = $config,
        config_version = config_version + (config <> $config)::int,
        revision = revision + 1, updated_at = now()
    WHERE workspace_id = $workspaceId AND id = $id RETURNING *
  )
  ${columns('changed')} AND p.workspace_id = $workspaceId`
export const deleteDevices = sql('devices.delete')`
  DELETE FROM devices WHERE workspace_id = $workspaceId AND id = ANY($ids::uuid[])`

// A change of the slug waits for this lock and then sees that there is a device.
/** The workspace's data for a new device; the slug is fixed until the transaction ends. */
export const lockHome = sql('devices.home')`
  SELECT w.slug, t.serial_format FROM workspaces w
  LEFT JOIN device_templates t ON t.workspace_id = w.id AND t.id = $templateId?
  WHERE w.id = $workspaceId FOR KEY SHARE OF w`

export type DeviceFields = Pick<
  DeviceRow,
  'name' | 'template_id' | 'tags' | 'custom_fields' | 'config'
>

export async function updateDevice(
  db: Db,
  workspaceId: string,
  id: string,
  fields: DeviceFields,
): Promise<DeviceRow> {
  return update.one(db, {
    workspaceId,
    id,
    name: fields.name,
    templateId: fields.template_id,
    tags: JSON.stringify(fields.tags),
    customFields: JSON.stringify(fields.custom_fields),
    config: JSON.stringify(fields.config),
  })
}

// Transitions of any number of devices, and session ends, one statement each.

/** All current sessions started before it, even those of a broker whose clock is ahead. */
const endSessions = `sessions_from = greatest($sessionsFrom::bigint, 1 + coalesce(
  (SELECT p.incarnation FROM device_presence p
   WHERE p.workspace_id = $workspaceId AND p.device_id = d.id), 0))`

const transition = (set: string) =>
  `UPDATE devices d SET ${set}, revision = d.revision + 1, updated_at = now()
   WHERE d.workspace_id = $workspaceId AND d.id = ANY($ids::uuid[])`

/** For locked devices that allow them. `$sessionsFrom` is in microseconds since the epoch. */
export const transitions = {
  suspend: sql('device_status.suspend')`
    ${transition(`status = 'suspended', suspended_from = d.status, ${endSessions}`)}`,
  resume: sql('device_status.resume')`
    ${transition('status = d.suspended_from, suspended_from = NULL')}`,
  decommission: sql('device_status.decommission')`
    ${transition(`status = 'decommissioned', suspended_from = NULL, ${endSessions}`)}`,
  approve: sql('device_status.approve')`${transition(`approval = 'approved'`)}`,
  reject: sql('device_status.reject')`${transition(`approval = 'rejected'`)}`,
}
export type Transition = keyof typeof transitions

/** @returns the device's key; undefined if there is no such device */
export const endSessionsOf = sql('device_status.end_sessions')`
  UPDATE devices d SET ${endSessions} WHERE d.workspace_id = $workspaceId AND d.id = $id
  RETURNING d.device_key`
/** The device must be locked. @returns until when, in milliseconds since the epoch */
export const allowRotation = sql('device_status.allow_rotation')`
  UPDATE devices SET rotation_allowed_at = now() WHERE workspace_id = $workspaceId AND id = $id
  RETURNING rotation_allowed_at + interval '24 hours' AS until!`
// In a fixed order, to avoid deadlocks.
/** Locks the existing devices until the transaction ends. */
export const lockDevices = sql('device_status.lock')`
  SELECT id, device_key, status, suspended_from, approval, template_id, tags,
         claimed_at IS NOT NULL AS is_claimed!
  FROM devices WHERE workspace_id = $workspaceId AND id = ANY($ids::uuid[])
  ORDER BY id FOR NO KEY UPDATE`

export type TransitDevice = RowOf<typeof lockDevices>
