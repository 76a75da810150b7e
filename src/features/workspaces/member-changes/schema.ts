/** Schemas of changing and removing members. */
import Type, { type Static } from 'typebox'
import { roles } from '../../../platform/access/permissions.ts'
import type { IdPrefix } from '../../../platform/lib/ids.ts'
import { Id, Integer, NamedObject, Timestamp } from '../../common/shapes.ts'

export const createdKinds = [
  'platform_keys',
  'provision_keys',
  'mqtt_principals',
  'webhooks',
] as const
export type CreatedKind = (typeof createdKinds)[number]

export const LoseAccess = Type.Object({
  keep: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: `The kinds of resources created by the member that stay, separated by commas: ${createdKinds
        .map((kind) => `\`${kind}\``)
        .join(', ')}. By default none stay.`,
    }),
  ),
})

export const DeleteAccount = Type.Object({
  confirm: Type.String({
    maxLength: 320,
    description: 'The address of the account, as confirmation.',
  }),
})

const RoleName = Type.Enum([...roles])

export const ChangeMember = Type.Object({ role: RoleName })

const Ids = (prefix: IdPrefix, description: string) => Type.Array(Id(prefix), { description })

/** The outcome for the resources that the member created, including resources of their keys. */
const created = {
  api_keys_revoked: Ids(
    'key',
    'Revoked keys: keys created by the member, and keys created with them.',
  ),
  api_keys_kept: Ids('key', 'Keys of the member that stay valid.'),
  mqtt_principals_suspended: Ids(
    'mqp',
    'Suspended principals: their sessions end, and their passwords are refused.',
  ),
  mqtt_principals_kept: Ids(
    'mqp',
    'Active principals, created by the member or by one of these keys, that stay.',
  ),
  webhooks_disabled: Ids(
    'whk',
    'Disabled webhooks. No events are sent to them until they are enabled again.',
  ),
  webhooks_kept: Ids(
    'whk',
    'Enabled webhooks, created by the member or by one of these keys, that stay.',
  ),
  invitations_revoked: Integer(
    'Pending invitations to the member, and pending invitations sent by the member or by a revoked key.',
  ),
}
export const CreatedResources = Type.Object(created)
export type CreatedResources = Static<typeof CreatedResources>

export const ChangedMember = NamedObject('ChangedMember', {
  user_id: Id('usr'),
  email: Type.String(),
  name: Type.String(),
  role: RoleName,
  joined_at: Timestamp,
  ...created,
})
export type ChangedMember = Static<typeof ChangedMember>

export const RemovedMember = NamedObject('RemovedMember', { user_id: Id('usr'), ...created })
export type RemovedMember = Static<typeof RemovedMember>
