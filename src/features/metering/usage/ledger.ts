/**
 * The usage ledger: it contains every batch of every process, so that all sums can be recomputed.
 * Old entries are merged into one per hour and template, which changes no sum.
 */
import type { Db } from '../../../platform/database/connect.ts'
import { NIL_UUID } from '../../../platform/lib/ids.ts'
import { pagesOf } from '../../../platform/database/sql.ts'
import { Failure } from '../../../platform/errors/errors.ts'
import * as dayStore from './store.ts'
import * as store from './ledger-store.ts'

/** How long individual batches are kept. */
const FOLD_AFTER_HOURS = 48
const BATCH = 5_000
/** Far longer than a process retries one batch. */
const WRITERS_DAYS = 400
const WORKSPACES = 500
/** Days of usage merged per transaction. */
const SPANS = [31, 7, 1] as const

export async function foldUsage(
  db: Db,
  signal?: AbortSignal,
  afterHours = FOLD_AFTER_HOURS,
): Promise<void> {
  let folded = BATCH
  while (folded === BATCH) {
    if (signal?.aborted) return
    folded = await db.transaction(async (trx) => {
      await dayStore.lockEntries.run(trx)
      return (await store.foldEntries.one(trx, { hours: afterHours, limit: BATCH })).folded
    })
  }
  await store.deleteOldWriters.run(db, { days: WRITERS_DAYS })
}

/** Merges the old hours of a workspace into days, in shorter spans if one takes too long. */
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
      isMore = await db.transaction((trx) => dayStore.rollSpan(trx, id, days, span))
    } catch (error) {
      const isSlow = error instanceof Failure && error.code === 'unavailable'
      size += 1
      if (!isSlow || size === SPANS.length) throw error
    }
  }
}

/**
 * Merges hours older than `days` into days, for all workspaces, except where a price or an invoice
 * starts or ends within a day, so that invoices can be recomputed from the rest. May run in several
 * processes at once.
 * @throws Error if it failed for some, after all others
 */
export async function rollUsage(db: Db, days: number, signal?: AbortSignal): Promise<void> {
  const failures: unknown[] = []
  const read = (last?: { id: string }) =>
    dayStore.findWithOldHours.rows(db, { after: last?.id ?? NIL_UUID, days, limit: WORKSPACES })
  for await (const rows of pagesOf(WORKSPACES, read)) {
    for (const { id } of rows) {
      if (signal?.aborted) return
      await rollOne(db, id, days, signal).catch((error: unknown) => failures.push(error))
    }
  }
  if (failures.length === 0) return
  const [cause] = failures
  throw new Error(`${failures.length} workspaces have old hours`, { cause })
}

/**
 * Recomputes hours and months of all workspaces from the ledger, while services keep counting.
 * @returns the number of hour rows that differed from the ledger; 0 unless someone tampered with
 * them
 */
export async function recomputeUsage(db: Db): Promise<{ workspaces: number; differing: number }> {
  let workspaces = 0
  let differing = 0
  const read = (last?: { id: string }) =>
    store.workspacesAfter.rows(db, { id: last?.id ?? NIL_UUID, limit: WORKSPACES })
  for await (const rows of pagesOf(WORKSPACES, read)) {
    for (const { id } of rows) differing += await store.createAgain(db, id)
    workspaces += rows.length
  }
  return { workspaces, differing }
}
