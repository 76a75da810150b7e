/** Operations of a device on its own commands, for deployed firmware that cannot be changed. */
import { operation } from '../../../context.ts'
import { respond, sentIdParam } from '../../../platform/http/operation.ts'
import { ackOwnCommand, takeOwnCommands } from './own-command.ts'
import { AckCommand, AckedCommand, SentCommands } from './schema.ts'

const access = ['device'] as const
const tag = 'Devices themselves'

export const ownCommandOperations = [
  operation({
    id: 'takeOwnCommands',
    method: 'GET',
    path: '/devices/auth/commands',
    tag,
    summary: 'Get the open commands of the calling device',
    description:
      'For devices without MQTT. Pending commands become `sent` with this response. A command is returned again until the device has reported its result or its time is over, so execute each `id` only once.',
    access,
    unknownMembers: 'ignore',
    returns: { 200: SentCommands },
    fails: [],
    run: async (context) => respond(200, await takeOwnCommands(context)),
  }),
  operation({
    id: 'ackOwnCommand',
    method: 'POST',
    path: '/devices/auth/commands/:command_id/ack',
    tag,
    summary: 'Report the result of a command',
    description:
      'Reports whether the calling device has executed the command. The first report counts; repeating it changes nothing and returns the first one.',
    access,
    unknownMembers: 'ignore',
    idempotency: 'own',
    params: { command_id: sentIdParam('cmd', 'command_not_found') },
    body: AckCommand,
    returns: { 200: AckedCommand },
    fails: ['command_not_found', 'invalid_transition'],
    example: { ok: true, result: { took_ms: 12 } },
    run: async (context, { params, body }) =>
      respond(200, await ackOwnCommand(context, params.command_id, body)),
  }),
]
