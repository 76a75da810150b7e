/** Queries on devices. */
import { type Db, type PointReader, statement } from '../../../platform/database/connect.ts'
import type { NewDevice } from './registration-store.ts'
import type { DeviceApproval, DeviceStatus } from './schema.ts'

export interface DeviceRow {
  workspace_id: string
  id: string
  device_key: string
  name: string
  template_id: string | null
  hardware_id: string | null
  status: DeviceStatus
  approval: DeviceApproval
  tags: Record<string, string>
  custom_fields: Record<string, unknown>
  config: Record<string, unknown>
  /** Null before the first connection. */
  connected: boolean | null
  last_seen_at: number | null
  claimed_at: number | null
  created_at: number
  updated_at: number
  revision: number
}

/** The columns of the view; `from` is the device table or a CTE that returned rows of it. */
const shown = (from: string): string =>
  `SELECT d.workspace_id, d.id, d.device_key, d.name, d.template_id, d.hardware_id, d.status,
          d.approval, d.tags, d.custom_fields, d.config, p.connected, p.last_seen_at, d.claimed_at,
          d.created_at, d.updated_at, d.revision
   FROM ${from} d
   LEFT JOIN device_presence p ON p.workspace_id = d.workspace_id AND p.device_id = d.id`

const byId = statement(
  'devices.by_id',
  `${shown('devices')} WHERE d.workspace_id = $1 AND d.id = $2`,
)
const byIds = statement(
  'devices.by_ids',
  `${shown('devices')} WHERE d.workspace_id = $1 AND d.id = ANY($2::uuid[])`,
)
const lock = statement('devices.lock', `${byId.text} FOR NO KEY UPDATE OF d`)
const conflict = statement(
  'devices.conflict',
  `SELECT coalesce(bool_or(device_key = $2), false) AS device_key,
          coalesce(bool_or(hardware_id = $3), false) AS hardware_id
   FROM devices WHERE workspace_id = $1 AND (device_key = $2 OR hardware_id = $3)`,
)
const update = statement(
  'devices.update',
  `WITH changed AS (
     UPDATE devices
     SET name = $3, template_id = $4, tags = $5, custom_fields = $6, config = $7,
         config_version = config_version + (config <> $7)::int,
         revision = revision + 1, updated_at = now()
     WHERE workspace_id = $1 AND id = $2 RETURNING *
   )
   ${shown('changed')}`,
)
const remove = statement(
  'devices.delete',
  'DELETE FROM devices WHERE workspace_id = $1 AND id = ANY($2::uuid[])',
)

// A change of the slug waits for this lock and then sees that there is a device.
const home = statement(
  'devices.home',
  `SELECT w.slug, t.serial_format FROM workspaces w
   LEFT JOIN device_templates t ON t.workspace_id = w.id AND t.id = $2
   WHERE w.id = $1 FOR KEY SHARE OF w`,
)

export async function findDevice(
  db: PointReader,
  workspaceId: string,
  id: string,
): Promise<DeviceRow | undefined> {
  return (await db.query<DeviceRow>(byId, [workspaceId, id]))[0]
}

export async function lockDevice(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<DeviceRow | undefined> {
  return (await db.query<DeviceRow>(lock, [workspaceId, id]))[0]
}

/** In the order of the ids; missing ones are skipped. */
export async function findDevices(
  db: Db,
  workspaceId: string,
  ids: readonly string[],
): Promise<DeviceRow[]> {
  if (ids.length === 0) return []
  const rows = await db.query<DeviceRow>(byIds, [workspaceId, ids])
  const found = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => found.get(id) ?? [])
}

export interface Home {
  slug: string
  /** Null if there is no such template, or none was named. */
  serial_format: string | null
}

/** The workspace's data for a new device; the slug is fixed until the transaction ends. */
export async function lockHome(
  db: Db,
  workspaceId: string,
  templateId: string | null,
): Promise<Home> {
  return (await db.query<Home>(home, [workspaceId, templateId]))[0] as Home
}

/** Which of the two is taken. */
export async function findConflict(
  db: Db,
  device: Pick<NewDevice, 'workspaceId' | 'deviceKey' | 'hardwareId'>,
): Promise<{ device_key: boolean; hardware_id: boolean }> {
  const values = [device.workspaceId, device.deviceKey, device.hardwareId]
  const [row] = await db.query<{ device_key: boolean; hardware_id: boolean }>(conflict, values)
  return row ?? { device_key: false, hardware_id: false }
}

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
  const { name, template_id, tags, custom_fields, config } = fields
  const objects = [tags, custom_fields, config].map((value) => JSON.stringify(value))
  const values = [workspaceId, id, name, template_id, ...objects]
  return (await db.query<DeviceRow>(update, values))[0] as DeviceRow
}

export async function deleteDevices(
  db: Db,
  workspaceId: string,
  ids: readonly string[],
): Promise<void> {
  await db.query(remove, [workspaceId, ids])
}
