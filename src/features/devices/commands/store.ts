/** Queries on commands: issued, read, cancelled. */
import { INSERT_AUDIT } from '../../../platform/database/audit-insert.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { columnsOf, isJoined, type RowOf, sql, unnested } from '../../../platform/database/sql.ts'
import { filteredList } from '../../../platform/database/filtered-list.ts'

const present = `CASE WHEN c.ended_at IS NULL AND c.expires_at <= now() THEN 'timed_out'
  ELSE c.status END`
const columns = `c.workspace_id, c.id, c.device_id, c.name, c.payload, ${present} AS status!,
  c.result, c.error, c.created_by, c.job_id, c.rotation_campaign_id,
  c.cancelled_by, c.cancel_reason, c.created_at, c.expires_at, c.sent_at,
  CASE WHEN c.ended_at IS NULL AND c.expires_at <= now() THEN c.expires_at ELSE c.ended_at END
    AS ended_at,
  (extract(epoch FROM c.expires_at - now()) * 1000)::float8 AS open_ms!`

// In a fixed order, to avoid deadlocks between bulk issues.
const lockDevices = sql('device_commands.lock_devices')`
  SELECT id, status FROM devices WHERE workspace_id = $workspaceId AND id = ANY ($ids::uuid[])
  ORDER BY id FOR NO KEY UPDATE`
// A separate statement, which sees what was committed before it got the lock.
const countOpen = sql('device_commands.count_open')`
  SELECT device_id AS id, count(*) AS open FROM device_commands
  WHERE workspace_id = $workspaceId AND device_id = ANY ($deviceIds::uuid[]) AND ended_at IS NULL
    AND expires_at > now()
  GROUP BY device_id`
/** Writes commands with their audit entries. */
export const insertCommands = sql('device_commands.insert')`
  WITH given AS (
    SELECT * FROM ${unnested('g', 'id uuid, deviceId uuid, auditId uuid')}
  ), issued AS (
    INSERT INTO device_commands AS c (workspace_id, id, device_id, name, payload, created_by,
                                      job_id, rotation_campaign_id, expires_at)
    SELECT $workspaceId, id, device_id, $name, $payload, $createdBy?, $jobId?, $campaignId?,
      now() + make_interval(secs => $seconds) FROM given
    RETURNING ${columns}
  ), entries AS (
    ${INSERT_AUDIT}
    SELECT $workspaceId, given.audit_id, $actorKind, $createdBy?, 'command.created', 'device',
      shown.id, $requestId?, $address?,
           jsonb_build_object('device_id', shown.id, 'command_id', shown.command_id, 'name', $name::text)
    FROM given JOIN unnest($id::uuid[], $shownDeviceId::text[], $shownId::text[]) AS shown (uuid,
      id, command_id)
      ON shown.uuid = given.id
  )
  SELECT * FROM issued`
const ofDevice = 'd.workspace_id = $workspaceId AND d.id = $deviceId'
export const deviceExists = sql('device_commands.device')`SELECT 1 FROM devices d WHERE ${ofDevice}`
const byId = sql('device_commands.by_id')`
  SELECT ${columns} FROM devices d
  LEFT JOIN device_commands c
    ON c.workspace_id = d.workspace_id AND c.device_id = d.id AND c.id = $id
  WHERE ${ofDevice}`
export const pageOfCommands = filteredList('device_commands.filtered', {
  columns: `workspace_id, id, device_id, name, payload, status, result, error, created_by,
    job_id, rotation_campaign_id, cancelled_by, cancel_reason,
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
export const cancelCommandRow = sql('device_commands.cancel')`
  UPDATE device_commands c
  SET status = 'cancelled', cancelled_by = $by?, cancel_reason = 'request', ended_at = now(),
      revision = revision + 1
  WHERE c.workspace_id = $workspaceId AND c.device_id = $deviceId AND c.id = $id
    AND c.status = 'pending'
    AND c.expires_at > now()
  RETURNING ${columns}`
export type CommandRow = RowOf<typeof cancelCommandRow>

/** Cancels the pending commands `$name` of devices whose credentials are reset. */
export const cancelPendingCommands = sql('device_commands.cancel_pending')`
  UPDATE device_commands
  SET status = 'cancelled', cancelled_by = $by?, cancel_reason = 'credentials_reset',
      ended_at = now(), revision = revision + 1
  WHERE workspace_id = $workspaceId AND device_id = ANY ($deviceIds::uuid[]) AND name = $name
    AND status = 'pending' AND expires_at > now()
  RETURNING id, device_id, name`

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

const ofJob = 'c.workspace_id = $workspaceId AND c.job_id = $jobId'
/** How many commands of a job are in each state, of `$limit` at most. */
export const countsOfJob = sql('device_commands.counts_of_job')`
  SELECT status AS status!, count(*) AS count
  FROM (SELECT ${present} AS status FROM device_commands c WHERE ${ofJob} LIMIT $limit) AS counted
  GROUP BY status ORDER BY count DESC`
export const commandsOfJob = sql('device_commands.of_job')`
  SELECT c.device_id, c.id, ${present} AS status! FROM device_commands c
  WHERE ${ofJob} AND c.device_id = ANY ($deviceIds::uuid[])`

/** @returns undefined if there is no such device, null if it has no such command */
export async function findCommand(
  db: Db,
  workspaceId: string,
  deviceId: string,
  id: string,
): Promise<CommandRow | null | undefined> {
  const row = await byId.first(db, { workspaceId, deviceId, id })
  return row && (isJoined<CommandRow>(row, 'id') ? row : null)
}

// Batch statements: commands are taken for delivery, answered, timed out, deleted.

export interface DeviceRef {
  workspaceId: string
  deviceId: string
}

const deliveryColumns = `c.workspace_id, c.device_id, c.id, c.name, c.payload, c.created_at, c.expires_at`

// Changing the status decides who delivers: later transactions wait for the first and then find
// nothing pending.
const take = sql('device_commands.take')`
  WITH due AS (
    SELECT c.workspace_id, c.id
    FROM unnest($workspaceId::uuid[], $deviceId::uuid[]) AS t (workspace_id, device_id)
    JOIN device_commands c ON c.workspace_id = t.workspace_id AND c.device_id = t.device_id
    WHERE c.ended_at IS NULL AND c.status = 'pending' AND c.expires_at > now()
    ORDER BY c.workspace_id, c.id LIMIT $limit FOR NO KEY UPDATE OF c
  )
  UPDATE device_commands c SET status = 'sent', sent_at = now(), revision = revision + 1
  FROM due WHERE c.workspace_id = due.workspace_id AND c.id = due.id
  RETURNING ${deliveryColumns}`
/** Commands that were taken but not delivered become pending again. */
export const returnUnsent = sql('device_commands.give_back')`
  UPDATE device_commands c SET status = 'pending', sent_at = NULL, revision = revision + 1
  FROM ${unnested('t', 'workspace_id uuid, id uuid')}
  WHERE c.workspace_id = t.workspace_id AND c.id = t.id AND c.status = 'sent'`
/** Sent commands that the device has not answered, oldest first. */
export const openCommands = sql('device_commands.open')`
  SELECT ${deliveryColumns} FROM device_commands c
  WHERE c.workspace_id = $workspaceId AND c.device_id = $deviceId AND c.ended_at IS NULL
    AND c.status = 'sent'
    AND c.expires_at > now()
  ORDER BY c.id LIMIT $limit`
export type DueCommand = RowOf<typeof openCommands>

const ended = `c.workspace_id, c.device_id, c.id, c.name, c.status`
/** Ends sent commands that their own device answered in time. */
export const endCommands = sql('device_commands.respond')`
  UPDATE device_commands c
  SET status = CASE WHEN t.ok THEN 'acknowledged' ELSE 'failed' END, result = t.result,
      error = t.error, ended_at = now(), revision = revision + 1
  FROM ${unnested(
    't',
    'workspaceId uuid, deviceId uuid, commandId uuid, ok bool, result jsonb, error text',
  )}
  WHERE c.workspace_id = t.workspace_id AND c.id = t.command_id AND c.device_id = t.device_id
    AND c.status = 'sent' AND c.expires_at > now()
  RETURNING ${ended}`
export const timeOutCommands = sql('device_commands.expire')`
  WITH late AS (
    SELECT workspace_id, id FROM device_commands
    WHERE ended_at IS NULL AND expires_at <= now()
    ORDER BY expires_at LIMIT $limit FOR NO KEY UPDATE SKIP LOCKED
  )
  UPDATE device_commands c
  SET status = 'timed_out', ended_at = c.expires_at, revision = c.revision + 1
  FROM late WHERE c.workspace_id = late.workspace_id AND c.id = late.id
  RETURNING ${ended}`

export type EndedRow = RowOf<typeof timeOutCommands>
/** @returns the number deleted */
export const deleteEndedCommands = sql('device_commands.delete_old')`
  WITH old AS (
    SELECT workspace_id, id FROM device_commands
    WHERE ended_at <= now() - make_interval(days => $days)
    ORDER BY ended_at LIMIT $limit FOR UPDATE SKIP LOCKED
  )
  DELETE FROM device_commands c USING old
  WHERE c.workspace_id = old.workspace_id AND c.id = old.id RETURNING 1`
export const insertCommandEvents = sql('device_commands.events')`
  INSERT INTO events (workspace_id, id, type, subject_id, data)
  SELECT * FROM unnest($workspaceId::uuid[], $id::uuid[], $type::text[], $deviceId::uuid[],
    $data::jsonb[])`

const deliveryById = (one: DueCommand, other: DueCommand): number => (one.id < other.id ? -1 : 1)

/** Marks pending commands of these devices as sent. @returns them, oldest first */
export async function takePending(
  db: Db,
  devices: readonly DeviceRef[],
  limit: number,
): Promise<DueCommand[]> {
  const rows = await take.rows(db, { ...columnsOf(devices), limit })
  return rows.sort(deliveryById)
}

export interface CommandResponse extends DeviceRef {
  commandId: string
  ok: boolean
  /** JSON text, or null. */
  result: string | null
  error: string | null
}
