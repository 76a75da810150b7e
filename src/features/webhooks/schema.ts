/** Shapes of webhooks. */
import Type, { type Static } from 'typebox'
import { pageQuery } from '../paging.ts'
import { Id, Nullable, Timestamp } from '../shapes.ts'

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
    Type.String({ description: '`asked`, or what its receiver did. Null while it is enabled.' }),
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
