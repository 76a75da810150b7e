/** Operations that approve or reject devices. */
import { type Context, operation } from '../../../context.ts'
import { approveDevice, rejectDevice } from './device-status.ts'
import { DeviceView } from './schema.ts'
import type { Revised } from '../../common/results.ts'

const decision = (
  verb: 'approve' | 'reject',
  descriptions: { summary: string; description: string },
  bucket: 'safety' | 'write',
  change: (context: Context, deviceId: string) => Promise<Revised<DeviceView>>,
) =>
  operation({
    id: `${verb}Device`,
    route: `POST /workspaces/:id/devices/:device_id/${verb}`,
    tag: 'Devices',
    ...descriptions,
    access: ['user', 'platform-key'],
    permission: 'devices.secure',
    bucket,
    returns: { 200: DeviceView },
    fails: ['device_not_found', 'invalid_transition'],
    run: (context, { params }) => change(context, params.device_id),
  })

export const deviceApprovalOperations = [
  decision(
    'approve',
    {
      summary: 'Approve a device',
      description:
        'For a pending or rejected device. Its credentials are accepted within a second.',
    },
    'write',
    approveDevice,
  ),
  decision(
    'reject',
    {
      summary: 'Reject a device',
      description:
        'For a pending device. The device stays refused, and can be approved or deleted later. To refuse an approved device, suspend it.',
    },
    'safety',
    rejectDevice,
  ),
]
