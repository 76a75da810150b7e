/** Job actions that change device status; a single operation is the same for one device. */
import type { Permission } from '../../../platform/access/permissions.ts'
import {
  deleteAll,
  type Transition,
  transitAll,
  transitionRefusal,
  transitionsOf,
} from '../../devices/registry/device-transition.ts'
import { type Action, type DeviceRow, refused, UNCHANGED } from './action.ts'

interface StatusChange {
  permission: Permission
  /** States that need no change. */
  reached: readonly DeviceRow['status'][]
  becomes(device: DeviceRow): DeviceRow['status'] | null
}

const statusAction = (transition: Transition, change: StatusChange): Action => ({
  permission: change.permission,
  takes: [],
  oneOf: [],
  judge({ status }) {
    if (change.reached.includes(status)) return UNCHANGED
    const detail = transitionRefusal(transition, status)
    return detail === undefined ? undefined : refused('invalid_transition', detail)
  },
  async change(services, trx, order, devices) {
    await transitAll(services, trx, order, transition, devices)
    return new Map()
  },
  told: {
    as: transitionsOf[transition].event,
    data: (device) => ({ status: change.becomes(device) }),
    detail: (device) => ({
      before: { status: device.status },
      after: { status: change.becomes(device) },
    }),
  },
  announces: true,
})

export const suspend = statusAction('suspend', {
  permission: 'devices.secure',
  reached: ['suspended'],
  becomes: () => 'suspended',
})

export const resume = statusAction('resume', {
  permission: 'devices.secure',
  reached: ['registered', 'active'],
  becomes: ({ suspended_from }) => suspended_from,
})

export const decommission = statusAction('decommission', {
  permission: 'devices.delete',
  reached: ['decommissioned'],
  becomes: () => 'decommissioned',
})

export const remove: Action = {
  permission: 'devices.delete',
  takes: [],
  oneOf: [],
  judge: () => undefined,
  async change(services, trx, order, devices) {
    await deleteAll(services, trx, order, devices)
    return new Map()
  },
  told: { as: 'device.deleted' },
  announces: true,
}
