/** Operations on the status of a device, and on its approval. */
import { operationGroup } from '../../../context.ts'
import { DeviceView } from './schema.ts'
import { disconnectDevice, endClaim, transitDevice } from './device-status.ts'
import { type Transition, transitionsOf } from './device-transition.ts'

const operation = operationGroup({ tag: 'Devices', access: ['user', 'platform-key'] })

/** A status transition, which takes no input. */
const transition = (
  verb: Transition,
  about: { summary: string; description: string; bucket: 'safety' | 'write' },
) =>
  operation({
    id: `${verb}Device`,
    route: `POST /workspaces/:id/devices/:device_id/${verb}`,
    ...about,
    permission: transitionsOf[verb].permission,
    returns: { 200: DeviceView },
    fails: ['device_not_found', 'invalid_transition'],
    run: (context, { params }) => transitDevice(context, verb, params.device_id),
  })

export const deviceStatusOperations = [
  transition('suspend', {
    summary: 'Suspend a device',
    description:
      'Live sessions end within a second, and its credentials are refused until the device is resumed.',
    bucket: 'safety',
  }),
  transition('resume', {
    summary: 'Resume a device',
    description: 'Restores the status from before the suspension, with the same credentials.',
    bucket: 'write',
  }),
  transition('decommission', {
    summary: 'Decommission a device',
    description:
      'This is final. Deletes its credentials, ends live sessions and releases a claim. The device and its key are kept for the record.',
    bucket: 'safety',
  }),
  operation({
    id: 'disconnectDevice',
    route: 'POST /workspaces/:id/devices/:device_id/disconnect',
    summary: 'Disconnect a device',
    description: 'Ends its live sessions within a second. It may reconnect immediately.',
    permission: 'devices.secure',
    bucket: 'safety',
    returns: { 204: null },
    fails: ['device_not_found'],
    run: (context, { params }) => disconnectDevice(context, params.device_id),
  }),
  operation({
    id: 'releaseDevice',
    route: 'POST /workspaces/:id/devices/:device_id/release',
    summary: 'Release a device from its phone',
    description:
      'Ends the claim, as if the phone had released the device: the rights of the phone end, also in its live MQTT sessions. The device keeps working with its credentials, and must rotate them: `rotation_due` of `GET /devices/auth/me` is true until then. Another phone can claim it. Without a claim nothing changes.',
    permission: 'devices.secure',
    bucket: 'safety',
    returns: { 200: DeviceView },
    fails: ['device_not_found'],
    run: (context, { params }) => endClaim(context, params.device_id),
  }),
  transition('approve', {
    summary: 'Approve a device',
    description: 'For a pending or rejected device. Its credentials are accepted within a second.',
    bucket: 'write',
  }),
  transition('reject', {
    summary: 'Reject a device',
    description:
      'For a pending device. The device stays refused, and can be approved or deleted later. To refuse an approved device, suspend it.',
    bucket: 'safety',
  }),
]
