/** Job actions that approve or reject devices, by the rules of the single operations. */
import { approvalRefusal } from '../../devices/registry/device-approval.ts'
import { type Action, idsOf, refused, UNCHANGED } from './action.ts'
import * as store from './action-store.ts'

const decision = (
  verb: 'approve' | 'reject',
  reached: 'approved' | 'rejected',
  told: 'device.approved' | 'device.rejected',
): Action => ({
  permission: 'devices.secure',
  takes: [],
  oneOf: [],
  judge(device) {
    if (device.approval === reached) return UNCHANGED
    const refusal = approvalRefusal(verb, device)
    return refusal === undefined ? undefined : refused('invalid_transition', refusal)
  },
  async change(_services, trx, { workspaceId }, devices) {
    await store.decide(trx, verb, workspaceId, idsOf(devices))
    return new Map()
  },
  told: {
    as: told,
    detail: ({ approval }) => ({ before: { approval }, after: { approval: reached } }),
  },
  announces: true,
})

export const approve = decision('approve', 'approved', 'device.approved')
export const reject = decision('reject', 'rejected', 'device.rejected')
