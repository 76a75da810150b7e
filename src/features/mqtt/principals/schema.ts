/** Schemas of MQTT principals and of responses with credentials. */
import Type, { type Static } from 'typebox'
import type { ListFields } from '../../../platform/lib/list-filter.ts'
import { DAY_S } from '../../../platform/lib/time.ts'
import { FilterText } from '../../common/filter-text.ts'
import { MqttCredentials } from '../../common/mqtt-credentials-shape.ts'
import { pageQuery } from '../../common/paging.ts'
import {
  Id,
  Name,
  NamedObject,
  Nullable,
  Text,
  Time,
  TimeInput,
  Timestamp,
} from '../../common/shapes.ts'

const Description = Type.String({
  maxLength: 500,
  pattern: '^[^\\u0000]*$',
  description: 'A text for people: the owner and purpose of the principal.',
})
const ExpiresAt = TimeInput(
  'The time of expiry. Live sessions end within a second, and the principal is refused.',
)
const RotationOverlap = Type.Integer({
  minimum: 60,
  maximum: 90 * DAY_S,
  description:
    'Seconds for which a rotated password that was not used yet is valid. The old password is valid until the first use of the new one.',
})

export const CreateMqttPrincipal = Type.Object({
  name: Name,
  description: Type.Optional(Description),
  expires_at: Type.Optional(ExpiresAt),
  rotation_overlap_s: Type.Optional(RotationOverlap),
})
export type CreateMqttPrincipal = Static<typeof CreateMqttPrincipal>

/** Null removes the expiry. */
export const UpdateMqttPrincipal = Type.Object({
  name: Type.Optional(Name),
  description: Type.Optional(Description),
  expires_at: Type.Optional(Nullable(ExpiresAt)),
  rotation_overlap_s: Type.Optional(RotationOverlap),
})
export type UpdateMqttPrincipal = Static<typeof UpdateMqttPrincipal>

const STATUSES = ['active', 'suspended', 'expired'] as const

const view = {
  id: Id('mqp', 'Also the MQTT user name.'),
  workspace_id: Id('ws'),
  name: Text('Unique in the workspace.'),
  description: Type.String(),
  status: Type.Enum([...STATUSES], {
    description: '`expired`: `expires_at` is in the past. Only an `active` principal can connect.',
  }),
  expires_at: Nullable(Timestamp),
  rotation_overlap_s: Type.Integer(),
  last_connected_at: Nullable(Timestamp),
  created_by: Text('Id of the user or key that created it.'),
  created_at: Timestamp,
  updated_at: Timestamp,
}

export const MqttPrincipalView = NamedObject('MqttPrincipal', view)
export type MqttPrincipalView = Static<typeof MqttPrincipalView>

export const CreatedMqttPrincipal = NamedObject('CreatedMqttPrincipal', {
  ...view,
  mqtt_credentials: MqttCredentials,
})
export type CreatedMqttPrincipal = Static<typeof CreatedMqttPrincipal>

export const ResetMqttPrincipal = NamedObject('MqttPrincipalCredentials', {
  principal_id: Id('mqp'),
  mqtt_credentials: MqttCredentials,
})
export type ResetMqttPrincipal = Static<typeof ResetMqttPrincipal>

export const RotatedMqttPrincipal = NamedObject('RotatedMqttPrincipal', {
  principal_id: Id('mqp'),
  mqtt_credentials: MqttCredentials,
  confirm_by: Time(
    'The first CONNECT with the new password before this time invalidates all others.',
  ),
})
export type RotatedMqttPrincipal = Static<typeof RotatedMqttPrincipal>

export const principalFields: ListFields = {
  name: { type: 'text' },
  created_by: { type: 'text' },
  status: { type: 'word', words: [...STATUSES] },
  expires_at: { type: 'time' },
  last_connected_at: { type: 'time' },
  created_at: { type: 'time' },
}

export const PrincipalPage = Type.Object({ ...pageQuery, filter: FilterText(principalFields) })
export type PrincipalPage = Static<typeof PrincipalPage>
