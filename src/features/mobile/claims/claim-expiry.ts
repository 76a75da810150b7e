/**
 * Expires claims and deletes ended ones. Expiry shows in responses immediately; here its event is
 * written. Works in batches that hold locks briefly.
 */
import type { Db } from '../../../platform/database/connect.ts'
import { exhaust } from '../../../platform/database/sql.ts'
import { serviceOrigin } from '../../../platform/record/event.ts'
import { countActs } from '../../../platform/record/counting.ts'
import { record } from '../../../platform/record/record.ts'
import { claimChange } from './claim.ts'
import * as store from './store.ts'

const EXPIRE_BATCH = 100
const DELETE_BATCH = 1_000
/** How long late codes get a specific refusal, and phones can see the outcome of a claim. */
const ENDED_CLAIMS_DAYS = 30

async function expireBatch(trx: Db): Promise<boolean> {
  const rows = await store.markExpiredClaims.rows(trx, { limit: EXPIRE_BATCH })
  for (const row of rows) {
    if (row.counted_under !== null) continue
    await record(trx, serviceOrigin, claimChange('claim.expired', row))
  }
  // One statement for all: its rows are locked in one order.
  await countActs(
    trx,
    rows.flatMap(({ workspace_id: workspaceId, counted_under: addressBlock }) =>
      addressBlock === null
        ? []
        : [{ workspaceId, action: 'claim.expired', addressBlock, acts: 1 }],
    ),
  )
  return rows.length === EXPIRE_BATCH
}

/** May run in several processes at once. */
export async function expireClaims(db: Db): Promise<void> {
  while (await db.transaction(expireBatch));
  await exhaust(store.deleteEndedClaims, db, { days: ENDED_CLAIMS_DAYS, limit: DELETE_BATCH })
}

/** More phones than ever wait at once; any beyond notice when their wait ends. */
const WOKEN = 10_000

/** Wakes phones that wait for claims of a workspace, so that they see its deletion. */
export const wakeWaitingPhones = (trx: Db, workspaceId: string): Promise<void> =>
  store.wakeOpenClaims.run(trx, { workspaceId, limit: WOKEN })
