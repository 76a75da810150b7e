/** Expires invitations and deletes ended ones. */
import type { Db } from '../../../platform/database/connect.ts'
import { serviceOrigin } from '../../../platform/record/event.ts'
import { recordEnded } from './invitation-revocation.ts'
import * as store from './invitation-store.ts'

const EXPIRE_BATCH = 100
const DELETE_BATCH = 1_000
/** How long staff can see the outcome of an invitation. */
const ENDED_DAYS = 90

async function expireBatch(trx: Db): Promise<boolean> {
  const rows = await store.markExpiredInvitations(trx, EXPIRE_BATCH)
  await recordEnded(trx, serviceOrigin, rows)
  return rows.length === EXPIRE_BATCH
}

/** May run in several processes at once. */
export async function expireInvitations(db: Db): Promise<void> {
  let more = true
  while (more) more = await db.transaction(expireBatch)
  let deleted = DELETE_BATCH
  while (deleted === DELETE_BATCH) {
    deleted = await store.deleteEndedInvitations(db, ENDED_DAYS, DELETE_BATCH)
  }
}
