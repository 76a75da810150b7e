/** Lists the devices of a group. */
import Type from 'typebox'
import { operation } from '../../../context.ts'
import { answer, idParam } from '../../../platform/http/operation.ts'
import { Page, pageQuery } from '../../common/paging.ts'
import { listGroupDevices } from './device-group-list.ts'
import { DeviceView } from './schema.ts'

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
      answer(200, await listGroupDevices(context, params.group_id, query)),
  }),
]
