/** Batch statements: commands are taken for delivery, answered, timed out, deleted. */
import type { Db } from '../../../platform/database/connect.ts'
import { type RowOf, sql } from '../../../platform/database/sql.ts'

export interface DeviceRef {
  workspaceId: string
  deviceId: string
}

const columns = `c.workspace_id, c.device_id, c.id, c.name, c.payload, c.created_at, c.expires_at`

// Changing the status decides who delivers: later transactions wait for the first and then find
// nothing pending.
const take = sql(
  'device_commands.take',
  `WITH due AS (
     SELECT c.workspace_id, c.id
     FROM unnest($workspaceIds::uuid[], $deviceIds::uuid[]) AS t (workspace_id, device_id)
     JOIN device_commands c ON c.workspace_id = t.workspace_id AND c.device_id = t.device_id
     WHERE c.ended_at IS NULL AND c.status = 'pending' AND c.expires_at > now()
     ORDER BY c.workspace_id, c.id LIMIT $limit FOR NO KEY UPDATE OF c
   )
   UPDATE device_commands c SET status = 'sent', sent_at = now(), revision = revision + 1
   FROM due WHERE c.workspace_id = due.workspace_id AND c.id = due.id
   RETURNING ${columns}`,
)
const giveBack = sql(
  'device_commands.give_back',
  `UPDATE device_commands c SET status = 'pending', sent_at = NULL, revision = revision + 1
   FROM unnest($workspaceIds::uuid[], $ids::uuid[]) AS t (workspace_id, id)
   WHERE c.workspace_id = t.workspace_id AND c.id = t.id AND c.status = 'sent'`,
)
/** Sent commands that the device has not answered, oldest first. */
export const openCommands = sql(
  'device_commands.open',
  `SELECT ${columns} FROM device_commands c
   WHERE c.workspace_id = $workspaceId AND c.device_id = $deviceId AND c.ended_at IS NULL
     AND c.status = 'sent'
     AND c.expires_at > now()
   ORDER BY c.id LIMIT $limit`,
)
export type DueCommand = RowOf<typeof openCommands>

const ended = `c.workspace_id, c.device_id, c.id, c.name, c.status`
const end = sql(
  'device_commands.answer',
  `UPDATE device_commands c
   SET status = CASE WHEN t.ok THEN 'acknowledged' ELSE 'failed' END, result = t.result,
       error = t.error, ended_at = now(), revision = revision + 1
   FROM unnest($workspaceIds::uuid[], $deviceIds::uuid[], $ids::uuid[], $oks::bool[],
     $results::jsonb[], $errors::text[])
     AS t (workspace_id, device_id, id, ok, result, error)
   WHERE c.workspace_id = t.workspace_id AND c.id = t.id AND c.device_id = t.device_id
     AND c.status = 'sent' AND c.expires_at > now()
   RETURNING ${ended}`,
)
export const timeOutCommands = sql(
  'device_commands.expire',
  `WITH late AS (
     SELECT workspace_id, id FROM device_commands
     WHERE ended_at IS NULL AND expires_at <= now()
     ORDER BY expires_at LIMIT $limit FOR NO KEY UPDATE SKIP LOCKED
   )
   UPDATE device_commands c
   SET status = 'timed_out', ended_at = c.expires_at, revision = c.revision + 1
   FROM late WHERE c.workspace_id = late.workspace_id AND c.id = late.id
   RETURNING ${ended}`,
)

export type EndedRow = RowOf<typeof timeOutCommands>
const forget = sql(
  'device_commands.forget',
  `WITH old AS (
     SELECT workspace_id, id FROM device_commands
     WHERE ended_at <= now() - make_interval(days => $days)
     ORDER BY ended_at LIMIT $limit FOR UPDATE SKIP LOCKED
   )
   DELETE FROM device_commands c USING old
   WHERE c.workspace_id = old.workspace_id AND c.id = old.id RETURNING 1`,
)
const events = sql(
  'device_commands.events',
  `INSERT INTO events (workspace_id, id, type, subject_id, data)
   SELECT * FROM unnest($workspaceIds::uuid[], $ids::uuid[], $types::text[], $subjectIds::uuid[],
     $data::jsonb[])`,
)

const byId = (one: DueCommand, other: DueCommand): number => (one.id < other.id ? -1 : 1)

/** Marks pending commands of these devices as sent. @returns them, oldest first */
export async function takePending(
  db: Db,
  devices: readonly DeviceRef[],
  limit: number,
): Promise<DueCommand[]> {
  const rows = await take.rows(db, {
    workspaceIds: devices.map(({ workspaceId }) => workspaceId),
    deviceIds: devices.map(({ deviceId }) => deviceId),
    limit,
  })
  return rows.sort(byId)
}

/** Commands that were taken but not delivered become pending again. */
export async function returnUnsent(db: Db, commands: readonly DueCommand[]): Promise<void> {
  await giveBack.run(db, {
    workspaceIds: commands.map(({ workspace_id }) => workspace_id),
    ids: commands.map(({ id }) => id),
  })
}

export interface CommandResponse extends DeviceRef {
  commandId: string
  ok: boolean
  /** JSON text, or null. */
  result: string | null
  error: string | null
}

/** Ends sent commands that their own device answered in time. */
export const endCommands = (db: Db, responses: readonly CommandResponse[]): Promise<EndedRow[]> =>
  end.rows(db, {
    workspaceIds: responses.map(({ workspaceId }) => workspaceId),
    deviceIds: responses.map(({ deviceId }) => deviceId),
    ids: responses.map(({ commandId }) => commandId),
    oks: responses.map(({ ok }) => ok),
    results: responses.map(({ result }) => result),
    errors: responses.map(({ error }) => error),
  })

/** @returns the number deleted */
export const deleteEndedCommands = async (db: Db, days: number, limit: number): Promise<number> =>
  (await forget.rows(db, { days, limit })).length

export interface CommandEvent {
  workspaceId: string
  id: string
  type: string
  deviceId: string
  data: Record<string, unknown>
}

export async function insertCommandEvents(db: Db, rows: readonly CommandEvent[]): Promise<void> {
  await events.run(db, {
    workspaceIds: rows.map(({ workspaceId }) => workspaceId),
    ids: rows.map(({ id }) => id),
    types: rows.map(({ type }) => type),
    subjectIds: rows.map(({ deviceId }) => deviceId),
    data: rows.map(({ data }) => JSON.stringify(data)),
  })
}
