/** Queries on commands: issued, read, cancelled. */
import type { Db } from '../../../platform/database/connect.ts'
import { type RowOf, sql } from '../../../platform/database/sql.ts'
import { filteredList } from '../../../platform/database/filtered-list.ts'

const present = `CASE WHEN c.ended_at IS NULL AND c.expires_at <= now() THEN 'timed_out'
  ELSE c.status END`
const columns = `c.workspace_id, c.id, c.device_id, c.name, c.payload, ${present} AS status!,
  c.result, c.error, c.created_by, c.created_at, c.expires_at, c.sent_at,
  CASE WHEN c.ended_at IS NULL AND c.expires_at <= now() THEN c.expires_at ELSE c.ended_at END
    AS ended_at,
  (extract(epoch FROM c.expires_at - now()) * 1000)::float8 AS open_ms!`

// In a fixed order, to avoid deadlocks between bulk issues.
const lockDevices = sql(
  'device_commands.lock_devices',
  `SELECT id, status FROM devices WHERE workspace_id = $workspaceId AND id = ANY ($ids::uuid[])
   ORDER BY id FOR NO KEY UPDATE`,
)
// A separate statement, which sees what was committed before it got the lock.
const countOpen = sql(
  'device_commands.count_open',
  `SELECT device_id AS id, count(*) AS open FROM device_commands
   WHERE workspace_id = $workspaceId AND device_id = ANY ($deviceIds::uuid[]) AND ended_at IS NULL
     AND expires_at > now()
   GROUP BY device_id`,
)
const insert = sql(
  'device_commands.insert',
  `WITH given AS (
     SELECT * FROM unnest($ids::uuid[], $deviceIds::uuid[], $auditIds::uuid[]) AS g (id, device_id,
       audit_id)
   ), issued AS (
     INSERT INTO device_commands AS c (workspace_id, id, device_id, name, payload, created_by,
                                       expires_at)
     SELECT $workspaceId, id, device_id, $name, $payload, $createdBy?,
       now() + make_interval(secs => $seconds) FROM given
     RETURNING ${columns}
   ), entries AS (
     INSERT INTO audit_log (workspace_id, id, actor_kind, actor_id, action, resource_kind,
                            resource_id, request_id, address, detail)
     SELECT $workspaceId, given.audit_id, $actorKind, $createdBy?, 'command.created', 'device',
       shown.id, $requestId?, $address?,
            jsonb_build_object('device_id', shown.id, 'command_id', shown.command_id, 'name', $name::text)
     FROM given JOIN unnest($ids::uuid[], $shownIds::text[], $commandIds::text[]) AS shown (uuid,
       id, command_id)
       ON shown.uuid = given.id
   )
   SELECT * FROM issued`,
)
const ofDevice = 'd.workspace_id = $workspaceId AND d.id = $deviceId'
export const deviceExists = sql(
  'device_commands.device',
  `SELECT 1 FROM devices d WHERE ${ofDevice}`,
)
const byId = sql(
  'device_commands.by_id',
  `SELECT ${columns} FROM devices d
   LEFT JOIN device_commands c
     ON c.workspace_id = d.workspace_id AND c.device_id = d.id AND c.id = $id
   WHERE ${ofDevice}`,
)
export const pageOfCommands = filteredList<CommandRow>({
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
})
/** @returns undefined if it is not pending or does not exist */
export const cancelCommandRow = sql(
  'device_commands.cancel',
  `UPDATE device_commands c SET status = 'cancelled', ended_at = now(), revision = revision + 1
   WHERE c.workspace_id = $workspaceId AND c.device_id = $deviceId AND c.id = $id
     AND c.status = 'pending'
     AND c.expires_at > now()
   RETURNING ${columns}`,
)
export type CommandRow = RowOf<typeof cancelCommandRow>

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
  const devices = await lockDevices.rows(db, { workspaceId, ids: deviceIds })
  const counts = await countOpen.rows(db, { workspaceId, deviceIds })
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
  insert.rows(db, {
    workspaceId: order.workspaceId,
    ids: commands.map(({ id }) => id),
    deviceIds: commands.map(({ deviceId }) => deviceId),
    auditIds: commands.map(({ auditId }) => auditId),
    name: order.name,
    payload: JSON.stringify(order.payload),
    createdBy: origin.id,
    seconds: order.timeoutSeconds,
    actorKind: origin.kind,
    requestId: origin.requestId,
    address: origin.address,
    shownIds: commands.map(({ shownDeviceId }) => shownDeviceId),
    commandIds: commands.map(({ shownId }) => shownId),
  })

/** @returns undefined if there is no such device, null if it has no such command */
export async function findCommand(
  db: Db,
  workspaceId: string,
  deviceId: string,
  id: string,
): Promise<CommandRow | null | undefined> {
  const row = await byId.first(db, { workspaceId, deviceId, id })
  return row?.id === null ? null : (row as CommandRow | undefined)
}
