/** Job actions that change the status or approval of devices, or delete them. */
import type { Permission } from '../../../platform/access/permissions.ts'
import {
  deleteAll,
  type Transition,
  transitAll,
  transitionRecord,
  transitionRefusal,
  transitionsOf,
} from '../../devices/registry/device-transition.ts'
import { type Action, type DeviceRow, refused, UNCHANGED } from './action.ts'

/** @param reached states that need no change */
const transitionAction = (
  transition: Transition,
  permission: Permission,
  reached: readonly (DeviceRow['status'] | DeviceRow['approval'])[],
): Action => ({
  permission,
  takes: [],
  oneOf: [],
  evaluate(device) {
    if (reached.includes(device[transitionsOf[transition].changes])) return UNCHANGED
    const detail = transitionRefusal(transition, device)
    return detail === undefined ? undefined : refused('invalid_transition', detail)
  },
  async change(services, trx, order, devices) {
    await transitAll(services, trx, order, transition, devices)
    return new Map()
  },
  notified: {
    as: transitionsOf[transition].event,
    data: (device) => transitionRecord(transition, device).data,
    detail: (device) => transitionRecord(transition, device).detail,
  },
  announces: true,
})

export const suspend = transitionAction('suspend', 'devices.secure', ['suspended'])
export const resume = transitionAction('resume', 'devices.secure', ['registered', 'active'])
export const decommission = transitionAction('decommission', 'devices.delete', ['decommissioned'])
export const approve = transitionAction('approve', 'devices.secure', ['approved'])
export const reject = transitionAction('reject', 'devices.secure', ['rejected'])

export const remove: Action = {
  permission: 'devices.delete',
  takes: [],
  oneOf: [],
  evaluate: () => undefined,
  async change(services, trx, order, devices) {
    await deleteAll(services, trx, order, devices)
    return new Map()
  },
  notified: { as: 'device.deleted' },
  announces: true,
}
