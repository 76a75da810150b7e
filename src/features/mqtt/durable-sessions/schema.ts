/** JSON that is stored of sessions and their messages. */
import Type, { type Static } from 'typebox'

const Qos = Type.Unsafe<0 | 1 | 2>(Type.Integer())

/** The stored form of `KeptSubscription` of the port. */
export const Subscriptions = Type.Array(
  Type.Object({
    topic: Type.String(),
    qos: Qos,
    noLocal: Type.Optional(Type.Boolean()),
    retainAsPublished: Type.Optional(Type.Boolean()),
    identifier: Type.Optional(Type.Integer()),
  }),
)

/** See `KeptWill`; bytes in base64. */
export const StoredWill = Type.Object({
  topic: Type.String(),
  payload: Type.String(),
  qos: Qos,
  properties: Type.String(),
  expiresAt: Type.Number(),
  retain: Type.Boolean(),
  responseTopic: Type.Optional(Type.String()),
  delay: Type.Number(),
  expiry: Type.Optional(Type.Number()),
})
export type StoredWill = Static<typeof StoredWill>

export const Identifiers = Type.Array(Type.Integer())
