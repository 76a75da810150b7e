/** Operations on the devices of a mobile identity. */
import Type from 'typebox'
import { operationGroup } from '../../../context.ts'
import { Page, pageQuery } from '../../common/paging.ts'
import {
  claimShownDevice,
  getDevice,
  listDevices,
  releaseOwnDevice,
  renameDevice,
} from './moid-device.ts'
import { ClaimShownDevice, MoidDeviceView, RenameMoidDevice } from './schema.ts'

const operation = operationGroup({ tag: 'Mobile identity', access: ['moid'] })

export const moidDeviceOperations = [
  operation({
    id: 'listMoidDevices',
    route: 'GET /moid/devices',
    summary: 'List the devices of a mobile identity',
    description:
      'Most recently claimed first. A session limited to a workspace sees only devices of that workspace.',
    isPlanFree: true,
    query: Type.Object(pageQuery),
    returns: { 200: Page(MoidDeviceView) },
    run: (context, { query }) => listDevices(context, query),
  }),
  operation({
    id: 'getMoidDevice',
    route: 'GET /moid/devices/:device_id',
    summary: 'Get a device of a mobile identity',
    isPlanFree: true,
    returns: { 200: MoidDeviceView },
    fails: ['device_not_found'],
    run: (context, { params }) => getDevice(context, params.device_id),
  }),
  operation({
    id: 'renameMoidDevice',
    route: 'PATCH /moid/devices/:device_id',
    summary: "Change the phone's own name for a device",
    description: 'The name belongs to the claim and is deleted when the device is released.',
    body: RenameMoidDevice,
    returns: { 200: MoidDeviceView },
    fails: ['device_not_found', 'precondition_failed'],
    example: { name: 'Kitchen lamp' },
    run: (context, { params, body }) => renameDevice(context, params.device_id, body),
  }),
  operation({
    id: 'releaseMoidDevice',
    route: 'DELETE /moid/devices/:device_id',
    summary: 'Release a device',
    description:
      'Unbinds the device. The rights of this identity end at once. The device keeps working with its credentials, and must rotate them: `rotation_due` of `GET /devices/auth/me` is true until then.',
    bucket: 'safety',
    returns: { 204: null },
    fails: ['device_not_found', 'precondition_failed'],
    run: (context, { params }) => releaseOwnDevice(context, params.device_id),
  }),
  operation({
    id: 'claimShownDevice',
    route: 'POST /moid/devices/claim',
    summary: 'Claim a device by the code that it displays',
    description:
      'Repeating the call with the same code returns the same device. At most five wrong codes are accepted within ten minutes.',
    idempotency: 'own',
    body: ClaimShownDevice,
    returns: { 200: MoidDeviceView },
    fails: [
      'workspace_not_found',
      'claim_code_malformed',
      'claim_code_unknown',
      'claim_code_used',
      'claim_code_expired',
      'device_already_claimed',
      'device_not_found',
    ],
    example: { claim_code: 'pc_7K2M9QX4TB', name: 'Kitchen lamp' },
    run: (context, { body }) => claimShownDevice(context, body),
  }),
]
