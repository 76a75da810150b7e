/** Operations on the status of a device, and on its approval. */
import { type Context, operationGroup } from '../../../context.ts'
import { DeviceView } from './schema.ts'
import {
  approveDevice,
  decommissionDevice,
  disconnectDevice,
  endClaim,
  rejectDevice,
  resumeDevice,
  suspendDevice,
} from './device-status.ts'
import type { Revised } from '../../common/results.ts'

const operation = operationGroup({ tag: 'Devices', access: ['user', 'platform-key'] })

/** A status transition, which takes no input. */
const transition = (
  verb: 'approve' | 'reject' | 'suspend' | 'resume' | 'decommission',
  descriptions: { summary: string; description: string },
  rights: { permission: 'devices.secure' | 'devices.delete'; bucket: 'safety' | 'write' },
  change: (context: Context, deviceId: string) => Promise<Revised<DeviceView>>,
) =>
  operation({
    id: `${verb}Device`,
    route: `POST /workspaces/:id/devices/:device_id/${verb}`,
    ...descriptions,
    ...rights,
    returns: { 200: DeviceView },
    fails: ['device_not_found', 'invalid_transition'],
    run: (context, { params }) => change(context, params.device_id),
  })

export const deviceStatusOperations = [
  transition(
    'suspend',
    {
      summary: 'Suspend a device',
      description:
        'Live sessions end within a second, and its credentials are refused until the device is resumed.',
    },
    { permission: 'devices.secure', bucket: 'safety' },
    suspendDevice,
  ),
  transition(
    'resume',
    {
      summary: 'Resume a device',
      description: 'Restores the status from before the suspension, with the same credentials.',
    },
    { permission: 'devices.secure', bucket: 'write' },
    resumeDevice,
  ),
  transition(
    'decommission',
    {
      summary: 'Decommission a device',
      description:
        'This is final. Deletes its credentials, ends live sessions and releases a claim. The device and its key are kept for the record.',
    },
    { permission: 'devices.delete', bucket: 'safety' },
    decommissionDevice,
  ),
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
      'Ends the claim, as if the phone had released the device: the rights of the phone end within a second, also in its live MQTT sessions. The device keeps working with its credentials, and must rotate them: `rotation_due` of `GET /devices/auth/me` is true until then. Another phone can claim it. Without a claim nothing changes.',
    permission: 'devices.secure',
    bucket: 'safety',
    returns: { 200: DeviceView },
    fails: ['device_not_found'],
    run: (context, { params }) => endClaim(context, params.device_id),
  }),
  transition(
    'approve',
    {
      summary: 'Approve a device',
      description:
        'For a pending or rejected device. Its credentials are accepted within a second.',
    },
    { permission: 'devices.secure', bucket: 'write' },
    approveDevice,
  ),
  transition(
    'reject',
    {
      summary: 'Reject a device',
      description:
        'For a pending device. The device stays refused, and can be approved or deleted later. To refuse an approved device, suspend it.',
    },
    { permission: 'devices.secure', bucket: 'safety' },
    rejectDevice,
  ),
]
