/** Operations on commands to devices. */
import { operation } from '../../../context.ts'
import { respond, idParam } from '../../../platform/http/operation.ts'
import { Page } from '../../common/paging.ts'
import { cancelCommand, createCommand, getCommand, listCommands } from './command.ts'
import { CommandView, CreateCommand, ListCommands, WaitForCommand } from './schema.ts'

const access = ['user', 'platform-key'] as const
const tag = 'Devices'
const path = '/workspaces/:id/devices/:device_id/commands'
const device = {
  id: idParam('ws', 'workspace_not_found'),
  device_id: idParam('dev', 'device_not_found'),
}
const command = { ...device, command_id: idParam('cmd', 'command_not_found') }

export const deviceCommandOperations = [
  operation({
    id: 'createCommand',
    method: 'POST',
    path,
    tag,
    summary: 'Send a command to a device',
    description:
      'The command is published to the topics `cmd` and `cmd/{name}` as soon as the device is subscribed, or the device fetches it over HTTP, until `timeout_s` has passed. A device has at most 100 open commands.',
    access,
    permission: 'devices.write',
    params: device,
    body: CreateCommand,
    returns: { 201: CommandView },
    fails: ['device_not_found', 'invalid_transition', 'limit_reached'],
    example: { name: 'reboot', payload: { delay_s: 5 }, timeout_s: 120 },
    async run(context, { params, body }) {
      const created = await createCommand(context, params.device_id, body)
      const { workspace_id, device_id, id } = created
      const location = `/workspaces/${workspace_id}/devices/${device_id}/commands/${id}`
      return respond(201, created, { location })
    },
  }),
  operation({
    id: 'listCommands',
    method: 'GET',
    path,
    tag,
    summary: 'List the commands of a device',
    description: 'Newest first. Commands are deleted 30 days after their end.',
    access,
    permission: 'devices.read',
    isPlanFree: true,
    params: device,
    query: ListCommands,
    returns: { 200: Page(CommandView) },
    fails: ['device_not_found', 'invalid_cursor'],
    run: async (context, { params, query }) =>
      respond(200, await listCommands(context, params.device_id, query)),
  }),
  operation({
    id: 'getCommand',
    method: 'GET',
    path: `${path}/:command_id`,
    tag,
    summary: 'Get a command, or wait for it',
    description:
      'With `wait`, responds as soon as the command has ended, or after that number of seconds.',
    access,
    permission: 'devices.read',
    isPlanFree: true,
    params: command,
    query: WaitForCommand,
    returns: { 200: CommandView },
    fails: ['device_not_found', 'command_not_found'],
    async run(context, { params, query }) {
      const { device_id, command_id } = params
      return respond(200, await getCommand(context, device_id, command_id, query.wait ?? 0))
    },
  }),
  operation({
    id: 'cancelCommand',
    method: 'DELETE',
    path: `${path}/:command_id`,
    tag,
    summary: 'Cancel a command',
    description: 'Only for pending commands: a sent command may have been executed already.',
    access,
    permission: 'devices.write',
    params: command,
    returns: { 204: null },
    fails: ['device_not_found', 'command_not_found', 'invalid_transition'],
    async run(context, { params }) {
      await cancelCommand(context, params.device_id, params.command_id)
      return respond(204, null)
    },
  }),
]
