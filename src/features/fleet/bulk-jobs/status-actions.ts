/** Job actions that change device status, by the state machine of the single operations. */
import type { Permission } from '../../../platform/access/permissions.ts'
import type { Db } from '../../../platform/database/connect.ts'
import type { EventType } from '../../../platform/record/event.ts'
import { releaseDeviceFor } from '../../mobile/claim-bindings/claim-binding.ts'
import { transitionsOf } from '../../devices/registry/device-status.ts'
import {
  type Action,
  type ActionServices,
  type DeviceRow,
  idsOf,
  type Order,
  refused,
  UNCHANGED,
} from './action.ts'
import * as store from './action-store.ts'

interface StatusChange {
  permission: Permission
  told: EventType
  /** States that need no change. */
  reached: readonly DeviceRow['status'][]
  becomes(device: DeviceRow): DeviceRow['status'] | null
  also?(
    services: ActionServices,
    trx: Db,
    order: Order,
    devices: readonly DeviceRow[],
  ): Promise<void>
}

const statusAction = (transition: store.Transition, change: StatusChange): Action => ({
  permission: change.permission,
  takes: [],
  oneOf: [],
  judge({ status }) {
    if (change.reached.includes(status)) return UNCHANGED
    const { from, to } = transitionsOf[transition]
    if (from.includes(status)) return undefined
    return refused(
      'invalid_transition',
      `The device is ${status}; from this state it cannot become ${to}.`,
    )
  },
  async change(services, trx, order, devices) {
    const nowUs = services.clock.now() * 1_000
    await store.transit(trx, transition, order.workspaceId, idsOf(devices), nowUs)
    await change.also?.(services, trx, order, devices)
    return new Map()
  },
  told: {
    as: change.told,
    data: (device) => ({ status: change.becomes(device) }),
    detail: (device) => ({
      before: { status: device.status },
      after: { status: change.becomes(device) },
    }),
  },
  announces: true,
})

/** Releases claims, which few devices have. */
async function releaseAll(
  services: ActionServices,
  trx: Db,
  { workspaceId, origin }: Order,
  devices: readonly DeviceRow[],
): Promise<void> {
  for (const { id, is_claimed } of devices) {
    if (!is_claimed) continue
    await releaseDeviceFor(services, trx, origin, { workspaceId, deviceId: id }, null)
  }
}

export const suspend = statusAction('suspend', {
  permission: 'devices.secure',
  told: 'device.suspended',
  reached: ['suspended'],
  becomes: () => 'suspended',
})

export const resume = statusAction('resume', {
  permission: 'devices.secure',
  told: 'device.resumed',
  reached: ['registered', 'active'],
  becomes: ({ suspended_from }) => suspended_from,
})

export const decommission = statusAction('decommission', {
  permission: 'devices.delete',
  told: 'device.decommissioned',
  reached: ['decommissioned'],
  becomes: () => 'decommissioned',
  async also(services, trx, order, devices) {
    await releaseAll(services, trx, order, devices)
    await store.destroySecretsOf(trx, order.workspaceId, idsOf(devices))
  },
})

export const remove: Action = {
  permission: 'devices.delete',
  takes: [],
  oneOf: [],
  judge: () => undefined,
  async change(services, trx, order, devices) {
    await releaseAll(services, trx, order, devices)
    await store.deleteDevices(trx, order.workspaceId, idsOf(devices))
    return new Map()
  },
  told: { as: 'device.deleted' },
  announces: true,
}
