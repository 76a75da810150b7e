/**
 * Approval: a device that was registered with a key that asks for it gets its credentials at once,
 * and MQTT refuses them until somebody has approved the device. Whoever is approved stays so; what
 * takes the right away again is to suspend. pending → approved | rejected, rejected → approved.
 */
import type { KnownCaller } from '../../access/principal.ts'
import { type Context, originOf } from '../../context.ts'
import type { ChangeFeed } from '../../database/change-feed.ts'
import type { Db } from '../../database/connect.ts'
import { Failure } from '../../errors.ts'
import type { Origin } from '../../events/event.ts'
import { formatId, newUuid } from '../../lib/ids.ts'
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
 * Approves those of the devices that wait or were rejected, each with its event and audit entry.
 * @param deviceIds UUIDs, each once; a few hundred at a time.
 * @returns those that are approved by this call.
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

/** Says why a device can't be decided on; undefined when it can. */
export function approvalRefusal(
  decision: store.Decision,
  { status, approval }: store.PresentState,
): string | undefined {
  const isLive = status === 'registered' || status === 'active'
  if (isLive && fits[decision].includes(approval)) return undefined
  const state = isLive ? approval : status
  return `The device is ${state}; from there it can not become ${becomes[decision]}.`
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
      const present = await store.lockState(trx, workspaceId, deviceId)
      if (present === undefined) throw new Failure('device_not_found')
      const detail = approvalRefusal(decision, present)
      if (detail !== undefined) throw new Failure('invalid_transition', { detail })
      // It came into a fitting state between the two statements; now that it is locked it stays.
    }
    return readDevice(trx, workspaceId, deviceId)
  })
}

/** MQTT and the device's own operations take its credentials within a second. */
export const approveDevice = (context: Context<KnownCaller>, deviceId: string): Promise<Revised> =>
  change(context, 'approve', deviceId)

/** It stays refused, and can be approved later, or deleted. */
export const rejectDevice = (context: Context<KnownCaller>, deviceId: string): Promise<Revised> =>
  change(context, 'reject', deviceId)
