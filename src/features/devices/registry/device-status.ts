/**
 * Transitions of a device, by the rules and statements that jobs use for many. It is locked first,
 * so concurrent ones are decided one after another. Only one that takes rights away has a receipt.
 * A job of transitions always has one, by which callers see that every process decides by it.
 */
import { type Context, originOf } from '../../../context.ts'
import { Failure, found } from '../../../platform/errors/errors.ts'
import { deviceChange, record } from '../../../platform/record/record.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { releaseDevice } from '../../mobile/claim-bindings/claim-binding.ts'
import { issueReceipt } from '../../mqtt/revocation/receipt-issue.ts'
import { readDevice } from './device.ts'
import {
  type Transition,
  transitAll,
  transitionRecord,
  transitionRefusal,
  transitionsOf,
} from './device-transition.ts'
import * as store from './store.ts'
import type { Revised } from '../../common/results.ts'
import type { DeviceView } from './schema.ts'

export function transitDevice(
  context: Context,
  transition: Transition,
  deviceId: string,
): Promise<Revised<DeviceView>> {
  const { db, feed, workspaceId } = context
  const { event } = transitionsOf[transition]
  return db.transaction(async (trx) => {
    const device = found(
      await store.lockDevices.first(trx, { workspaceId, ids: [deviceId] }),
      'device_not_found',
    )
    const refusal = transitionRefusal(transition, device)
    if (refusal !== undefined) throw new Failure('invalid_transition', { detail: refusal })
    const origin = originOf(context)
    await transitAll(context, trx, { workspaceId, origin }, transition, [device])
    await feed.announce(trx, 'device', deviceId)
    if (transition === 'suspend' || transition === 'decommission') {
      await issueReceipt(context, trx, event, formatId('dev', deviceId))
    }
    const { data, detail } = transitionRecord(transition, device)
    const all = { device_key: device.device_key, ...data }
    await record(trx, origin, deviceChange(event, workspaceId, deviceId, all, detail))
    return readDevice(trx, workspaceId, deviceId)
  })
}

/** Ends live sessions, in whichever process. The device may reconnect at once. */
export async function disconnectDevice(context: Context, deviceId: string): Promise<void> {
  const { db, feed, clock, workspaceId } = context
  await db.transaction(async (trx) => {
    const now = clock.now() * 1_000
    const device_key = found(
      (await store.endSessionsOf.first(trx, { workspaceId, id: deviceId, sessionsFrom: now }))
        ?.device_key,
      'device_not_found',
    )
    await feed.announce(trx, 'device', deviceId)
    await issueReceipt(context, trx, 'device.sessions_cut', formatId('dev', deviceId))
    const change = deviceChange('device.sessions_cut', workspaceId, deviceId, { device_key })
    await record(trx, originOf(context), change)
  })
}

/**
 * Ends its claim as the phone itself would: for support, where the phone is lost. A device without
 * a claim stays as it is, so that the call can be repeated.
 */
export const endClaim = (context: Context, deviceId: string): Promise<Revised<DeviceView>> =>
  context.db.transaction(async (trx) => {
    const { workspaceId } = context
    found(await store.lockDevices.first(trx, { workspaceId, ids: [deviceId] }), 'device_not_found')
    await releaseDevice(context, trx, { workspaceId, deviceId }, null)
    return readDevice(trx, workspaceId, deviceId)
  })
