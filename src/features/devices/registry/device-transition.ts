/**
 * The effects of a transition or a deletion on devices, one or many. They are locked, and the
 * caller has checked each; it records and announces the change.
 *
 * Status: registered|active ⇄ suspended, any → decommissioned.
 * Approval: pending → approved|rejected, rejected → approved. A device registered with a key that
 * requires approval gets its credentials at once, but MQTT refuses them until it is approved.
 * Approval is permanent; suspend a device to take the right away again.
 */
import type { Services } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import type { EventType, Origin } from '../../../platform/record/event.ts'
import { releaseDeviceFor } from '../../mobile/claim-bindings/claim-binding.ts'
import { destroyDeviceSecrets } from '../../mqtt/device-secrets/device-secret.ts'
import * as status from './store.ts'
import { deleteDevices } from './store.ts'

export { lockDevices, type TransitDevice, type Transition } from './store.ts'

type Status = status.TransitDevice['status']
type Approval = status.TransitDevice['approval']

/** The states from which a transition leads, and its target. */
interface Target {
  changes: 'status' | 'approval'
  from: readonly (Status | Approval)[]
  /** The target, as refusals name it. */
  to: string
  event: EventType
  permission: 'devices.secure' | 'devices.delete'
}

export const transitionsOf: Readonly<Record<status.Transition, Target>> = {
  suspend: {
    changes: 'status',
    from: ['registered', 'active'],
    to: 'suspended',
    event: 'device.suspended',
    permission: 'devices.secure',
  },
  resume: {
    changes: 'status',
    from: ['suspended'],
    to: 'active or registered',
    event: 'device.resumed',
    permission: 'devices.secure',
  },
  decommission: {
    changes: 'status',
    from: ['registered', 'active', 'suspended'],
    to: 'decommissioned',
    event: 'device.decommissioned',
    permission: 'devices.delete',
  },
  approve: {
    changes: 'approval',
    from: ['pending', 'rejected'],
    to: 'approved',
    event: 'device.approved',
    permission: 'devices.secure',
  },
  reject: {
    changes: 'approval',
    from: ['pending'],
    to: 'rejected',
    event: 'device.rejected',
    permission: 'devices.secure',
  },
}

type States = Pick<status.TransitDevice, 'status' | 'approval'>

/** Why a device cannot make a transition; undefined if it can. */
export function transitionRefusal(
  transition: status.Transition,
  device: States,
): string | undefined {
  const { changes, from, to } = transitionsOf[transition]
  const isInUse = device.status === 'registered' || device.status === 'active'
  const present = changes === 'approval' && isInUse ? device.approval : device.status
  if (from.includes(present)) return undefined
  return `The device is ${present}; from this state it cannot become ${to}.`
}

/** The record of a transition, given the device before it. */
export function transitionRecord(
  transition: status.Transition,
  device: States & Pick<status.TransitDevice, 'suspended_from'>,
): { data: Record<string, unknown>; detail: Record<string, unknown> } {
  const { changes, to } = transitionsOf[transition]
  const after = { [changes]: transition === 'resume' ? device.suspended_from : to }
  return {
    data: changes === 'status' ? after : {},
    detail: { before: { [changes]: device[changes] }, after },
  }
}

type TransitionServices = Pick<Services, 'feed' | 'clock' | 'mqttBrokers'>

interface Scope {
  workspaceId: string
  origin: Origin
}

type Claimable = Pick<status.TransitDevice, 'id' | 'is_claimed'>

/** Releases claims, which few devices have. */
async function releaseAll(
  services: TransitionServices,
  trx: Db,
  { workspaceId, origin }: Scope,
  devices: readonly Claimable[],
): Promise<void> {
  for (const { id, is_claimed } of devices) {
    if (!is_claimed) continue
    await releaseDeviceFor(services, trx, origin, { workspaceId, deviceId: id }, null)
  }
}

export async function transitAll(
  services: TransitionServices,
  trx: Db,
  scope: Scope,
  transition: status.Transition,
  devices: readonly Claimable[],
): Promise<void> {
  const { workspaceId } = scope
  const ids = devices.map(({ id }) => id)
  const sessionsFrom = services.clock.now() * 1_000
  await status.transitions[transition].run(trx, { workspaceId, ids, sessionsFrom })
  if (transition !== 'decommission') return
  await releaseAll(services, trx, scope, devices)
  await destroyDeviceSecrets.run(trx, { workspaceId, deviceIds: ids })
}

/** Deletes devices with their secrets, presence and state; their claims are released first. */
export async function deleteAll(
  services: TransitionServices,
  trx: Db,
  scope: Scope,
  devices: readonly Claimable[],
): Promise<void> {
  await releaseAll(services, trx, scope, devices)
  const ids = devices.map(({ id }) => id)
  await deleteDevices.run(trx, { workspaceId: scope.workspaceId, ids })
}
