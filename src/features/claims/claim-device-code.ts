/** The other direction: the device shows the code. It shows one at a time. */
import type { DeviceCaller } from '../../access/principal.ts'
import { type Context, originOf } from '../../context.ts'
import type { Db } from '../../database/connect.ts'
import { record } from '../../events/record.ts'
import { lockUnclaimedDevice, releaseDevice } from '../claim-bindings/claim-binding.ts'
import { claimChange, DEFAULT_LIFETIME_SECONDS, insertWithNewCode } from './claim.ts'
import * as store from './store.ts'

/** One that is late, and not marked so yet, becomes expired. */
async function cancelShown(context: Context<DeviceCaller>, trx: Db): Promise<void> {
  const { workspaceId, deviceId } = context.caller
  for (const row of await store.cancelShownClaims(trx, workspaceId, deviceId)) {
    const action = row.status === 'expired' ? 'claim.expired' : 'claim.cancelled'
    await record(trx, originOf(context), claimChange(action, row))
  }
}

/** An open claim with its code, which is known nowhere else. */
export interface ShownClaim {
  id: string
  claimCode: string
  expiresAt: number
}

/**
 * A code for the calling device to show; the one that it showed before is good no more.
 * @throws Failure device_already_claimed
 */
export async function showClaimCode(
  context: Context<DeviceCaller>,
  lifetimeSeconds = DEFAULT_LIFETIME_SECONDS,
): Promise<ShownClaim> {
  const { db, caller } = context
  const { workspaceId, deviceId } = caller
  return db.transaction(async (trx) => {
    await lockUnclaimedDevice(trx, caller)
    await cancelShown(context, trx)
    const { row, claimCode } = await insertWithNewCode(context, trx, {
      workspaceId,
      shownBy: 'device',
      moidId: null,
      deviceId,
      name: null,
      lifetimeSeconds,
    })
    await record(trx, originOf(context), claimChange('claim.created', row))
    return { id: row.id, claimCode, expiresAt: row.expires_at }
  })
}

/** A factory reset: whoever holds the device holds it no more, and no code of it is good. */
export async function forgetOwner(context: Context<DeviceCaller>): Promise<void> {
  await context.db.transaction(async (trx) => {
    await releaseDevice(context, trx, context.caller, null)
    await cancelShown(context, trx)
  })
}
