/** The operation that publishes a message. */
import { operation } from '../../../context.ts'
import { publishMessage } from './message.ts'
import { PublishedMessage, PublishMessage } from './schema.ts'

export const mqttMessageOperations = [
  operation({
    id: 'publishMessage',
    route: 'POST /workspaces/:id/mqtt/publish',
    tag: 'MQTT',
    summary: 'Publish a message',
    description:
      'The message reaches subscribers on the embedded brokers of all processes, and on external brokers through their bridges, within a second. The rules of devices and principals do not apply to it, but it is limited to the topics of the workspace. Disconnected clients receive it only through a stored session, or if it is retained.',
    access: ['user', 'platform-key'],
    permission: 'mqtt.publish',
    body: PublishMessage,
    returns: { 202: PublishedMessage },
    example: { topic: 'acme/line-1/announcements', payload: { open: true }, qos: 1 },
    run: (context, { body }) => publishMessage(context, body),
  }),
]
