/**
 * The ledger of what was counted: every batch of every process is in it, so that all sums can be
 * made again. Entries of old hours are folded into one of each hour and template, which changes no
 * sum.
 */
import type { Db } from '../../database/connect.ts'
import * as dayStore from './day-store.ts'
import * as store from './ledger-store.ts'
import { WHOLE_WORKSPACE } from './store.ts'

/** How long every batch is told by itself. */
const FOLD_AFTER_HOURS = 48
const BATCH = 5_000
/** Far longer than a process tries to write one batch. */
const WRITERS_DAYS = 400
const WORKSPACES = 500
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

export async function foldUsage(
  db: Db,
  signal?: AbortSignal,
  afterHours = FOLD_AFTER_HOURS,
): Promise<void> {
  let folded = BATCH
  while (folded === BATCH) {
    if (signal?.aborted) return
    folded = await store.foldEntries(db, afterHours, BATCH)
  }
  await store.deleteOldWriters(db, WRITERS_DAYS)
}

/**
 * Makes days of the hours of all workspaces that are older than so many days, except where a price
 * or an invoice begins or ends within a day: invoices can be computed again from what is left. Safe
 * to run in several processes at once.
 */
export async function rollUsage(db: Db, days: number, signal?: AbortSignal): Promise<void> {
  let ids = await dayStore.workspacesWithOldHours(db, BEFORE_ALL, days, WORKSPACES)
  while (ids.length > 0) {
    for (const id of ids) {
      let isMore = true
      while (isMore) {
        if (signal?.aborted) return
        isMore = await db.transaction((trx) => dayStore.rollSpan(trx, id, days))
      }
    }
    ids = await dayStore.workspacesWithOldHours(db, ids.at(-1) as string, days, WORKSPACES)
  }
}

/**
 * Makes the hours and months of all workspaces again from the ledger. Services may count meanwhile.
 * @returns how many rows of hours were not what the ledger says; 0 unless somebody meddled.
 */
export async function recomputeUsage(db: Db): Promise<{ workspaces: number; differing: number }> {
  let workspaces = 0
  let differing = 0
  let ids = await store.workspacesAfter(db, BEFORE_ALL, WORKSPACES)
  while (ids.length > 0) {
    for (const id of ids) differing += await store.makeAnew(db, id, WHOLE_WORKSPACE)
    workspaces += ids.length
    ids = await store.workspacesAfter(db, ids.at(-1) as string, WORKSPACES)
  }
  return { workspaces, differing }
}
