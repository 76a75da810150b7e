/** Operations on commands to devices. */
import { operationGroup } from '../../../context.ts'
import { Page } from '../../common/paging.ts'
import { cancelCommand } from './command-cancel.ts'
import { createCommand, getCommand, listCommands } from './command.ts'
import { CommandView, CreateCommand, ListCommands, WaitForCommand } from './schema.ts'

const operation = operationGroup({ tag: 'Devices', access: ['user', 'platform-key'] })

const path = '/workspaces/:id/devices/:device_id/commands'

export const deviceCommandOperations = [
  operation({
    id: 'createCommand',
    route: `POST ${path}`,
    summary: 'Send a command to a device',
    description:
      'The command is published to the topics `cmd` and `cmd/{name}` as soon as the device is subscribed, or the device fetches it over HTTP, until `timeout_s` has passed. A device has at most 100 open commands.',
    permission: 'devices.write',
    body: CreateCommand,
    returns: { 201: CommandView },
    fails: ['device_not_found', 'invalid_transition', 'limit_reached'],
    example: { name: 'reboot', payload: { delay_s: 5 }, timeout_s: 120 },
    created: { location: '/workspaces/{workspace_id}/devices/{device_id}/commands/{id}' },
    run: (context, { params, body }) => createCommand(context, params.device_id, body),
  }),
  operation({
    id: 'listCommands',
    route: `GET ${path}`,
    summary: 'List the commands of a device',
    description: 'Newest first. Commands are deleted 30 days after their end.',
    permission: 'devices.read',
    isPlanFree: true,
    query: ListCommands,
    returns: { 200: Page(CommandView) },
    fails: ['device_not_found'],
    run: (context, { params, query }) => listCommands(context, params.device_id, query),
  }),
  operation({
    id: 'getCommand',
    route: `GET ${path}/:command_id`,
    summary: 'Get a command, or wait for it',
    description:
      'With `wait`, responds as soon as the command has ended, or after that number of seconds.',
    permission: 'devices.read',
    isPlanFree: true,
    query: WaitForCommand,
    returns: { 200: CommandView },
    fails: ['device_not_found', 'command_not_found'],
    run: (context, { params, query }) =>
      getCommand(context, params.device_id, params.command_id, query.wait ?? 0),
  }),
  operation({
    id: 'cancelCommand',
    route: `DELETE ${path}/:command_id`,
    summary: 'Cancel a command',
    description: 'Only for pending commands: a sent command may have been executed already.',
    permission: 'devices.write',
    returns: { 204: null },
    fails: ['device_not_found', 'command_not_found', 'invalid_transition'],
    run: (context, { params }) => cancelCommand(context, params.device_id, params.command_id),
  }),
]
