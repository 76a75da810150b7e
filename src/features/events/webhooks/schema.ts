/** Schemas of webhooks. */
import Type, { type Static } from 'typebox'
import type { ListFields } from '../../../platform/lib/list-filter.ts'
import { withDefault } from '../../../platform/lib/stored-json.ts'
import { BoundedCount } from '../../common/bounded-count.ts'
import { FilterText } from '../../common/filter-text.ts'
import { pageQuery } from '../../common/paging.ts'
import {
  Flag,
  Id,
  Integer,
  NamedObject,
  Nullable,
  Text,
  Time,
  TimeInput,
  Timestamp,
} from '../../common/shapes.ts'

const Url = Type.String({
  minLength: 1,
  maxLength: 2_048,
  description: 'The URL that receives events: https, with a public Internet host.',
})
const Description = Type.String({ maxLength: 200 })
const Types = Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
  minItems: 1,
  maxItems: 100,
  uniqueItems: true,
  description:
    'Only events of these types; `device.*` matches all types with this prefix. Null: all types.',
})
const Status = Type.Enum(['enabled', 'disabled'])

export const CreateWebhook = Type.Object({
  url: Url,
  description: Type.Optional(Nullable(Description)),
  types: Type.Optional(Nullable(Types)),
})
export type CreateWebhook = Static<typeof CreateWebhook>

export const UpdateWebhook = Type.Object({
  url: Type.Optional(Url),
  description: Type.Optional(Nullable(Description)),
  types: Type.Optional(Nullable(Types)),
  status: Type.Optional(Status),
})
export type UpdateWebhook = Static<typeof UpdateWebhook>

export const RotateSecret = Type.Object({
  overlap_s: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 604_800,
      default: 86_400,
      description: 'Seconds for which deliveries are also signed with the previous secret.',
    }),
  ),
})

const view = {
  id: Id('whk'),
  workspace_id: Id('ws'),
  url: Type.String(),
  description: Nullable(Type.String()),
  types: Nullable(Type.Array(Type.String())),
  status: Status,
  disabled_reason: Nullable(
    Type.String(),
    'The reason for disabling the webhook: `asked`, `creator_lost_access`, or a failure of the receiver. Null while it is enabled.',
  ),
  disabled_at: Nullable(Timestamp),
  failing_since: Nullable(
    Time(
      'The time since which every delivery has failed, if deliveries are paused for this reason: the time of the first of these failures. Earlier deliveries were not necessarily accepted. Null if deliveries are not paused, and while the webhook is disabled.',
    ),
  ),
  next_probe_at: Nullable(
    Time(
      'The time of the next attempt, with one delivery, at a paused receiver. Until it accepts one, the others are held back, regardless of their `next_try_at`. Null if deliveries are not paused.',
    ),
  ),
  previous_secret_until: Nullable(
    Time('The time until which deliveries are also signed with the previous secret.'),
  ),
  created_by: Text('Id of the user or key that created it.'),
  created_at: Timestamp,
  updated_at: Timestamp,
}
export const WebhookView = NamedObject('Webhook', view)
export type WebhookView = Static<typeof WebhookView>

export const WebhookWithSecret = NamedObject('WebhookWithSecret', {
  ...view,
  secret: Text('The key that signs deliveries (Standard Webhooks). It is returned only once.'),
})
export type WebhookWithSecret = Static<typeof WebhookWithSecret>

export const TestResult = NamedObject('WebhookTest', {
  ok: Flag('Whether the response had a 2xx status.'),
  status: Nullable(Type.Integer(), 'The status of the response. Null if there was none.'),
  failure: Nullable(
    Type.Enum(['refused_target', 'unreachable', 'slow', 'malformed', 'tls']),
    'The reason why there was no response.',
  ),
  body: Text('The beginning of the response.'),
  took_ms: Type.Integer(),
})
export type TestResult = Static<typeof TestResult>

export const ListWebhooks = Type.Object(pageQuery)

const deliveryStates = ['waiting', 'delivered', 'dead'] as const
const DeliveryState = Type.Enum([...deliveryStates], {
  description:
    'waiting: for its next attempt, or for an earlier event of its device. dead: no further attempts.',
})

const failures = [
  'refused_target',
  'unreachable',
  'slow',
  'malformed',
  'tls',
  'event_gone',
] as const

export const deliveryFields: ListFields = {
  status: { type: 'word', words: deliveryStates },
  type: { type: 'text' },
  event_id: { type: 'id', prefix: 'evt' },
  device_id: { type: 'id', prefix: 'dev' },
  'last_attempt.at': { type: 'time' },
  'last_attempt.status': { type: 'text' },
  'last_attempt.failure': { type: 'word', words: failures },
}

export const ListDeliveries = Type.Object({
  ...pageQuery,
  filter: FilterText(deliveryFields),
  status: Type.Optional(DeliveryState),
})
export type ListDeliveries = Static<typeof ListDeliveries>

export const AttemptView = NamedObject('WebhookAttempt', {
  at: Timestamp,
  url: Type.String(),
  headers: Type.Record(Type.String(), Type.String(), {
    description: 'The headers as they were sent.',
  }),
  status: Nullable(Type.Integer(), 'The status of the response. Null if there was none.'),
  failure: Nullable(
    Type.Enum([...failures]),
    'The reason why there was no response or no request was sent.',
  ),
  answer: Text('The beginning of the response, at most 1 KiB.'),
  took_ms: Type.Integer(),
})
export type AttemptView = Static<typeof AttemptView>

const { url, status, failure, answer, took_ms } = AttemptView.properties

/** One attempt, as stored. Times in milliseconds since the epoch. */
const Attempt = Type.Object({
  at: Type.Number(),
  url,
  signature: withDefault(Type.String(), ''),
  status: withDefault(status, null),
  failure: withDefault(failure, null),
  answer: withDefault(answer, ''),
  took_ms: withDefault(took_ms, 0),
})
export type Attempt = Static<typeof Attempt>
export const Attempts = Type.Array(Attempt)

/** An event in the form in which it is sent, which statements compose. */
export const SentEvent = Type.Object({
  type: Type.String(),
  /** Milliseconds since the epoch. */
  occurred_at: Type.Number(),
  data: Type.Record(Type.String(), Type.Unknown()),
  /** The trace in which the event was recorded, if there was one (W3C Trace Context). */
  traceparent: Type.Optional(Nullable(Type.String())),
})
export type SentEvent = Static<typeof SentEvent>

const delivery = {
  id: Id('dlv'),
  webhook_id: Id('whk'),
  event_id: Id('evt', 'Sent as `webhook-id`, the same in every attempt.'),
  type: Type.String(),
  device_id: Nullable(
    Id('dev', 'The device of the event. Events of one device are sent in order.'),
  ),
  event: Nullable(
    Type.Object({ occurred_at: Timestamp, data: Type.Object({}, { additionalProperties: true }) }),
    'The time and the data of the event. Null if the event was deleted.',
  ),
  status: DeliveryState,
  tries: Integer('The number of attempts since the delivery was last requested.'),
  next_try_at: Nullable(
    Time(
      'The time of the next attempt. Null after the end, and while it waits for another delivery.',
    ),
  ),
  last_attempt: Nullable(AttemptView),
}
export const DeliveryView = NamedObject('WebhookDelivery', delivery)
export type DeliveryView = Static<typeof DeliveryView>

export const DeliveryDetail = NamedObject('WebhookDeliveryDetail', {
  ...delivery,
  attempts: Type.Array(AttemptView, { description: 'The last 20 attempts, oldest first.' }),
  body: Nullable(Type.String(), 'The event as sent. Null if it was deleted.'),
})
export type DeliveryDetail = Static<typeof DeliveryDetail>

const range = {
  types: Type.Optional(Types),
  status: Type.Optional(
    Type.Enum(['dead'], { description: 'Only dead letters. Default: all events.' }),
  ),
}
export const Redeliver = Type.Object({
  after: TimeInput('Only events at or after this time.'),
  until: Type.Optional(TimeInput('Only events at or before this time. Default: the current time.')),
  ...range,
})
export type Redeliver = Static<typeof Redeliver>

export const RedeliverQuery = Type.Object({
  dry_run: Type.Optional(Flag('If true, counts the events, and redelivers nothing.')),
})

export const Redelivery = NamedObject('WebhookRedelivery', {
  webhook_id: Id('whk'),
  after: Timestamp,
  until: Timestamp,
  types: Nullable(Type.Array(Type.String())),
  status: Nullable(Type.String()),
  events: Type.Object(BoundedCount.properties, {
    description:
      'The current number of these events. At most 10,000 events of the range, of any type, are examined for it.',
  }),
})
export type Redelivery = Static<typeof Redelivery>
