/** The rules of commands: sent and read by staff and backends. */
import { type Context, originOf } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { longPoll } from '../../../platform/database/long-poll.ts'
import { Failure, found, limitReached } from '../../../platform/errors/errors.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { MAX_COUNT } from '../../common/bounded-count.ts'
import type { CommandCounts, CommandState } from '../../common/command-shapes.ts'
import { requireSmall } from '../../common/json-object.ts'
import { listFiltered } from '../../common/filtered-list.ts'
import { issueCommands, MAX_OPEN_COMMANDS } from './command-issue.ts'
import { viewOf } from './command-view.ts'
import { commandFields, type CommandView, type CreateCommand, type ListCommands } from './schema.ts'
import * as store from './store.ts'
import type { Paged } from '../../common/results.ts'

const DEFAULT_TIMEOUT_SECONDS = 60

export function createCommand(
  context: Context,
  deviceId: string,
  input: CreateCommand,
): Promise<CommandView> {
  const { db, workspaceId } = context
  const { name, payload = {}, timeout_s: timeoutS = DEFAULT_TIMEOUT_SECONDS } = input
  requireSmall('/payload', payload)
  return db.transaction(async (trx) => {
    const order = { workspaceId, deviceIds: [deviceId], name, payload, timeoutS }
    const [issued] = await issueCommands(context, trx, originOf(context), order)
    if (issued !== undefined && 'command' in issued) return viewOf(issued.command)
    if (issued?.refusal === 'invalid_transition') {
      throw new Failure('invalid_transition', {
        detail: 'The device is decommissioned; no command can become sent to it.',
      })
    }
    if (issued?.refusal === 'limit_reached') {
      throw limitReached('open_commands', MAX_OPEN_COMMANDS, 'open commands', 'A device has')
    }
    throw new Failure('device_not_found')
  })
}

export async function listCommands(
  context: Context,
  deviceId: string,
  query: ListCommands,
): Promise<Paged<CommandView>> {
  const { db, workspaceId } = context
  found(await store.deviceExists.first(db, { workspaceId, deviceId }), 'device_not_found')
  return listFiltered(context, query, {
    name: `commands ${deviceId}`,
    fields: commandFields,
    conditions: { status: query.status },
    pageOf: store.pageOfCommands,
    whole: deviceId,
    view: viewOf,
  })
}

/** @throws Failure command_not_found, or `noDevice` */
export async function readCommand(
  { db, workspaceId }: Pick<Context, 'db' | 'workspaceId'>,
  deviceId: string,
  commandId: string,
  noDevice: 'device_not_found' | 'credential_rejected' = 'device_not_found',
): Promise<store.CommandRow> {
  const row = found(await store.findCommand(db, workspaceId, deviceId, commandId), noDevice)
  if (row === null) throw new Failure('command_not_found')
  return row
}

/** Reads a command; while it is open, waits for its end without holding a connection. */
export async function getCommand(
  context: Context,
  deviceId: string,
  commandId: string,
  waitSeconds: number,
): Promise<CommandView> {
  const row = await longPoll(context, {
    ref: commandId,
    waitSeconds,
    read: () => readCommand(context, deviceId, commandId),
    isSettled: ({ ended_at }) => ended_at !== null,
    settlesInMs: ({ open_ms }) => open_ms,
  })
  return viewOf(row)
}

/**
 * Counts the commands of a job by status: a lower bound if there are more than `MAX_COUNT`. Null:
 * none of them is kept.
 */
export async function countCommandsOfJob(
  db: Db,
  workspaceId: string,
  jobId: string,
): Promise<CommandCounts | null> {
  const rows = await store.countsOfJob.rows(db, { workspaceId, jobId, limit: MAX_COUNT + 1 })
  const counts = { pending: 0, sent: 0, acknowledged: 0, failed: 0, timed_out: 0, cancelled: 0 }
  let total = 0
  for (const { status, count } of rows) {
    counts[status] = count
    total += count
  }
  const [first] = rows
  if (first === undefined) return null
  // One more than is counted was read.
  if (total > MAX_COUNT) counts[first.status] -= 1
  return { ...counts, is_lower_bound: total > MAX_COUNT }
}

/** The state of a job's command for each of these devices, by the UUID of the device. */
export async function commandsOfJob(
  db: Db,
  workspaceId: string,
  jobId: string,
  deviceIds: readonly string[],
): Promise<Map<string, CommandState>> {
  const rows = await store.commandsOfJob.rows(db, { workspaceId, jobId, deviceIds })
  return new Map(
    rows.map(({ device_id, id, status }) => [device_id, { id: formatId('cmd', id), status }]),
  )
}
