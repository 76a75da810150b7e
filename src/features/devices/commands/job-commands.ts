/** The commands of a job over many devices: how far each is, and how many have come to what. */
import type { Db } from '../../../platform/database/connect.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { MAX_COUNT } from '../../common/bounded-count.ts'
import type { CommandCounts, CommandState } from '../../common/command-shapes.ts'
import * as store from './store.ts'

/** Of some of its commands, if there are more than are counted. Null: none of them is kept. */
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

/** @returns by the UUID of the device */
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
