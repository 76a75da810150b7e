/** Schemas of API keys: requests, views, and the response with the secret. */
import Type, { type Static } from 'typebox'
import type { ListFields } from '../../../platform/lib/list-filter.ts'
import { FilterText } from '../../common/filter-text.ts'
import { pageQuery } from '../../common/paging.ts'
import { Id, Name, NamedObject, Nullable, Text, TimeInput, Timestamp } from '../../common/shapes.ts'

const KeyKind = Type.Enum(['platform', 'provision'])
const KeyAction = Type.Enum(['register', 'rotate'])

const TemplateIds = Type.Array(Id('tpl'), {
  minItems: 1,
  maxItems: 100,
  description: 'Provision keys: the templates that the key can register devices with.',
})
const Actions = Type.Array(KeyAction, {
  minItems: 1,
  maxItems: 2,
  uniqueItems: true,
  description: 'Provision keys: the allowed actions. Both by default.',
})
const ExpiresAt = TimeInput('Provision keys: the time of expiry. Platform keys do not expire.')
const DeviceQuota = Type.Integer({
  minimum: 1,
  maximum: 100_000_000,
  description:
    'Provision keys: the number of devices that the key can register. Retries and rotations do not count. Deleting a device does not restore the quota.',
})
const AllowedCidrs = Type.Array(Type.String({ maxLength: 49 }), {
  minItems: 1,
  maxItems: 50,
  description: 'Provision keys: the networks from which the key is accepted.',
})
const RatePerMin = Type.Integer({
  minimum: 1,
  maximum: 1_000_000,
  description: 'Provision keys: requests per minute, instead of the default limit.',
})
const OnKnownDevice = Type.Enum(['rotate', 'rotate_unclaimed', 'replay_only', 'refuse'], {
  description:
    'Provision keys: the result of a registration with the hardware id of an existing device. `rotate` returns the first response again, and new credentials once one of its secrets was used or a day has passed. `rotate_unclaimed` does the same, but returns new credentials for a claimed device only if staff allow it; this also applies to requests with `device_id`. `replay_only` returns only the first response. `refuse` refuses the request. In all cases a request with the same `Idempotency-Key` returns its first response until one of its secrets was used.',
})
const Approval = Type.Enum(['none', 'required'], {
  description:
    'Provision keys: whether MQTT refuses the devices registered with this key until a user approves them.',
})

export const CreateApiKey = Type.Object({
  key_kind: KeyKind,
  name: Type.Optional(Name),
  template_ids: Type.Optional(TemplateIds),
  actions: Type.Optional(Actions),
  expires_at: Type.Optional(ExpiresAt),
  device_quota: Type.Optional(DeviceQuota),
  allowed_cidrs: Type.Optional(AllowedCidrs),
  rate_per_min: Type.Optional(RatePerMin),
  on_known_device: Type.Optional(OnKnownDevice),
  approval: Type.Optional(Approval),
})
export type CreateApiKey = Static<typeof CreateApiKey>

/** Null removes a limit. */
export const UpdateApiKey = Type.Object({
  name: Type.Optional(Name),
  template_ids: Type.Optional(Nullable(TemplateIds)),
  actions: Type.Optional(Actions),
  expires_at: Type.Optional(Nullable(ExpiresAt)),
  device_quota: Type.Optional(Nullable(DeviceQuota)),
  allowed_cidrs: Type.Optional(Nullable(AllowedCidrs)),
  rate_per_min: Type.Optional(Nullable(RatePerMin)),
  on_known_device: Type.Optional(OnKnownDevice),
  approval: Type.Optional(Approval),
})
export type UpdateApiKey = Static<typeof UpdateApiKey>

const view = {
  id: Id('key'),
  workspace_id: Id('ws'),
  key_kind: KeyKind,
  name: Type.String(),
  key_hint: Text('Prefix and last four characters of the key.'),
  status: Type.Enum(['active', 'expired', 'revoked']),
  template_ids: Nullable(Type.Array(Id('tpl'))),
  actions: Nullable(Type.Array(KeyAction)),
  device_quota: Nullable(Type.Integer()),
  devices_registered: Nullable(
    Type.Integer(),
    'The number of devices registered since the quota was set. Null without a quota.',
  ),
  allowed_cidrs: Nullable(Type.Array(Type.String())),
  rate_per_min: Nullable(Type.Integer()),
  on_known_device: Nullable(OnKnownDevice),
  approval: Nullable(Approval),
  created_by: Text(
    'Id of the user or key that created it; `service` if the command line created it.',
  ),
  created_at: Timestamp,
  expires_at: Nullable(Timestamp),
  revoked_at: Nullable(Timestamp),
  last_used_at: Nullable(Timestamp),
  last_used_ip: Nullable(Type.String()),
}

export const ApiKeyView = NamedObject('ApiKey', view)
export type ApiKeyView = Static<typeof ApiKeyView>

export const CreatedApiKey = NamedObject('CreatedApiKey', {
  ...view,
  key: Text('The key itself. It is returned only once.'),
})
export type CreatedApiKey = Static<typeof CreatedApiKey>

export const apiKeyFields: ListFields = {
  key_kind: { type: 'word', words: ['platform', 'provision'] },
  name: { type: 'text' },
  created_by: { type: 'text' },
  status: { type: 'word', words: ['active', 'expired', 'revoked'] },
  created_at: { type: 'time' },
}

export const ListApiKeys = Type.Object({
  ...pageQuery,
  filter: FilterText(apiKeyFields),
  key_kind: Type.Optional(KeyKind),
})
