/** Schemas of messages published by staff and backends. */
import Type, { type Static } from 'typebox'

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
        'Whether the broker keeps the message for later subscribers. An empty payload deletes ' +
        'the retained message.',
    }),
  ),
})
export type PublishMessage = Static<typeof PublishMessage>

export const PublishedMessage = Type.Object(
  {
    topic: Type.String(),
    bytes: Type.Integer({ description: 'The size of the payload as delivered, in bytes.' }),
    qos: Type.Integer(),
    retain: Type.Boolean(),
  },
  { title: 'PublishedMessage' },
)
export type PublishedMessage = Static<typeof PublishedMessage>
