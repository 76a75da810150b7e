/** Operations on devices. */
import { operation, type Services } from '../../context.ts'
import { answer, idParam, operationOf } from '../../http/operation.ts'
import { Page } from '../paging.ts'
import { deleteDevice, getDevice, listDevices, updateDevice } from './device.ts'
import { createDevice, type DeviceServices } from './device-creation.ts'
import { resetCredentials } from './device-credentials.ts'
import {
  CreatedDevice,
  CreateDevice,
  DeviceView,
  ListDevices,
  ResetCredentials,
  UpdateDevice,
} from './schema.ts'

const access = ['user', 'platform-key'] as const
const tag = 'Devices'
const workspace = { id: idParam('ws', 'workspace_not_found') }
const device = { ...workspace, device_id: idParam('dev', 'device_not_found') }

const creating = operationOf<Services & DeviceServices>()

export const deviceOperations = [
  creating({
    id: 'createDevice',
    method: 'POST',
    path: '/workspaces/:id/devices',
    tag,
    summary: 'Create a device',
    description:
      'Its key is given, or made by the serial format of its template. The credentials are in this answer and nowhere else.',
    access,
    permission: 'devices.write',
    params: workspace,
    body: CreateDevice,
    returns: { 201: CreatedDevice },
    fails: ['device_key_taken', 'hardware_id_taken'],
    example: { device_key: 'TH2-000123', name: 'Kitchen', tags: { floor: 'ground' } },
    async run(context, { body }) {
      const created = await createDevice(context, body)
      const location = `/workspaces/${created.workspace_id}/devices/${created.id}`
      return answer(201, created, { location, revision: 1 })
    },
  }),
  operation({
    id: 'listDevices',
    method: 'GET',
    path: '/workspaces/:id/devices',
    tag,
    summary: 'List devices',
    description:
      'Newest first, unless the filter has comparisons that give an order (a prefix, a range, presence) and no other: then by the field of the first of them. Filters that are given together must all hold. At most 5,000 devices are looked at for one page: it may have fewer items than `limit`, even none, and yet a `next_cursor`.',
    access,
    permission: 'devices.read',
    isPlanFree: true,
    params: workspace,
    query: ListDevices,
    returns: { 200: Page(DeviceView) },
    fails: ['invalid_cursor'],
    run: async (context, { query }) => answer(200, await listDevices(context, query)),
  }),
  operation({
    id: 'getDevice',
    method: 'GET',
    path: '/workspaces/:id/devices/:device_id',
    tag,
    summary: 'Get a device',
    access,
    permission: 'devices.read',
    isPlanFree: true,
    params: device,
    returns: { 200: DeviceView },
    fails: ['device_not_found'],
    async run(context, { params }) {
      const { view, revision } = await getDevice(context, params.device_id)
      return answer(200, view, { revision })
    },
  }),
  operation({
    id: 'updateDevice',
    method: 'PATCH',
    path: '/workspaces/:id/devices/:device_id',
    tag,
    summary: 'Change a device',
    description:
      'Members that are present change. `tags`, `custom_fields` and `config` are merged (RFC 7396): null removes a member. Another template brings its topic rules to a connected device within a second.',
    access,
    permission: 'devices.write',
    params: device,
    body: UpdateDevice,
    returns: { 200: DeviceView },
    fails: ['device_not_found', 'precondition_failed'],
    example: { name: 'Kitchen, north', tags: { floor: null, room: 'kitchen' } },
    async run(context, { params, body }) {
      const { view, revision } = await updateDevice(context, params.device_id, body)
      return answer(200, view, { revision })
    },
  }),
  operation({
    id: 'deleteDevice',
    method: 'DELETE',
    path: '/workspaces/:id/devices/:device_id',
    tag,
    summary: 'Delete a device',
    description:
      'With its credentials, presence and state; a claim of it is released and live sessions are cut. Its key is free again: decommission a device whose history is to stay.',
    access,
    permission: 'devices.delete',
    bucket: 'safety',
    params: device,
    returns: { 204: null },
    fails: ['device_not_found', 'precondition_failed'],
    async run(context, { params }) {
      await deleteDevice(context, params.device_id)
      return answer(204, null)
    },
  }),
  operation({
    id: 'resetDeviceCredentials',
    method: 'POST',
    path: '/workspaces/:id/devices/:device_id/credentials/reset',
    tag,
    summary: "Reset a device's credentials",
    description:
      'For a compromised device: the old credentials are dead at once and live sessions are cut. To renew them in working order, let the device or the factory rotate them.',
    access,
    permission: 'devices.secure',
    bucket: 'safety',
    params: device,
    returns: { 200: ResetCredentials },
    fails: ['device_not_found', 'invalid_transition'],
    run: async (context, { params }) =>
      answer(200, await resetCredentials(context, params.device_id)),
  }),
]
