/** Operations on device groups. */
import { operation } from '../../../context.ts'
import { respond, idParam } from '../../../platform/http/operation.ts'
import { Page } from '../../common/paging.ts'
import {
  changeMembers,
  createDeviceGroup,
  deleteDeviceGroup,
  getDeviceGroup,
  listDeviceGroups,
  updateDeviceGroup,
} from './device-group.ts'
import {
  ChangedMembers,
  ChangeMembers,
  CreateDeviceGroup,
  DeviceGroupView,
  GroupPage,
  UpdateDeviceGroup,
} from './schema.ts'

const access = ['user', 'platform-key'] as const
const tag = 'Device groups'
const workspace = { id: idParam('ws', 'workspace_not_found') }
const group = { ...workspace, group_id: idParam('grp', 'device_group_not_found') }

export const deviceGroupOperations = [
  operation({
    id: 'createDeviceGroup',
    method: 'POST',
    path: '/workspaces/:id/device-groups',
    tag,
    summary: 'Create a device group',
    description:
      'With a `filter` the group is dynamic: it contains every device that matches the filter. Without a filter the group is static: devices are added and removed one by one. The kind of a group cannot change.',
    access,
    permission: 'devices.write',
    params: workspace,
    body: CreateDeviceGroup,
    returns: { 201: DeviceGroupView },
    fails: ['device_group_name_taken', 'limit_reached'],
    example: { name: 'Ground floor', filter: 'tags.floor = "ground" AND status = active' },
    async run(context, { body }) {
      const created = await createDeviceGroup(context, body)
      const location = `/workspaces/${created.workspace_id}/device-groups/${created.id}`
      return respond(201, created, { location, revision: 1 })
    },
  }),
  operation({
    id: 'listDeviceGroups',
    method: 'GET',
    path: '/workspaces/:id/device-groups',
    tag,
    summary: 'List device groups',
    description: 'Newest first.',
    access,
    permission: 'devices.read',
    isPlanFree: true,
    params: workspace,
    query: GroupPage,
    returns: { 200: Page(DeviceGroupView) },
    fails: ['invalid_cursor'],
    run: async (context, { query }) => respond(200, await listDeviceGroups(context, query)),
  }),
  operation({
    id: 'getDeviceGroup',
    method: 'GET',
    path: '/workspaces/:id/device-groups/:group_id',
    tag,
    summary: 'Get a device group',
    access,
    permission: 'devices.read',
    isPlanFree: true,
    params: group,
    returns: { 200: DeviceGroupView },
    fails: ['device_group_not_found'],
    async run(context, { params }) {
      const { view, revision } = await getDeviceGroup(context, params.group_id)
      return respond(200, view, { revision })
    },
  }),
  operation({
    id: 'updateDeviceGroup',
    method: 'PATCH',
    path: '/workspaces/:id/device-groups/:group_id',
    tag,
    summary: 'Change a device group',
    description: 'Only members in the body change.',
    access,
    permission: 'devices.write',
    params: group,
    body: UpdateDeviceGroup,
    returns: { 200: DeviceGroupView },
    fails: ['device_group_not_found', 'device_group_name_taken', 'precondition_failed'],
    example: { name: 'Ground floor, east' },
    async run(context, { params, body }) {
      const { view, revision } = await updateDeviceGroup(context, params.group_id, body)
      return respond(200, view, { revision })
    },
  }),
  operation({
    id: 'deleteDeviceGroup',
    method: 'DELETE',
    path: '/workspaces/:id/device-groups/:group_id',
    tag,
    summary: 'Delete a device group',
    description:
      "Its devices are kept. A group that another group's filter refers to cannot be deleted.",
    access,
    permission: 'devices.write',
    params: group,
    returns: { 204: null },
    fails: ['device_group_not_found', 'device_group_in_use', 'precondition_failed'],
    async run(context, { params }) {
      await deleteDeviceGroup(context, params.group_id)
      return respond(204, null)
    },
  }),
  operation({
    id: 'changeDeviceGroupMembers',
    method: 'POST',
    path: '/workspaces/:id/device-groups/:group_id/devices',
    tag,
    summary: 'Add or remove devices of a group',
    description: 'For static groups only. All changes are applied, or none.',
    access,
    permission: 'devices.write',
    params: group,
    body: ChangeMembers,
    returns: { 200: ChangedMembers },
    fails: ['device_group_not_found', 'device_group_has_filter', 'precondition_failed'],
    example: { add: ['dev_01h455vb4pex5vsknk084sn02q'], remove: [] },
    run: async (context, { params, body }) =>
      respond(200, await changeMembers(context, params.group_id, body)),
  }),
]
