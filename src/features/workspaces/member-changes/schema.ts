/** Schemas of changing and removing members. */
import Type, { type Static } from 'typebox'
import { roles } from '../../../platform/access/permissions.ts'
import type { IdPrefix } from '../../../platform/lib/ids.ts'
import { Id, Timestamp } from '../../common/shapes.ts'

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
      description: `What stays of what the person has created, separated by commas: ${createdKinds
        .map((kind) => `\`${kind}\``)
        .join(', ')}. Without it nothing does.`,
    }),
  ),
})
export type LoseAccess = Static<typeof LoseAccess>

const RoleName = Type.Enum([...roles])

export const ChangeMember = Type.Object({ role: RoleName })
export type ChangeMember = Static<typeof ChangeMember>

const Ids = (prefix: IdPrefix, description: string) => Type.Array(Id(prefix), { description })

/** What became of the things that the person had created, with their keys as well. */
const created = {
  api_keys_revoked: Ids(
    'key',
    'Keys that the person had created, and keys that were created with those.',
  ),
  api_keys_kept: Ids('key', 'Such keys that go on working.'),
  mqtt_principals_suspended: Ids('mqp', 'Their sessions are cut, and their passwords refused.'),
  mqtt_principals_kept: Ids('mqp', 'Active ones that the person or such a key had created.'),
  webhooks_disabled: Ids('whk', 'Nothing more is sent to them until they are enabled again.'),
  webhooks_kept: Ids('whk', 'Enabled ones that the person or such a key had created.'),
  invitations_revoked: Type.Integer({
    description:
      'Pending invitations of the member, and such that the member or one of the revoked keys had sent.',
  }),
}
export const CreatedThings = Type.Object(created)
export type CreatedThings = Static<typeof CreatedThings>

export const ChangedMember = Type.Object(
  {
    user_id: Id('usr'),
    email: Type.String(),
    name: Type.String(),
    role: RoleName,
    joined_at: Timestamp,
    ...created,
  },
  { title: 'ChangedMember' },
)
export type ChangedMember = Static<typeof ChangedMember>

export const RemovedMember = Type.Object(
  { user_id: Id('usr'), ...created },
  { title: 'RemovedMember' },
)
export type RemovedMember = Static<typeof RemovedMember>
