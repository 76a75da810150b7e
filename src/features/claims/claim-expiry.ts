/**
 * What becomes of claims in time. Expiry shows in every answer at once; here it gets its event, and
 * ended claims are forgotten. Both run in batches that hold no lock for long.
 */
import type { Db } from '../../database/connect.ts'
import { serviceOrigin } from '../../events/event.ts'
import { record } from '../../events/record.ts'
import { claimChange } from './claim.ts'
import * as store from './store.ts'

const EXPIRE_BATCH = 100
const DELETE_BATCH = 1_000
/** For how long late codes are told so, and phones see what became of their claims. */
const ENDED_CLAIMS_DAYS = 30

async function expireBatch(trx: Db): Promise<boolean> {
  const rows = await store.markExpiredClaims(trx, EXPIRE_BATCH)
  for (const row of rows) await record(trx, serviceOrigin, claimChange('claim.expired', row))
  return rows.length === EXPIRE_BATCH
}

/** Safe to run in several processes at once. */
export async function expireClaims(db: Db): Promise<void> {
  let more = true
  while (more) more = await db.transaction(expireBatch)
  let deleted = DELETE_BATCH
  while (deleted === DELETE_BATCH) {
    deleted = await store.deleteEndedClaims(db, ENDED_CLAIMS_DAYS, DELETE_BATCH)
  }
}

/** More phones than ever wait at once; who is beyond them finds out when the waiting is over. */
const WOKEN = 10_000

/** Lets phones that wait for claims of a workspace see at once that it is gone. */
export const wakeWaitingPhones = (trx: Db, workspaceId: string): Promise<void> =>
  store.wakeOpenClaims(trx, workspaceId, WOKEN)
