/**
 * Approval: a device registered with a key that requires it gets its credentials at once, but MQTT
 * refuses them until it is approved. Approval is permanent; suspend a device to take the right away
 * again. pending → approved | rejected, rejected → approved.
 */
import type { KnownCaller } from '../../../platform/access/principal.ts'
import { type Context, originOf } from '../../../context.ts'
import type { ChangeFeed } from '../../../platform/database/change-feed.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { Failure, found } from '../../../platform/errors/errors.ts'
import type { Origin } from '../../../platform/record/event.ts'
import { formatId, newUuid } from '../../../platform/lib/ids.ts'
import * as store from './approval-store.ts'
import { readDevice } from './device.ts'
import type { Revised } from './device-view.ts'

/** Whose devices are decided on, and by whom. */
export interface ApprovalScope {
  feed: ChangeFeed
  workspaceId: string
  origin: Origin
}

async function decide(
  scope: ApprovalScope,
  trx: Db,
  decision: store.Decision,
  deviceIds: readonly string[],
): Promise<Set<string>> {
  const devices = deviceIds.map((id) => ({
    id,
    auditId: newUuid(),
    eventId: newUuid(),
    resourceId: formatId('dev', id),
  }))
  const decided = await store.decideDevices(trx, decision, scope, devices)
  for (const id of decided) scope.feed.applyAfterCommit(trx, 'device', id)
  return new Set(decided)
}

/**
 * Approves those devices that are pending or rejected, each with its event and audit entry.
 * @param deviceIds distinct UUIDs, a few hundred at a time
 * @returns the devices approved by this call
 */
export const approveDevices = (
  scope: ApprovalScope,
  trx: Db,
  deviceIds: readonly string[],
): Promise<Set<string>> => decide(scope, trx, 'approve', deviceIds)

const fits: Record<store.Decision, readonly store.PresentState['approval'][]> = {
  approve: ['pending', 'rejected'],
  reject: ['pending'],
}
const becomes: Record<store.Decision, string> = { approve: 'approved', reject: 'rejected' }

/** Why a device cannot be decided on; undefined if it can. */
export function approvalRefusal(
  decision: store.Decision,
  { status, approval }: store.PresentState,
): string | undefined {
  const isLive = status === 'registered' || status === 'active'
  if (isLive && fits[decision].includes(approval)) return undefined
  const state = isLive ? approval : status
  return `The device is ${state}; from this state it cannot become ${becomes[decision]}.`
}

function change(
  context: Context<KnownCaller>,
  decision: store.Decision,
  deviceId: string,
): Promise<Revised> {
  const { db, feed, workspaceId } = context
  return db.transaction(async (trx) => {
    const scope = { feed, workspaceId, origin: originOf(context) }
    while (!(await decide(scope, trx, decision, [deviceId])).has(deviceId)) {
      const present = found(
        await store.lockState.first(trx, { workspaceId, id: deviceId }),
        'device_not_found',
      )
      const detail = approvalRefusal(decision, present)
      if (detail !== undefined) throw new Failure('invalid_transition', { detail })
      // It reached a suitable state between the two statements; now it is locked.
    }
    return readDevice(trx, workspaceId, deviceId)
  })
}

/** MQTT and the device's own operations accept its credentials within a second. */
export const approveDevice = (context: Context<KnownCaller>, deviceId: string): Promise<Revised> =>
  change(context, 'approve', deviceId)

/** It stays refused; it can be approved later, or deleted. */
export const rejectDevice = (context: Context<KnownCaller>, deviceId: string): Promise<Revised> =>
  change(context, 'reject', deviceId)
