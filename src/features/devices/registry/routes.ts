/** Operations on devices. */
import Type from 'typebox'
import { operation, type Services } from '../../../context.ts'
import { respond, idParam, operationOf } from '../../../platform/http/operation.ts'
import { Page, pageQuery } from '../../common/paging.ts'
import {
  countDevices,
  deleteDevice,
  getDevice,
  listDeviceFacets,
  listDevices,
  listGroupDevices,
  updateDevice,
} from './device.ts'
import { createDevice, type DeviceServices } from './device-creation.ts'
import { allowRotation, mayRepeatSecrets, resetCredentials } from './device-credentials.ts'
import {
  CountDevices,
  CreatedDevice,
  CreateDevice,
  DeviceCount,
  DeviceFacets,
  DeviceView,
  FacetQuery,
  ListDevices,
  ResetCredentials,
  RotationAllowance,
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
      'The request contains its key, or the serial format of its template generates one. The credentials are returned only once.',
    access,
    permission: 'devices.write',
    params: workspace,
    body: CreateDevice,
    returns: { 201: CreatedDevice },
    fails: ['device_key_taken', 'hardware_id_taken'],
    mayRepeat: mayRepeatSecrets,
    example: { device_key: 'TH2-000123', name: 'Kitchen', tags: { floor: 'ground' } },
    async run(context, { body }) {
      const created = await createDevice(context, body)
      const location = `/workspaces/${created.workspace_id}/devices/${created.id}`
      return respond(201, created, { location, revision: 1 })
    },
  }),
  operation({
    id: 'listDevices',
    method: 'GET',
    path: '/workspaces/:id/devices',
    tag,
    summary: 'List devices',
    description:
      'Newest first, unless the filter consists only of comparisons that define an order (a prefix, a range, presence): then ordered by the field of the first comparison. All filters in a request must match. At most 5,000 devices are examined for one page. A page can therefore have fewer items than `limit`, even none, and still have a `next_cursor`.',
    access,
    permission: 'devices.read',
    isPlanFree: true,
    params: workspace,
    query: ListDevices,
    returns: { 200: Page(DeviceView) },
    fails: ['invalid_cursor'],
    run: async (context, { query }) => respond(200, await listDevices(context, query)),
  }),
  operation({
    id: 'countDevices',
    method: 'GET',
    path: '/workspaces/:id/devices/count',
    tag,
    summary: 'Count devices',
    description:
      'How many devices the list would have with the same parameters. The work is bounded: a count that would take more is a lower bound.',
    access,
    permission: 'devices.read',
    isPlanFree: true,
    params: workspace,
    query: CountDevices,
    returns: { 200: DeviceCount },
    fails: [],
    run: async (context, { query }) => respond(200, await countDevices(context, query)),
  }),
  operation({
    id: 'listDeviceFacets',
    method: 'GET',
    path: '/workspaces/:id/devices/facets',
    tag,
    summary: 'List the values of a field of devices',
    description:
      'Which values occur, and how many devices have each: to offer what a filter can name. The names of tags and custom fields are the values of the fields `tags` and `custom_fields`. The work is bounded.',
    access,
    permission: 'devices.read',
    isPlanFree: true,
    params: workspace,
    query: FacetQuery,
    returns: { 200: DeviceFacets },
    fails: [],
    run: async (context, { query }) => respond(200, await listDeviceFacets(context, query)),
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
      return respond(200, view, { revision })
    },
  }),
  operation({
    id: 'updateDevice',
    method: 'PATCH',
    path: '/workspaces/:id/devices/:device_id',
    tag,
    summary: 'Change a device',
    description:
      'Only members in the body change. `tags`, `custom_fields` and `config` are merged (RFC 7396): null removes a member. The rules of another template apply to a connected device within a second.',
    access,
    permission: 'devices.write',
    params: device,
    body: UpdateDevice,
    returns: { 200: DeviceView },
    fails: ['device_not_found', 'precondition_failed'],
    example: { name: 'Kitchen, north', tags: { floor: null, room: 'kitchen' } },
    async run(context, { params, body }) {
      const { view, revision } = await updateDevice(context, params.device_id, body)
      return respond(200, view, { revision })
    },
  }),
  operation({
    id: 'deleteDevice',
    method: 'DELETE',
    path: '/workspaces/:id/devices/:device_id',
    tag,
    summary: 'Delete a device',
    description:
      'Also deletes its credentials, presence and state, releases its claim, and ends live sessions. Its key can be reused. To keep the history of a device, decommission it instead.',
    access,
    permission: 'devices.delete',
    bucket: 'safety',
    params: device,
    returns: { 204: null },
    fails: ['device_not_found', 'precondition_failed'],
    async run(context, { params }) {
      await deleteDevice(context, params.device_id)
      return respond(204, null)
    },
  }),
  operation({
    id: 'resetDeviceCredentials',
    method: 'POST',
    path: '/workspaces/:id/devices/:device_id/credentials/reset',
    tag,
    summary: "Reset a device's credentials",
    description:
      'For a compromised device: the old credentials become invalid immediately and live sessions end. For regular renewal, let the device or the factory rotate them.',
    access,
    permission: 'devices.secure',
    bucket: 'safety',
    params: device,
    returns: { 200: ResetCredentials },
    fails: ['device_not_found', 'invalid_transition'],
    mayRepeat: mayRepeatSecrets,
    run: async (context, { params }) =>
      respond(200, await resetCredentials(context, params.device_id)),
  }),
  operation({
    id: 'allowDeviceRotation',
    method: 'POST',
    path: '/workspaces/:id/devices/:device_id/credentials/allow-rotation',
    tag,
    summary: 'Allow a provision key to renew the credentials of a claimed device',
    description:
      'For a claimed device that lost its credentials and registers with a key that has `on_known_device: rotate_unclaimed`. The permission lasts for 24 hours, and ends when the device first uses new credentials. The current credentials stay valid until then.',
    access,
    permission: 'devices.secure',
    params: device,
    returns: { 200: RotationAllowance },
    fails: ['device_not_found', 'invalid_transition'],
    run: async (context, { params }) =>
      respond(200, await allowRotation(context, params.device_id)),
  }),
]

export const groupedDeviceOperations = [
  operation({
    id: 'listDeviceGroupDevices',
    method: 'GET',
    path: '/workspaces/:id/device-groups/:group_id/devices',
    tag: 'Device groups',
    summary: 'List the devices of a group',
    description:
      'The same as the list of devices with the filter `group = <id>`, in the same order and with the same pages.',
    access: ['user', 'platform-key'],
    permission: 'devices.read',
    isPlanFree: true,
    params: {
      id: idParam('ws', 'workspace_not_found'),
      group_id: idParam('grp', 'device_group_not_found'),
    },
    query: Type.Object(pageQuery),
    returns: { 200: Page(DeviceView) },
    fails: ['device_group_not_found', 'invalid_cursor'],
    run: async (context, { params, query }) =>
      respond(200, await listGroupDevices(context, params.group_id, query)),
  }),
]
