/** Batch statements: commands are taken for delivery, answered, timed out, deleted. */
import { type Db, statement } from '../../../platform/database/connect.ts'

export interface DueCommand {
  workspace_id: string
  device_id: string
  id: string
  name: string
  payload: Record<string, unknown>
  created_at: number
  expires_at: number
}

export interface DeviceRef {
  workspaceId: string
  deviceId: string
}

const shown = `c.workspace_id, c.device_id, c.id, c.name, c.payload, c.created_at, c.expires_at`

// Changing the status decides who delivers: later transactions wait for the first and then find
// nothing pending.
const take = statement(
  'device_commands.take',
  `WITH due AS (
     SELECT c.workspace_id, c.id FROM unnest($1::uuid[], $2::uuid[]) AS t (workspace_id, device_id)
     JOIN device_commands c ON c.workspace_id = t.workspace_id AND c.device_id = t.device_id
     WHERE c.ended_at IS NULL AND c.status = 'pending' AND c.expires_at > now()
     ORDER BY c.workspace_id, c.id LIMIT $3 FOR NO KEY UPDATE OF c
   )
   UPDATE device_commands c SET status = 'sent', sent_at = now(), revision = revision + 1
   FROM due WHERE c.workspace_id = due.workspace_id AND c.id = due.id
   RETURNING ${shown}`,
)
const giveBack = statement(
  'device_commands.give_back',
  `UPDATE device_commands c SET status = 'pending', sent_at = NULL, revision = revision + 1
   FROM unnest($1::uuid[], $2::uuid[]) AS t (workspace_id, id)
   WHERE c.workspace_id = t.workspace_id AND c.id = t.id AND c.status = 'sent'`,
)
const open = statement(
  'device_commands.open',
  `SELECT ${shown} FROM device_commands c
   WHERE c.workspace_id = $1 AND c.device_id = $2 AND c.ended_at IS NULL AND c.status = 'sent'
     AND c.expires_at > now()
   ORDER BY c.id LIMIT $3`,
)

const ended = `c.workspace_id, c.device_id, c.id, c.name, c.status`
const answer = statement(
  'device_commands.answer',
  `UPDATE device_commands c
   SET status = CASE WHEN t.ok THEN 'acknowledged' ELSE 'failed' END, result = t.result,
       error = t.error, ended_at = now(), revision = revision + 1
   FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::bool[], $5::jsonb[], $6::text[])
     AS t (workspace_id, device_id, id, ok, result, error)
   WHERE c.workspace_id = t.workspace_id AND c.id = t.id AND c.device_id = t.device_id
     AND c.status = 'sent' AND c.expires_at > now()
   RETURNING ${ended}`,
)
const expire = statement(
  'device_commands.expire',
  `WITH late AS (
     SELECT workspace_id, id FROM device_commands
     WHERE ended_at IS NULL AND expires_at <= now()
     ORDER BY expires_at LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED
   )
   UPDATE device_commands c
   SET status = 'timed_out', ended_at = c.expires_at, revision = c.revision + 1
   FROM late WHERE c.workspace_id = late.workspace_id AND c.id = late.id
   RETURNING ${ended}`,
)
const forget = statement(
  'device_commands.forget',
  `WITH old AS (
     SELECT workspace_id, id FROM device_commands
     WHERE ended_at <= now() - make_interval(days => $1)
     ORDER BY ended_at LIMIT $2 FOR UPDATE SKIP LOCKED
   )
   DELETE FROM device_commands c USING old
   WHERE c.workspace_id = old.workspace_id AND c.id = old.id RETURNING 1`,
)
const events = statement(
  'device_commands.events',
  `INSERT INTO events (workspace_id, id, type, subject_id, data)
   SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::uuid[], $5::jsonb[])`,
)

const byId = (one: DueCommand, other: DueCommand): number => (one.id < other.id ? -1 : 1)

/** Marks pending commands of these devices as sent. @returns them, oldest first */
export async function takePending(
  db: Db,
  devices: readonly DeviceRef[],
  limit: number,
): Promise<DueCommand[]> {
  const rows = await db.query<DueCommand>(take, [
    devices.map(({ workspaceId }) => workspaceId),
    devices.map(({ deviceId }) => deviceId),
    limit,
  ])
  return rows.sort(byId)
}

/** Commands that were taken but not delivered become pending again. */
export async function returnUnsent(db: Db, commands: readonly DueCommand[]): Promise<void> {
  await db.query(giveBack, [
    commands.map(({ workspace_id }) => workspace_id),
    commands.map(({ id }) => id),
  ])
}

/** Sent commands that the device has not answered, oldest first. */
export const openCommands = (db: Db, device: DeviceRef, limit: number): Promise<DueCommand[]> =>
  db.query(open, [device.workspaceId, device.deviceId, limit])

export interface Answer extends DeviceRef {
  commandId: string
  ok: boolean
  /** JSON text, or null. */
  result: string | null
  error: string | null
}

export interface EndedRow {
  workspace_id: string
  device_id: string
  id: string
  name: string
  status: 'acknowledged' | 'failed' | 'timed_out'
}

/** Ends sent commands that their own device answered in time. */
export const answerCommands = (db: Db, answers: readonly Answer[]): Promise<EndedRow[]> =>
  db.query(answer, [
    answers.map(({ workspaceId }) => workspaceId),
    answers.map(({ deviceId }) => deviceId),
    answers.map(({ commandId }) => commandId),
    answers.map(({ ok }) => ok),
    answers.map(({ result }) => result),
    answers.map(({ error }) => error),
  ])

export const timeOutCommands = (db: Db, limit: number): Promise<EndedRow[]> =>
  db.query(expire, [limit])

/** @returns the number deleted */
export const deleteEndedCommands = async (db: Db, days: number, limit: number): Promise<number> =>
  (await db.query(forget, [days, limit])).length

export interface CommandEvent {
  workspaceId: string
  id: string
  type: string
  deviceId: string
  data: Record<string, unknown>
}

export async function insertCommandEvents(db: Db, rows: readonly CommandEvent[]): Promise<void> {
  await db.query(events, [
    rows.map(({ workspaceId }) => workspaceId),
    rows.map(({ id }) => id),
    rows.map(({ type }) => type),
    rows.map(({ deviceId }) => deviceId),
    rows.map(({ data }) => JSON.stringify(data)),
  ])
}
