/** The rules of publishing as the service. */
import type { Message } from '../../../adapters/broker/port.ts'
import { isTopicName } from '../../../adapters/broker/topics.ts'
import { type Context, originOf } from '../../../context.ts'
import { found, invalid } from '../../../platform/errors/errors.ts'
import { record } from '../../../platform/record/record.ts'
import { publishEverywhere } from './message-relay.ts'
import * as schema from './schema.ts'
import { slugOf } from './store.ts'

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/

function bytesOf({ payload, encoding }: schema.PublishMessage): Buffer {
  if (payload === undefined) throw invalid('/payload', 'is missing')
  if (encoding === 'json' || (encoding === undefined && typeof payload !== 'string')) {
    return Buffer.from(JSON.stringify(payload))
  }
  if (typeof payload !== 'string') throw invalid('/payload', 'must be a string in this encoding')
  if (encoding !== 'base64') return Buffer.from(payload)
  if (!BASE64.test(payload)) throw invalid('/payload', 'is not base64')
  return Buffer.from(payload, 'base64')
}

function requireTopic(topic: string, slug: string): void {
  if (!topic.startsWith(`${slug}/`)) {
    throw invalid('/topic', 'must begin with the slug of the workspace and a slash')
  }
  if (!isTopicName(topic)) {
    throw invalid('/topic', 'must be the name of a topic, without wildcards')
  }
  if (topic.split('/').length > schema.MAX_TOPIC_LEVELS) {
    throw invalid('/topic', `must have at most ${schema.MAX_TOPIC_LEVELS} levels`)
  }
}

/** The audit log records topic and size, never the payload. */
export async function publishMessage(
  context: Context,
  input: schema.PublishMessage,
): Promise<schema.PublishedMessage> {
  const { db, workspaceId } = context
  const { topic, qos = 0, retain = false } = input
  const payload = bytesOf(input)
  if (payload.length > schema.MAX_PAYLOAD_BYTES) {
    throw invalid('/payload', `must have at most ${schema.MAX_PAYLOAD_BYTES} bytes`)
  }
  const message = { topic, payload, qos: qos as Message['qos'], retain }
  const published = { topic, bytes: payload.length, qos, retain }
  return db.transaction(async (trx) => {
    const slug = found(await slugOf(trx, workspaceId), 'workspace_not_found')
    requireTopic(topic, slug)
    await publishEverywhere(context, trx, workspaceId, [message])
    await record(trx, originOf(context), {
      workspaceId,
      action: 'mqtt_message.published',
      data: published,
    })
    return published
  })
}
