/** The operations that publish a message, and that show published messages. */
import { operation, type Services } from '../../../context.ts'
import { operationOf } from '../../../platform/http/operation.ts'
import { publishMessage } from './message.ts'
import { describeTail, tailMessages, type TailServices } from './tail.ts'
import { MessageTail, PublishedMessage, PublishMessage, TailData, TailMessages } from './schema.ts'

const tailOperation = operationOf<Services & TailServices>()

export const mqttMessageOperations = [
  operation({
    id: 'publishMessage',
    route: 'POST /workspaces/:id/mqtt/publish',
    tag: 'MQTT',
    summary: 'Publish a message',
    description:
      'The message reaches subscribers on the embedded brokers of all processes within a second, and those on external brokers through their bridges. The rules of devices and principals do not apply to it, but it is limited to the topics of the workspace. Disconnected clients receive it only through a stored session, or if it is retained.',
    access: ['user', 'platform-key'],
    permission: 'mqtt.publish',
    body: PublishMessage,
    returns: { 202: PublishedMessage },
    example: { topic: 'acme/line-1/announcements', payload: { open: true }, qos: 1 },
    run: (context, { body }) => publishMessage(context, body),
  }),
  tailOperation({
    id: 'tailMessages',
    route: 'GET /workspaces/:id/mqtt/messages',
    tag: 'MQTT',
    summary: 'Watch messages',
    description:
      'Server-sent events: the messages that match a topic filter, as they are published by clients and by the service, on the embedded brokers of all processes and on external brokers that have a bridge. The stream begins with `ready`. A `message` shows at most the first 4 KiB of a payload, at most 50 messages a second are sent, and `skipped` counts the others. Configurations are shown only with `config`. Messages retained earlier are not sent, no message is repeated, and none is guaranteed: the stream is for troubleshooting. The audit log records the beginning and the end. Without `Accept: text/event-stream` the response describes what the stream would show.',
    access: ['user', 'platform-key'] as const,
    permission: 'mqtt.observe',
    query: TailMessages,
    returns: { 200: MessageTail },
    run: (context, { query }) => describeTail(context, query),
    live: {
      message: TailData,
      run: (context, { query }, stream) => tailMessages(context, query, stream),
    },
  }),
]
