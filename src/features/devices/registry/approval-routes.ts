/** Operations that approve or reject devices. */
import type { KnownCaller } from '../../../platform/access/principal.ts'
import { type Context, operation } from '../../../context.ts'
import { respond, idParam } from '../../../platform/http/operation.ts'
import { approveDevice, rejectDevice } from './device-status.ts'
import type { Revised } from './device-view.ts'
import { DeviceView } from './schema.ts'

const decision = (
  verb: 'approve' | 'reject',
  descriptions: { summary: string; description: string },
  bucket: 'safety' | 'write',
  change: (context: Context<KnownCaller>, deviceId: string) => Promise<Revised>,
) =>
  operation({
    id: `${verb}Device`,
    method: 'POST',
    path: `/workspaces/:id/devices/:device_id/${verb}`,
    tag: 'Devices',
    ...descriptions,
    access: ['user', 'platform-key'],
    permission: 'devices.secure',
    bucket,
    params: {
      id: idParam('ws', 'workspace_not_found'),
      device_id: idParam('dev', 'device_not_found'),
    },
    returns: { 200: DeviceView },
    fails: ['device_not_found', 'invalid_transition'],
    async run(context, { params }) {
      const { view, revision } = await change(context, params.device_id)
      return respond(200, view, { revision })
    },
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
