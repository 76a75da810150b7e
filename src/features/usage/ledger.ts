/**
 * The ledger of what was counted: every batch of every process is in it, so that all sums can be
 * made again. Entries of old hours are folded into one of each hour and template, which changes no
 * sum.
 */
import type { Db } from '../../database/connect.ts'
import { Failure } from '../../errors.ts'
import * as dayStore from './day-store.ts'
import * as store from './ledger-store.ts'
import { WHOLE_WORKSPACE } from './store.ts'

/** How long every batch is told by itself. */
const FOLD_AFTER_HOURS = 48
const BATCH = 5_000
/** Far longer than a process tries to write one batch. */
const WRITERS_DAYS = 400
const WORKSPACES = 500
/** Days of usage that one transaction rolls. */
const SPANS = [31, 7, 1] as const
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

/** Makes days of the old hours of one workspace, in shorter spans if one took too long. */
async function rollOne(
  db: Db,
  id: string,
  days: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  let isMore = true
  let size = 0
  while (isMore) {
    if (signal?.aborted) return
    const span = SPANS[size] as number
    try {
      isMore = await db.transaction((trx) => dayStore.rollSpan(trx, id, { days, span }))
    } catch (error) {
      const isSlow = error instanceof Failure && error.code === 'unavailable'
      size += 1
      if (!isSlow || size === SPANS.length) throw error
    }
  }
}

/**
 * Makes days of the hours of all workspaces that are older than so many days, except where a price
 * or an invoice begins or ends within a day: invoices can be computed again from what is left. Safe
 * to run in several processes at once.
 * @throws Error when it could not be done for some, after all the others.
 */
export async function rollUsage(db: Db, days: number, signal?: AbortSignal): Promise<void> {
  const failures: unknown[] = []
  let ids = await dayStore.workspacesWithOldHours(db, BEFORE_ALL, days, WORKSPACES)
  while (ids.length > 0) {
    for (const id of ids) {
      if (signal?.aborted) return
      await rollOne(db, id, days, signal).catch((error: unknown) => failures.push(error))
    }
    ids = await dayStore.workspacesWithOldHours(db, ids.at(-1) as string, days, WORKSPACES)
  }
  if (failures.length === 0) return
  const [cause] = failures
  throw new Error(`${failures.length} workspaces keep hours that are old`, { cause })
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
