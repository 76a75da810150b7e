/** Job actions on device secrets. No response of a job contains a secret. */
import { destroyDeviceSecrets } from '../../mqtt/device-secrets/device-secret.ts'
import { cancelRotateCommands, ROTATE_COMMAND } from '../../devices/commands/command-cancel.ts'
import { issueCommands } from '../../devices/commands/command-issue.ts'
import { type Action, type DeviceRow, idsOf, refused, type Outcome } from './action.ts'
import * as store from './action-store.ts'

const unlessDecommissioned =
  (sentence: string): Action['evaluate'] =>
  ({ status }) =>
    status === 'decommissioned'
      ? refused('invalid_transition', `The device is decommissioned; ${sentence}.`)
      : undefined

/** Removes all secrets; the device gets in again after it is provisioned again. */
export const resetCredentials: Action = {
  permission: 'devices.secure',
  evaluate: unlessDecommissioned('it has no credentials'),
  async change(services, trx, { workspaceId, origin }, devices) {
    const deviceIds = idsOf(devices)
    await destroyDeviceSecrets.run(trx, { workspaceId, deviceIds })
    await cancelRotateCommands(services, trx, origin, { workspaceId, deviceIds })
  },
  notified: { as: 'device.credentials_reset' },
  announces: true,
}

const ROTATE_TIMEOUT_S = 86_400

/**
 * Asks devices to rotate: sets `rotation_due` until they do, and sends a command to those that
 * listen. Existing secrets are unchanged.
 */
export const rotate: Action = {
  permission: 'devices.secure',
  evaluate: unlessDecommissioned('it cannot rotate'),
  async change(services, trx, { workspaceId, origin, work }, devices) {
    const deviceIds = idsOf(devices)
    await store.markRotationAsked.run(trx, { workspaceId, ids: deviceIds })
    // A device with a full command queue still gets the mark.
    const command = { name: ROTATE_COMMAND, payload: {}, timeoutS: ROTATE_TIMEOUT_S }
    await issueCommands(services, trx, origin, { workspaceId, deviceIds, work, ...command })
  },
  notified: { as: 'device.rotation_asked' },
}

const DEFAULT_TIMEOUT_S = 60

export const command: Action = {
  permission: 'devices.write',
  takes: ['name', 'payload', 'timeout_s'],
  oneOf: ['name'],
  evaluate: unlessDecommissioned('it takes no commands'),
  async change(services, trx, { workspaceId, origin, work, parameters }, devices) {
    const issued = await issueCommands(services, trx, origin, {
      workspaceId,
      deviceIds: idsOf(devices),
      work,
      name: parameters.name ?? '',
      payload: parameters.payload ?? {},
      timeoutS: parameters.timeout_s ?? DEFAULT_TIMEOUT_S,
    })
    const outcomes = new Map<DeviceRow['id'], Outcome>()
    for (const one of issued) {
      if ('refusal' in one) outcomes.set(one.deviceId, { status: 'failed', code: one.refusal })
    }
    return outcomes
  },
}
