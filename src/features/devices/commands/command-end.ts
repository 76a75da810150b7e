/**
 * Ends commands by response or timeout. Anyone who changes the row writes the event; batches may
 * run in many processes at once.
 */
import { columnsOf, exhaust } from '../../../platform/database/sql.ts'
import type { ChangeFeed } from '../../../platform/database/change-feed.ts'
import type { Db } from '../../../platform/database/connect.ts'
import type { EventType } from '../../../platform/record/event.ts'
import { formatId, newUuid } from '../../../platform/lib/ids.ts'
import * as store from './store.ts'

const EXPIRE_BATCH = 500
const DELETE_BATCH = 1_000
/** How long the outcome of a command stays readable. */
const ENDED_COMMANDS_DAYS = 30

interface Ending {
  db: Db
  feed: Pick<ChangeFeed, 'announceAll'>
}

const eventOf = (row: store.EndedRow) => ({
  workspaceId: row.workspace_id,
  id: newUuid(),
  // Acknowledged, failed or timed out.
  type: `command.${row.status}` as EventType,
  deviceId: row.device_id,
  data: JSON.stringify({
    command_id: formatId('cmd', row.id),
    device_id: formatId('dev', row.device_id),
    name: row.name,
    status: row.status,
  }),
})

async function finish({ feed }: Ending, trx: Db, rows: readonly store.EndedRow[]): Promise<void> {
  if (rows.length === 0) return
  await store.insertCommandEvents.run(trx, columnsOf(rows.map(eventOf)))
  const ids = rows.map(({ id }) => id)
  await feed.announceAll(trx, 'command-end', ids)
}

/**
 * Writes devices' responses. The first in time counts; responses to another device's command, or
 * to one that was never sent or has ended, change nothing.
 */
export function writeResponses(
  ending: Ending,
  responses: readonly store.CommandResponse[],
): Promise<void> {
  return ending.db.transaction(async (trx) => {
    await finish(ending, trx, await store.endCommands.rows(trx, columnsOf(responses)))
  })
}

/** Times out overdue commands and deletes old ones. */
export async function expireCommands(ending: Ending): Promise<void> {
  const { db } = ending
  const expire = (trx: Db): Promise<boolean> =>
    store.timeOutCommands.rows(trx, { limit: EXPIRE_BATCH }).then(async (rows) => {
      await finish(ending, trx, rows)
      return rows.length === EXPIRE_BATCH
    })
  while (await db.transaction(expire));
}

export const deleteOldCommands = (db: Db): Promise<void> =>
  exhaust(store.deleteEndedCommands, db, { days: ENDED_COMMANDS_DAYS, limit: DELETE_BATCH })
