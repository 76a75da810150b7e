/**
 * Status transitions of devices. Each is one conditional statement, so concurrent ones are decided
 * one after another: registered|active ⇄ suspended, any → decommissioned.
 */
import type { KnownCaller } from '../../../platform/access/principal.ts'
import { type Context, originOf } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { Failure, found } from '../../../platform/errors/errors.ts'
import type { EventType } from '../../../platform/record/event.ts'
import { record } from '../../../platform/record/record.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { releaseDevice } from '../../mobile/claim-bindings/claim-binding.ts'
import { issueReceipt } from '../../mqtt/revocation/receipt-issue.ts'
import { destroyDeviceSecrets } from '../../mqtt/device-secrets/device-secret.ts'
import { readDevice } from './device.ts'
import type { Revised } from './device-view.ts'
import type { DeviceStatus } from './schema.ts'
import * as store from './status-store.ts'

/** The states from which a transition leads, and its target. */
interface Target {
  from: readonly DeviceStatus[]
  /** The name of the target in refusals. */
  to: string
  event: EventType
}

export const transitionsOf: Readonly<Record<store.Transition, Target>> = {
  suspend: { from: ['registered', 'active'], to: 'suspended', event: 'device.suspended' },
  resume: { from: ['suspended'], to: 'active or registered', event: 'device.resumed' },
  decommission: {
    from: ['registered', 'active', 'suspended'],
    to: 'decommissioned',
    event: 'device.decommissioned',
  },
}

const microseconds = ({ clock }: Pick<Context, 'clock'>): number => clock.now() * 1_000

async function transit(
  context: Context<KnownCaller>,
  trx: Db,
  transition: store.Transition,
  deviceId: string,
): Promise<void> {
  const { workspaceId } = context
  const { from, to } = transitionsOf[transition]
  for (;;) {
    const now = microseconds(context)
    if (await store.applyTransition(trx, transition, workspaceId, deviceId, now)) return
    const present = found(await store.lockStatus(trx, workspaceId, deviceId), 'device_not_found')
    if (!from.includes(present)) {
      throw new Failure('invalid_transition', {
        detail: `The device is ${present}; from this state it cannot become ${to}.`,
      })
    }
    // It reached a suitable state between the two statements; now it is locked.
  }
}

function change(
  context: Context<KnownCaller>,
  transition: store.Transition,
  deviceId: string,
  also: (trx: Db) => Promise<unknown>,
): Promise<Revised> {
  return context.db.transaction(async (trx) => {
    const before = await store.lockStatus(trx, context.workspaceId, deviceId)
    await transit(context, trx, transition, deviceId)
    await also(trx)
    if (transition !== 'resume') {
      const { event } = transitionsOf[transition]
      await issueReceipt(context, trx, event, formatId('dev', deviceId))
    }
    const revised = await readDevice(trx, context.workspaceId, deviceId)
    const { id, device_key, status } = revised.view
    await record(trx, originOf(context), {
      workspaceId: context.workspaceId,
      action: transitionsOf[transition].event,
      resource: { kind: 'device', id },
      subjectId: deviceId,
      data: { device_id: id, device_key, status },
      detail: { before: { status: before }, after: { status } },
    })
    return revised
  })
}

/** Live sessions end, and neither secret is accepted until the device is resumed. */
export const suspendDevice = (context: Context<KnownCaller>, deviceId: string): Promise<Revised> =>
  change(context, 'suspend', deviceId, (trx) => context.feed.announce(trx, 'device', deviceId))

/** Restores the status before the suspension. */
export const resumeDevice = (context: Context<KnownCaller>, deviceId: string): Promise<Revised> =>
  change(context, 'resume', deviceId, (trx) => context.feed.announce(trx, 'device', deviceId))

/** Permanent: destroys its secrets and releases its claim; its key is never reused. */
export const decommissionDevice = (
  context: Context<KnownCaller>,
  deviceId: string,
): Promise<Revised> =>
  change(context, 'decommission', deviceId, async (trx) => {
    const { workspaceId } = context
    await releaseDevice(context, trx, { workspaceId, deviceId }, null)
    await destroyDeviceSecrets(context, trx, workspaceId, deviceId)
  })

/** Ends live sessions within a second. The device may reconnect at once. */
export async function disconnectDevice(
  context: Context<KnownCaller>,
  deviceId: string,
): Promise<void> {
  const { db, feed, workspaceId } = context
  await db.transaction(async (trx) => {
    const now = microseconds(context)
    const device_key = found(
      await store.cutSessions(trx, workspaceId, deviceId, now),
      'device_not_found',
    )
    await feed.announce(trx, 'device', deviceId)
    const device_id = formatId('dev', deviceId)
    await issueReceipt(context, trx, 'device.sessions_cut', device_id)
    await record(trx, originOf(context), {
      workspaceId,
      action: 'device.sessions_cut',
      resource: { kind: 'device', id: device_id },
      data: { device_id, device_key },
    })
  })
}
