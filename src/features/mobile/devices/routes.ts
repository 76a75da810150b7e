/** Operations on the devices of a mobile identity. */
import Type from 'typebox'
import { operation } from '../../../context.ts'
import { respond, idParam } from '../../../platform/http/operation.ts'
import { Page, pageQuery } from '../../common/paging.ts'
import {
  claimShownDevice,
  getDevice,
  listDevices,
  releaseOwnDevice,
  renameDevice,
} from './moid-device.ts'
import { ClaimShownDevice, MoidDeviceView, RenameMoidDevice } from './schema.ts'

const access = ['moid'] as const
const tag = 'Mobile identity'
const device = { device_id: idParam('dev', 'device_not_found') }

export const moidDeviceOperations = [
  operation({
    id: 'listMoidDevices',
    method: 'GET',
    path: '/moid/devices',
    tag,
    summary: 'List the devices of a mobile identity',
    description:
      'Most recently claimed first. A session limited to a workspace sees only devices of ' +
      'that workspace.',
    access,
    isPlanFree: true,
    query: Type.Object(pageQuery),
    returns: { 200: Page(MoidDeviceView) },
    fails: ['invalid_cursor'],
    run: async (context, { query }) => respond(200, await listDevices(context, query)),
  }),
  operation({
    id: 'getMoidDevice',
    method: 'GET',
    path: '/moid/devices/:device_id',
    tag,
    summary: 'Get a device of a mobile identity',
    access,
    isPlanFree: true,
    params: device,
    returns: { 200: MoidDeviceView },
    fails: ['device_not_found'],
    async run(context, { params }) {
      const { view, revision } = await getDevice(context, params.device_id)
      return respond(200, view, { revision })
    },
  }),
  operation({
    id: 'renameMoidDevice',
    method: 'PATCH',
    path: '/moid/devices/:device_id',
    tag,
    summary: "Change the phone's own name for a device",
    description: 'The name belongs to the claim and is deleted when the device is released.',
    access,
    params: device,
    body: RenameMoidDevice,
    returns: { 200: MoidDeviceView },
    fails: ['device_not_found', 'precondition_failed'],
    example: { name: 'Kitchen lamp' },
    async run(context, { params, body }) {
      const { view, revision } = await renameDevice(context, params.device_id, body)
      return respond(200, view, { revision })
    },
  }),
  operation({
    id: 'releaseMoidDevice',
    method: 'DELETE',
    path: '/moid/devices/:device_id',
    tag,
    summary: 'Release a device',
    description:
      'Unbinds the device. The rights of this identity end at once. The device keeps working with its credentials, and must rotate them: `rotation_due` of `GET /devices/auth/me` is true until then.',
    access,
    bucket: 'safety',
    params: device,
    returns: { 204: null },
    fails: ['device_not_found', 'precondition_failed'],
    async run(context, { params }) {
      await releaseOwnDevice(context, params.device_id)
      return respond(204, null)
    },
  }),
  operation({
    id: 'claimShownDevice',
    method: 'POST',
    path: '/moid/devices/claim',
    tag,
    summary: 'Claim a device by the code that it displays',
    description:
      'Repeating the call with the same code returns the same device. At most five wrong codes within ten minutes.',
    access,
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
    async run(context, { body }) {
      const { view, revision } = await claimShownDevice(context, body)
      return respond(200, view, { revision })
    },
  }),
]
