/**
 * What a transition or a deletion does to devices, one or many. They are locked, and the caller has
 * checked each; it records and announces the change.
 */
import type { Services } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import type { EventType, Origin } from '../../../platform/record/event.ts'
import { releaseDeviceFor } from '../../mobile/claim-bindings/claim-binding.ts'
import { destroyDeviceSecrets } from '../../mqtt/device-secrets/device-secret.ts'
import type { DeviceStatus } from './schema.ts'
import * as status from './status-store.ts'
import { deleteDevices } from './store.ts'

export type { Transition } from './status-store.ts'

/** The states from which a transition leads, and its target. */
interface Target {
  from: readonly DeviceStatus[]
  /** The name of the target in refusals. */
  to: string
  event: EventType
}

export const transitionsOf: Readonly<Record<status.Transition, Target>> = {
  suspend: { from: ['registered', 'active'], to: 'suspended', event: 'device.suspended' },
  resume: { from: ['suspended'], to: 'active or registered', event: 'device.resumed' },
  decommission: {
    from: ['registered', 'active', 'suspended'],
    to: 'decommissioned',
    event: 'device.decommissioned',
  },
}

/** Why a device cannot make a transition; undefined if it can. */
export function transitionRefusal(
  transition: status.Transition,
  present: DeviceStatus,
): string | undefined {
  const { from, to } = transitionsOf[transition]
  if (from.includes(present)) return undefined
  return `The device is ${present}; from this state it cannot become ${to}.`
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
  const nowUs = services.clock.now() * 1_000
  await status.applyTransition(trx, transition, workspaceId, ids, nowUs)
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
