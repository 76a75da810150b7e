/** Queries on commands: issued, read, cancelled. */
import { type Db, statement } from '../../../platform/database/connect.ts'
import {
  filteredPage,
  type FilteredRequest,
  type FilteredTable,
} from '../../../platform/database/filtered-page.ts'
import type { CommandStatus } from './schema.ts'

export interface CommandRow {
  workspace_id: string
  id: string
  device_id: string
  name: string
  payload: Record<string, unknown>
  /** An open command counts as timed out at once, even before it is marked. */
  status: CommandStatus
  result: unknown
  error: string | null
  created_by: string | null
  created_at: number
  expires_at: number
  sent_at: number | null
  ended_at: number | null
  /** Milliseconds until `expires_at`, by the database's clock. */
  open_ms: number
}

const present = `CASE WHEN c.ended_at IS NULL AND c.expires_at <= now() THEN 'timed_out'
  ELSE c.status END`
const columns = `c.workspace_id, c.id, c.device_id, c.name, c.payload, ${present} AS status,
  c.result, c.error, c.created_by, c.created_at, c.expires_at, c.sent_at,
  CASE WHEN c.ended_at IS NULL AND c.expires_at <= now() THEN c.expires_at ELSE c.ended_at END
    AS ended_at,
  (extract(epoch FROM c.expires_at - now()) * 1000)::float8 AS open_ms`

// In a fixed order, to avoid deadlocks between bulk issues.
const lockDevices = statement(
  'device_commands.lock_devices',
  `SELECT id, status FROM devices WHERE workspace_id = $1 AND id = ANY ($2::uuid[])
   ORDER BY id FOR NO KEY UPDATE`,
)
// A separate statement, which sees what was committed before it got the lock.
const countOpen = statement(
  'device_commands.count_open',
  `SELECT device_id AS id, count(*) AS open FROM device_commands
   WHERE workspace_id = $1 AND device_id = ANY ($2::uuid[]) AND ended_at IS NULL
     AND expires_at > now()
   GROUP BY device_id`,
)
const insert = statement(
  'device_commands.insert',
  `WITH given AS (
     SELECT * FROM unnest($2::uuid[], $3::uuid[], $4::uuid[]) AS g (id, device_id, audit_id)
   ), issued AS (
     INSERT INTO device_commands AS c (workspace_id, id, device_id, name, payload, created_by,
                                       expires_at)
     SELECT $1, id, device_id, $5, $6, $7, now() + make_interval(secs => $8) FROM given
     RETURNING ${columns}
   ), entries AS (
     INSERT INTO audit_log (workspace_id, id, actor_kind, actor_id, action, resource_kind,
                            resource_id, request_id, address, detail)
     SELECT $1, given.audit_id, $9, $7, 'command.created', 'device', shown.id, $10, $11,
            jsonb_build_object('device_id', shown.id, 'command_id', shown.command_id, 'name', $5::text)
     FROM given JOIN unnest($2::uuid[], $12::text[], $13::text[]) AS shown (uuid, id, command_id)
       ON shown.uuid = given.id
   )
   SELECT * FROM issued`,
)
const ofDevice = 'd.workspace_id = $1 AND d.id = $2'
const exists = statement('device_commands.device', `SELECT 1 FROM devices d WHERE ${ofDevice}`)
const byId = statement(
  'device_commands.by_id',
  `SELECT ${columns} FROM devices d
   LEFT JOIN device_commands c
     ON c.workspace_id = d.workspace_id AND c.device_id = d.id AND c.id = $3
   WHERE ${ofDevice}`,
)
const list: FilteredTable<CommandRow> = {
  idOf: ({ id }) => id,
  columns: `workspace_id, id, device_id, name, payload, status, result, error, created_by,
    created_at, expires_at, sent_at, ended_at, open_ms`,
  table: `(SELECT ${columns} FROM device_commands c) AS commands`,
  partOf: 'device_id',
  fields: {
    name: { sql: 'name' },
    status: { sql: 'status' },
    error: { sql: 'error' },
    created_by: { sql: 'created_by' },
    created_at: { sql: 'created_at', isTimeOfId: true },
    ended_at: { sql: 'ended_at' },
  },
}
const cancel = statement(
  'device_commands.cancel',
  `UPDATE device_commands c SET status = 'cancelled', ended_at = now(), revision = revision + 1
   WHERE c.workspace_id = $1 AND c.device_id = $2 AND c.id = $3 AND c.status = 'pending'
     AND c.expires_at > now()
   RETURNING ${columns}`,
)

export interface LockedDevice {
  id: string
  status: string
  /** Unanswered commands. */
  open: number
}

/** Locks the existing devices until the transaction ends. */
export async function lockDevicesForCommands(
  db: Db,
  workspaceId: string,
  deviceIds: readonly string[],
): Promise<LockedDevice[]> {
  const values = [workspaceId, deviceIds]
  const devices = await db.query<{ id: string; status: string }>(lockDevices, values)
  const counts = await db.query<{ id: string; open: number }>(countOpen, values)
  const open = new Map(counts.map((row) => [row.id, row.open]))
  return devices.map((device) => ({ ...device, open: open.get(device.id) ?? 0 }))
}

export interface NewCommand {
  id: string
  deviceId: string
  auditId: string
  /** Public ids. */
  shownId: string
  shownDeviceId: string
}

export interface CommandOrder {
  workspaceId: string
  name: string
  payload: Record<string, unknown>
  timeoutSeconds: number
}

/** Writes commands with their audit entries. */
export const insertCommands = (
  db: Db,
  order: CommandOrder,
  commands: readonly NewCommand[],
  origin: { kind: string; id: string | null; requestId: string | null; address: string | null },
): Promise<CommandRow[]> =>
  db.query(insert, [
    order.workspaceId,
    commands.map(({ id }) => id),
    commands.map(({ deviceId }) => deviceId),
    commands.map(({ auditId }) => auditId),
    order.name,
    JSON.stringify(order.payload),
    origin.id,
    order.timeoutSeconds,
    origin.kind,
    origin.requestId,
    origin.address,
    commands.map(({ shownDeviceId }) => shownDeviceId),
    commands.map(({ shownId }) => shownId),
  ])

export const deviceExists = async (
  db: Db,
  workspaceId: string,
  deviceId: string,
): Promise<boolean> => (await db.query(exists, [workspaceId, deviceId])).length > 0

/** @returns undefined if there is no such device, null if it has no such command */
export async function findCommand(
  db: Db,
  workspaceId: string,
  deviceId: string,
  id: string,
): Promise<CommandRow | null | undefined> {
  const values = [workspaceId, deviceId, id]
  const [row] = await db.query<CommandRow | { id: null }>(byId, values)
  return row?.id === null ? null : row
}

export const pageOfCommands = (
  db: Db,
  workspaceId: string,
  deviceId: string,
  request: FilteredRequest,
) => filteredPage(db, list, workspaceId, request, deviceId)

/** @returns undefined if it is not pending or does not exist */
export const cancelCommandRow = async (
  db: Db,
  workspaceId: string,
  deviceId: string,
  id: string,
): Promise<CommandRow | undefined> =>
  (await db.query<CommandRow>(cancel, [workspaceId, deviceId, id]))[0]
