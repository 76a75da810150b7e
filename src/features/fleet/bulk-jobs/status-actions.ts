/** Job actions that change the status or approval of devices, or delete them. */
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
  reached: readonly (DeviceRow['status'] | DeviceRow['approval'])[],
): Action => ({
  permission: transitionsOf[transition].permission,
  evaluate(device) {
    if (reached.includes(device[transitionsOf[transition].changes])) return UNCHANGED
    const detail = transitionRefusal(transition, device)
    return detail === undefined ? undefined : refused('invalid_transition', detail)
  },
  async change(services, trx, context, devices) {
    await transitAll(services, trx, context, transition, devices)
  },
  notified: {
    as: transitionsOf[transition].event,
    data: (device) => transitionRecord(transition, device).data,
    detail: (device) => transitionRecord(transition, device).detail,
  },
  announces: true,
})

export const suspend = transitionAction('suspend', ['suspended'])
export const resume = transitionAction('resume', ['registered', 'active'])
export const decommission = transitionAction('decommission', ['decommissioned'])
export const approve = transitionAction('approve', ['approved'])
export const reject = transitionAction('reject', ['rejected'])

export const remove: Action = {
  permission: 'devices.delete',
  async change(services, trx, context, devices) {
    await deleteAll(services, trx, context, devices)
  },
  notified: { as: 'device.deleted' },
  announces: true,
}
