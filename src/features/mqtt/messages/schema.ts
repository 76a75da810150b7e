/** Schemas of messages published by staff and backends, and of watching messages. */
import Type, { type Static } from 'typebox'
import { Flag, Integer, NamedObject, Nullable, Text, Timestamp } from '../../common/shapes.ts'

/** The embedded broker's limit for clients as well. */
export const MAX_TOPIC_LEVELS = 32
export const MAX_PAYLOAD_BYTES = 131_072

export const PublishMessage = Type.Object({
  topic: Type.String({
    minLength: 1,
    maxLength: 1_024,
    description: 'Begins with the slug of the workspace and a slash; 32 levels at most.',
  }),
  payload: Type.Unsafe<unknown>({
    description: 'A string, any JSON, or base64: see `encoding`. At most 128 KiB.',
  }),
  encoding: Type.Optional(
    Type.Enum(['text', 'json', 'base64'], {
      description:
        '`text`: the string itself. `json`: the JSON value, without spaces. `base64`: the decoded bytes of the string. By default a string is `text` and any other value is `json`.',
    }),
  ),
  qos: Type.Optional(Type.Integer({ minimum: 0, maximum: 2, default: 0 })),
  retain: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Whether the broker keeps the message for later subscribers. An empty payload deletes the retained message.',
    }),
  ),
})
export type PublishMessage = Static<typeof PublishMessage>

export const PublishedMessage = NamedObject('PublishedMessage', {
  topic: Type.String(),
  bytes: Integer('The size of the payload as delivered, in bytes.'),
  qos: Type.Integer(),
  retain: Type.Boolean(),
})
export type PublishedMessage = Static<typeof PublishedMessage>

/** Messages that one stream gets in a second. */
export const TAIL_RATE = 50
/** Bytes of a payload that are shown. */
export const TAIL_PAYLOAD_BYTES = 4_096

export const TailMessages = Type.Object({
  topic: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1_024,
      description:
        'A topic filter whose first level is the slug of the workspace. Default: all topics of the workspace.',
    }),
  ),
  config: Type.Optional(
    Flag(
      'Whether configurations are shown as well (`{slug}/{device_key}/config/#`), which may contain secrets. Default: false.',
    ),
  ),
})
export type TailMessages = Static<typeof TailMessages>

const watched = { topic: Text('The topic filter.'), config: Type.Boolean() }

export const MessageTail = NamedObject('MessageTail', watched)
export type MessageTail = Static<typeof MessageTail>

const message = {
  at: Timestamp,
  topic: Type.String(),
  broker: Text('`embedded`, or the name of an external broker.'),
  client: Nullable(
    Type.String(),
    'The id of the publisher: `dev_…`, `mqp_…`, `mqm_…`, or `service`. Null on an external broker, which does not say.',
  ),
  qos: Type.Integer(),
  retain: Type.Boolean(),
  bytes: Integer('The size of the payload.'),
  encoding: Type.Enum(['text', 'base64'], { description: '`base64` if it is no UTF-8 text.' }),
  payload: Text('At most its first 4,096 bytes.'),
}

export const ObservedMessage = Type.Object(message)
export type ObservedMessage = Static<typeof ObservedMessage>

/** Messages that one process has seen for another. */
export const TailBatch = Type.Object({
  messages: Type.Array(ObservedMessage),
  /** How many messages were left out. */
  skipped: Type.Integer(),
})
export type TailBatch = Static<typeof TailBatch>

/** The data of each type of message; a union would cost each serialization a validation. */
export const TailData = NamedObject('TailData', {
  ...Type.Partial(Type.Object({ ...watched, ...message })).properties,
  count: Type.Optional(Integer('Of `skipped`: how many messages were not sent.')),
})
