/** Schemas of webhooks. */
import Type, { type Static } from 'typebox'
import type { ListFields } from '../../../platform/lib/list-filter.ts'
import { FilterText } from '../../common/filter-text.ts'
import { pageQuery } from '../../common/paging.ts'
import { Id, Nullable, TimeInput, Timestamp } from '../../common/shapes.ts'

const Url = Type.String({
  minLength: 1,
  maxLength: 2_048,
  description: 'Where events are sent to: https, and a host of the open Internet.',
})
const Description = Type.String({ maxLength: 200 })
const Types = Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
  minItems: 1,
  maxItems: 100,
  uniqueItems: true,
  description:
    'Only events of these types; `device.*` stands for all that begin so. Null: all of them.',
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
      description: 'Seconds for which the secret before signs too.',
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
    Type.String({
      description:
        '`asked`, `creator_lost_access`, or what its receiver did. Null while it is enabled.',
    }),
  ),
  disabled_at: Nullable(Timestamp),
  previous_secret_until: Nullable(
    Type.String({
      format: 'date-time',
      description: 'Until then the secret before signs too.',
    }),
  ),
  created_by: Type.String({ description: 'Id of the user or key that created it.' }),
  created_at: Timestamp,
  updated_at: Timestamp,
}
export const WebhookView = Type.Object(view, { title: 'Webhook' })
export type WebhookView = Static<typeof WebhookView>

export const WebhookWithSecret = Type.Object(
  {
    ...view,
    secret: Type.String({
      description: 'Signs what is sent (Standard Webhooks). It is shown this once.',
    }),
  },
  { title: 'WebhookWithSecret' },
)
export type WebhookWithSecret = Static<typeof WebhookWithSecret>

export const TestResult = Type.Object(
  {
    ok: Type.Boolean({ description: 'Whether it was answered with 2xx.' }),
    status: Nullable(Type.Integer({ description: 'Of the answer; null where there was none.' })),
    failure: Nullable(
      Type.Enum(['refused_target', 'unreachable', 'slow', 'malformed', 'tls'], {
        description: 'Why there was no answer.',
      }),
    ),
    body: Type.String({ description: 'The beginning of the answer.' }),
    took_ms: Type.Integer(),
  },
  { title: 'WebhookTest' },
)
export type TestResult = Static<typeof TestResult>

export const ListWebhooks = Type.Object(pageQuery)

const deliveryStates = ['waiting', 'delivered', 'dead'] as const
const DeliveryState = Type.Enum([...deliveryStates], {
  description:
    'waiting: for its next try, or behind an earlier event of its device. dead: it was given up.',
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

export const AttemptView = Type.Object(
  {
    at: Timestamp,
    url: Type.String(),
    headers: Type.Record(Type.String(), Type.String(), { description: 'As they were sent.' }),
    status: Nullable(Type.Integer({ description: 'Of the answer; null where there was none.' })),
    failure: Nullable(
      Type.Enum([...failures], {
        description: 'Why there was no answer, or nothing was sent.',
      }),
    ),
    answer: Type.String({ description: 'The beginning of the answer, 1 KiB at most.' }),
    took_ms: Type.Integer(),
  },
  { title: 'WebhookAttempt' },
)
export type AttemptView = Static<typeof AttemptView>

const delivery = {
  id: Id('dlv'),
  webhook_id: Id('whk'),
  event_id: Id('evt', 'Sent as `webhook-id`, the same at every try.'),
  type: Type.String(),
  device_id: Nullable(Id('dev', 'Events of one device are sent in their order.')),
  status: DeliveryState,
  tries: Type.Integer({ description: 'Since it was last asked for.' }),
  next_try_at: Nullable(
    Type.String({
      format: 'date-time',
      description: 'Null once it has ended, and while it waits behind another one.',
    }),
  ),
  last_attempt: Nullable(AttemptView),
}
export const DeliveryView = Type.Object(delivery, { title: 'WebhookDelivery' })
export type DeliveryView = Static<typeof DeliveryView>

export const DeliveryDetail = Type.Object(
  {
    ...delivery,
    attempts: Type.Array(AttemptView, { description: 'The last twenty, the oldest first.' }),
    body: Nullable(Type.String({ description: 'As it is sent. Null once the event is deleted.' })),
  },
  { title: 'WebhookDeliveryDetail' },
)
export type DeliveryDetail = Static<typeof DeliveryDetail>

const range = {
  types: Type.Optional(Types),
  status: Type.Optional(
    Type.Enum(['dead'], { description: 'Only dead letters. All of them, if left out.' }),
  ),
}
export const Redeliver = Type.Object({
  after: TimeInput('Only events of this time or later.'),
  until: Type.Optional(TimeInput('Only events of this time or earlier. Now, if left out.')),
  ...range,
})
export type Redeliver = Static<typeof Redeliver>

export const Redelivery = Type.Object(
  {
    webhook_id: Id('whk'),
    after: Timestamp,
    until: Timestamp,
    types: Nullable(Type.Array(Type.String())),
    status: Nullable(Type.String()),
  },
  { title: 'WebhookRedelivery' },
)
export type Redelivery = Static<typeof Redelivery>
