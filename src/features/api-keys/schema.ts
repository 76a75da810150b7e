/** Shapes of API keys: what is asked for, what is shown, and what is shown once. */
import Type, { type Static } from 'typebox'
import { Id, Name, Nullable, Timestamp } from '../shapes.ts'

export const KeyKind = Type.Enum(['platform', 'provision'])
const KeyAction = Type.Enum(['register', 'rotate'])

export const CreateApiKey = Type.Object({
  key_kind: KeyKind,
  name: Type.Optional(Name),
  template_ids: Type.Optional(
    Type.Array(Id('tpl'), {
      minItems: 1,
      maxItems: 100,
      description: 'Provision keys: the only templates it may register from.',
    }),
  ),
  actions: Type.Optional(
    Type.Array(KeyAction, {
      minItems: 1,
      maxItems: 2,
      uniqueItems: true,
      description: 'Provision keys: what it may do. Both, if left out.',
    }),
  ),
  expires_at: Type.Optional(
    Type.String({
      format: 'date-time',
      maxLength: 40,
      description: 'Provision keys: refused from then on. Platform keys do not expire.',
    }),
  ),
  device_quota: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100_000_000,
      description: 'Provision keys: how many devices it may register. Retries do not count.',
    }),
  ),
  allowed_cidrs: Type.Optional(
    Type.Array(Type.String({ maxLength: 49 }), {
      minItems: 1,
      maxItems: 50,
      description: 'Provision keys: the only networks it may be used from.',
    }),
  ),
  rate_per_min: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description: 'Provision keys: calls a minute, instead of the usual limit.',
    }),
  ),
})
export type CreateApiKey = Static<typeof CreateApiKey>

export const RenameApiKey = Type.Object({ name: Name })
export type RenameApiKey = Static<typeof RenameApiKey>

const view = {
  id: Id('key'),
  workspace_id: Id('ws'),
  key_kind: KeyKind,
  name: Type.String(),
  key_hint: Type.String({ description: 'Prefix and last four characters of the key.' }),
  status: Type.Enum(['active', 'expired', 'revoked']),
  template_ids: Nullable(Type.Array(Id('tpl'))),
  actions: Nullable(Type.Array(KeyAction)),
  device_quota: Nullable(Type.Integer()),
  devices_registered: Nullable(
    Type.Integer({ description: 'Counted for keys that have a quota; else null.' }),
  ),
  allowed_cidrs: Nullable(Type.Array(Type.String())),
  rate_per_min: Nullable(Type.Integer()),
  created_by: Type.String({
    description: 'Id of the user or key that created it; `service` when the command line did.',
  }),
  created_at: Timestamp,
  expires_at: Nullable(Timestamp),
  revoked_at: Nullable(Timestamp),
  last_used_at: Nullable(Timestamp),
  last_used_ip: Nullable(Type.String()),
}

export const ApiKeyView = Type.Object(view, { title: 'ApiKey' })
export type ApiKeyView = Static<typeof ApiKeyView>

export const CreatedApiKey = Type.Object(
  {
    ...view,
    key: Type.String({ description: 'The key itself. It is shown this once.' }),
  },
  { title: 'CreatedApiKey' },
)
export type CreatedApiKey = Static<typeof CreatedApiKey>
