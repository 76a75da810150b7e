/** Operations on device groups. */
import { operationGroup } from '../../../context.ts'
import { Page } from '../../common/paging.ts'
import {
  changeMembers,
  createDeviceGroup,
  deleteDeviceGroup,
  getDeviceGroup,
  listDeviceGroups,
  updateDeviceGroup,
} from './device-group.ts'
import * as schema from './schema.ts'

const operation = operationGroup({ tag: 'Device groups', access: ['user', 'platform-key'] })

export const deviceGroupOperations = [
  operation({
    id: 'createDeviceGroup',
    route: 'POST /workspaces/:id/device-groups',
    summary: 'Create a device group',
    description:
      'With a `filter` the group is dynamic: it contains every device that matches the filter. Without a filter the group is static: devices are added and removed one by one. The kind of a group cannot change.',
    permission: 'devices.write',
    body: schema.CreateDeviceGroup,
    returns: { 201: schema.DeviceGroupView },
    fails: ['device_group_name_taken', 'limit_reached'],
    example: { name: 'Ground floor', filter: 'tags.floor = "ground" AND status = active' },
    created: { location: '/workspaces/{workspace_id}/device-groups/{id}', revision: 1 },
    run: (context, { body }) => createDeviceGroup(context, body),
  }),
  operation({
    id: 'listDeviceGroups',
    route: 'GET /workspaces/:id/device-groups',
    summary: 'List device groups',
    description: 'Newest first.',
    permission: 'devices.read',
    isPlanFree: true,
    query: schema.GroupPage,
    returns: { 200: Page(schema.DeviceGroupView) },
    run: (context, { query }) => listDeviceGroups(context, query),
  }),
  operation({
    id: 'getDeviceGroup',
    route: 'GET /workspaces/:id/device-groups/:group_id',
    summary: 'Get a device group',
    permission: 'devices.read',
    isPlanFree: true,
    returns: { 200: schema.DeviceGroupView },
    fails: ['device_group_not_found'],
    run: (context, { params }) => getDeviceGroup(context, params.group_id),
  }),
  operation({
    id: 'updateDeviceGroup',
    route: 'PATCH /workspaces/:id/device-groups/:group_id',
    summary: 'Change a device group',
    description: 'Only members in the body change.',
    permission: 'devices.write',
    body: schema.UpdateDeviceGroup,
    returns: { 200: schema.DeviceGroupView },
    fails: ['device_group_not_found', 'device_group_name_taken', 'precondition_failed'],
    example: { name: 'Ground floor, east' },
    run: (context, { params, body }) => updateDeviceGroup(context, params.group_id, body),
  }),
  operation({
    id: 'deleteDeviceGroup',
    route: 'DELETE /workspaces/:id/device-groups/:group_id',
    summary: 'Delete a device group',
    description:
      "Its devices are kept. A group that another group's filter refers to cannot be deleted.",
    permission: 'devices.write',
    returns: { 204: null },
    fails: ['device_group_not_found', 'device_group_in_use', 'precondition_failed'],
    run: (context, { params }) => deleteDeviceGroup(context, params.group_id),
  }),
  operation({
    id: 'changeDeviceGroupMembers',
    route: 'POST /workspaces/:id/device-groups/:group_id/devices',
    summary: 'Add or remove devices of a group',
    description: 'For static groups only. All changes are applied, or none.',
    permission: 'devices.write',
    body: schema.ChangeMembers,
    returns: { 200: schema.ChangedMembers },
    fails: ['device_group_not_found', 'device_group_has_filter', 'precondition_failed'],
    example: { add: ['dev_01h455vb4pex5vsknk084sn02q'], remove: [] },
    run: (context, { params, body }) => changeMembers(context, params.group_id, body),
  }),
]
