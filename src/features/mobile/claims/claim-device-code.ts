/** Claims in the other direction: the device shows the code, one at a time. */
import type { DeviceCaller } from '../../../platform/access/principal.ts'
import { type Context, originOf } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { record } from '../../../platform/record/record.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { timestamp } from '../../common/shapes.ts'
import { lockUnclaimedDevice, releaseDevice } from '../claim-bindings/claim-binding.ts'
import { DEFAULT_CODE_LIFETIME_SECONDS } from '../../common/claim-code-shapes.ts'
import { claimChange, insertWithNewCode } from './claim.ts'
import * as store from './store.ts'

/** An overdue claim that is not marked yet becomes expired. */
async function cancelShown(context: Context<DeviceCaller>, trx: Db): Promise<void> {
  const { workspaceId, deviceId } = context.caller
  for (const row of await store.cancelShownClaims.rows(trx, { workspaceId, deviceId })) {
    const action = row.status === 'expired' ? 'claim.expired' : 'claim.cancelled'
    await record(trx, originOf(context), claimChange(action, row))
  }
}

/**
 * A new code for the calling device to show; its previous one becomes invalid.
 * @throws Failure device_already_claimed
 */
export async function showClaimCode(
  context: Context<DeviceCaller>,
  lifetimeSeconds = DEFAULT_CODE_LIFETIME_SECONDS,
) {
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
      countedUnder: null,
    })
    await record(trx, originOf(context), claimChange('claim.created', row))
    return {
      claim_id: formatId('clm', row.id),
      claim_code: claimCode,
      expires_at: timestamp(row.expires_at),
    }
  })
}

/** Factory reset: releases the device and invalidates its codes. */
export async function forgetOwner(context: Context<DeviceCaller>): Promise<void> {
  await context.db.transaction(async (trx) => {
    await releaseDevice(context, trx, context.caller, null)
    await cancelShown(context, trx)
  })
}
