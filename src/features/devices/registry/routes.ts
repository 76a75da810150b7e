/** Operations on devices. */
import Type from 'typebox'
import { operationGroup, type Services } from '../../../context.ts'
import { operationOf } from '../../../platform/http/operation.ts'
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
import {
  allowRotation,
  listCredentials,
  mayRepeatSecrets,
  resetCredentials,
} from './device-credentials.ts'
import * as schema from './schema.ts'

const operation = operationGroup({ tag: 'Devices', access: ['user', 'platform-key'] })

const access = ['user', 'platform-key'] as const
const tag = 'Devices'

const creating = operationOf<Services & DeviceServices>()

export const deviceOperations = [
  creating({
    id: 'createDevice',
    route: 'POST /workspaces/:id/devices',
    tag,
    summary: 'Create a device',
    description:
      'The request contains its key, or the serial format of its template generates one. The credentials are returned only once.',
    access,
    permission: 'devices.write',
    body: schema.CreateDevice,
    returns: { 201: schema.CreatedDevice },
    fails: ['device_key_taken', 'hardware_id_taken'],
    mayRepeat: mayRepeatSecrets,
    example: { device_key: 'TH2-000123', name: 'Kitchen', tags: { floor: 'ground' } },
    created: { location: '/workspaces/{workspace_id}/devices/{id}', revision: 1 },
    run: (context, { body }) => createDevice(context, body),
  }),
  operation({
    id: 'listDevices',
    route: 'GET /workspaces/:id/devices',
    summary: 'List devices',
    description:
      'Newest first, unless the filter consists only of comparisons that define an order (a prefix, a range, presence): then ordered by the field of the first comparison. All filters in a request must match. At most 5,000 devices are examined for one page. A page can therefore have fewer items than `limit`, even none, and still have a `next_cursor`.',
    permission: 'devices.read',
    isPlanFree: true,
    query: schema.ListDevices,
    returns: { 200: Page(schema.DeviceView) },
    run: (context, { query }) => listDevices(context, query),
  }),
  operation({
    id: 'countDevices',
    route: 'GET /workspaces/:id/devices/count',
    summary: 'Count devices',
    description:
      'Counts the devices that the list returns with the same parameters. The work is bounded: a count that needs more is a lower bound.',
    permission: 'devices.read',
    isPlanFree: true,
    query: schema.CountDevices,
    returns: { 200: schema.DeviceCount },
    run: (context, { query }) => countDevices(context, query),
  }),
  operation({
    id: 'listDeviceFacets',
    route: 'GET /workspaces/:id/devices/facets',
    summary: 'List the values of a field of devices',
    description:
      'Returns the values that occur and the number of devices with each, so that a client can offer them for a filter. The names of tags and custom fields are the values of the fields `tags` and `custom_fields`. The work is bounded.',
    permission: 'devices.read',
    isPlanFree: true,
    query: schema.FacetQuery,
    returns: { 200: schema.DeviceFacets },
    run: (context, { query }) => listDeviceFacets(context, query),
  }),
  operation({
    id: 'getDevice',
    route: 'GET /workspaces/:id/devices/:device_id',
    summary: 'Get a device',
    permission: 'devices.read',
    isPlanFree: true,
    returns: { 200: schema.DeviceView },
    fails: ['device_not_found'],
    run: (context, { params }) => getDevice(context, params.device_id),
  }),
  operation({
    id: 'updateDevice',
    route: 'PATCH /workspaces/:id/devices/:device_id',
    summary: 'Change a device',
    description:
      'Only members in the body change. `tags`, `custom_fields` and `config` are merged (RFC 7396): null removes a member. The rules of another template also apply to a connected device.',
    permission: 'devices.write',
    body: schema.UpdateDevice,
    returns: { 200: schema.DeviceView },
    fails: ['device_not_found', 'precondition_failed'],
    example: { name: 'Kitchen, north', tags: { floor: null, room: 'kitchen' } },
    run: (context, { params, body }) => updateDevice(context, params.device_id, body),
  }),
  operation({
    id: 'deleteDevice',
    route: 'DELETE /workspaces/:id/devices/:device_id',
    summary: 'Delete a device',
    description:
      'Also deletes its credentials, presence and state, releases its claim, and ends live sessions. Its key can be reused. To keep the history of a device, decommission it instead.',
    permission: 'devices.delete',
    bucket: 'safety',
    returns: { 204: null },
    fails: ['device_not_found', 'precondition_failed'],
    run: (context, { params }) => deleteDevice(context, params.device_id),
  }),
  operation({
    id: 'listDeviceCredentials',
    route: 'GET /workspaces/:id/devices/:device_id/credentials',
    summary: 'List the credentials of a device',
    description:
      'Lists the valid passwords and tokens of the device with the time of their first use, those that a rotation has issued and that are not used yet, and whether the device must rotate. The secrets themselves are never returned.',
    permission: 'devices.read',
    isPlanFree: true,
    returns: { 200: schema.DeviceCredentialList },
    fails: ['device_not_found'],
    run: (context, { params }) => listCredentials(context, params.device_id),
  }),
  operation({
    id: 'resetDeviceCredentials',
    route: 'POST /workspaces/:id/devices/:device_id/credentials/reset',
    summary: "Reset a device's credentials",
    description:
      'For a compromised device: the old credentials become invalid immediately and live sessions end. For regular renewal, let the device or the factory rotate them.',
    permission: 'devices.secure',
    bucket: 'safety',
    returns: { 200: schema.ResetCredentials },
    fails: ['device_not_found', 'invalid_transition'],
    mayRepeat: mayRepeatSecrets,
    run: (context, { params }) => resetCredentials(context, params.device_id),
  }),
  operation({
    id: 'allowDeviceRotation',
    route: 'POST /workspaces/:id/devices/:device_id/credentials/allow-rotation',
    summary: 'Allow a provision key to renew the credentials of a claimed device',
    description:
      'For a claimed device that lost its credentials and registers with a key that has `on_known_device: rotate_unclaimed`. The permission lasts for 24 hours, and ends when the device first uses new credentials. The current credentials stay valid until then.',
    permission: 'devices.secure',
    returns: { 200: schema.RotationAllowance },
    fails: ['device_not_found', 'invalid_transition'],
    run: (context, { params }) => allowRotation(context, params.device_id),
  }),
]

export const groupedDeviceOperations = [
  operation({
    id: 'listDeviceGroupDevices',
    route: 'GET /workspaces/:id/device-groups/:group_id/devices',
    tag: 'Device groups',
    summary: 'List the devices of a group',
    description:
      'The same as the list of devices with the filter `group = <id>`, in the same order and with the same pages.',
    permission: 'devices.read',
    isPlanFree: true,
    query: Type.Object(pageQuery),
    returns: { 200: Page(schema.DeviceView) },
    fails: ['device_group_not_found'],
    run: (context, { params, query }) => listGroupDevices(context, params.group_id, query),
  }),
]
