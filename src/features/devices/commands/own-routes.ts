/** Operations of a device on its own commands, for deployed firmware that cannot be changed. */
import { operationGroup } from '../../../context.ts'
import { ackOwnCommand, takeOwnCommands } from './own-command.ts'
import { AckCommand, AckedCommand, SentCommands } from './schema.ts'

const operation = operationGroup({
  tag: 'Devices themselves',
  access: ['device'],
  unknownMembers: 'ignore',
})

export const ownCommandOperations = [
  operation({
    id: 'takeOwnCommands',
    route: 'GET /devices/auth/commands',
    summary: 'Get the open commands of the calling device',
    description:
      'For devices without MQTT. Pending commands become `sent` with this response. A command is returned again until the device has reported its result or its time is over, so execute each `id` only once.',
    returns: { 200: SentCommands },
    run: (context) => takeOwnCommands(context),
  }),
  operation({
    id: 'ackOwnCommand',
    route: 'POST /devices/auth/commands/:command_id/ack',
    summary: 'Report the result of a command',
    description:
      'Reports whether the calling device has executed the command. The first report counts; repeating it changes nothing and returns the first one.',
    idempotency: 'own',
    body: AckCommand,
    returns: { 200: AckedCommand },
    fails: ['command_not_found', 'invalid_transition'],
    example: { ok: true, result: { took_ms: 12 } },
    run: (context, { params, body }) => ackOwnCommand(context, params.command_id, body),
  }),
]
