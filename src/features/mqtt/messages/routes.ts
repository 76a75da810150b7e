/** The operation that publishes a message. */
import { operation } from '../../../context.ts'
import { answer, idParam } from '../../../platform/http/operation.ts'
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
      'Reaches the subscribers on the embedded brokers of all processes, and on external ones through their bridges, within a second. It bypasses the rules of devices and principals, but is limited to the topics of the workspace. Disconnected clients only get it through a durable session, or if it is retained.',
    access: ['user', 'platform-key'],
    permission: 'mqtt.publish',
    params: { id: idParam('ws', 'workspace_not_found') },
    body: PublishMessage,
    returns: { 202: PublishedMessage },
    fails: [],
    example: { topic: 'acme/line-1/announcements', payload: { open: true }, qos: 1 },
    run: async (context, { body }) => answer(202, await publishMessage(context, body)),
  }),
]
