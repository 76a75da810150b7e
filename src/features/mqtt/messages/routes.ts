/** The operation that publishes a message. */
import { operation } from '../../../context.ts'
import { respond, idParam } from '../../../platform/http/operation.ts'
import { publishMessage } from './message.ts'
import { PublishedMessage, PublishMessage } from './schema.ts'

export const mqttMessageOperations = [
  operation({
    id: 'publishMessage',
    method: 'POST',
    path: '/workspaces/:id/mqtt/publish',
    tag: 'MQTT',
    summary: 'Publish a message',
    description:
      'The message reaches subscribers on the embedded brokers of all processes, and on external brokers through their bridges, within a second. The rules of devices and principals do not apply to it, but it is limited to the topics of the workspace. Disconnected clients receive it only through a stored session, or if it is retained.',
    access: ['user', 'platform-key'],
    permission: 'mqtt.publish',
    params: { id: idParam('ws', 'workspace_not_found') },
    body: PublishMessage,
    returns: { 202: PublishedMessage },
    fails: [],
    example: { topic: 'acme/line-1/announcements', payload: { open: true }, qos: 1 },
    run: async (context, { body }) => respond(202, await publishMessage(context, body)),
  }),
]
