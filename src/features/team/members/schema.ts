/** Schemas of members and invitations. */
import Type, { type Static } from 'typebox'
import { roles } from '../../../platform/access/permissions.ts'
import type { ListFields } from '../../../platform/lib/list-filter.ts'
import { DAY_S } from '../../../platform/lib/time.ts'
import { FilterText } from '../../common/filter-text.ts'
import { pageQuery } from '../../common/paging.ts'
import { consoleSession } from '../../common/console-session.ts'
import {
  Flag,
  Id,
  Name,
  NamedObject,
  NewPassword,
  Nullable,
  Text,
  Timestamp,
} from '../../common/shapes.ts'

const Role = Type.Enum([...roles])

export const MemberView = NamedObject('Member', {
  user_id: Id('usr'),
  email: Type.String(),
  name: Type.String(),
  role: Role,
  joined_at: Timestamp,
})

export const memberFields: ListFields = {
  email: { type: 'text' },
  name: { type: 'text' },
  role: { type: 'word', words: roles },
  joined_at: { type: 'time' },
}

export const ListMembers = Type.Object({ ...pageQuery, filter: FilterText(memberFields) })
export type ListMembers = Static<typeof ListMembers>

export const DEFAULT_INVITATION_SECONDS = 7 * DAY_S

export const CreateInvitation = Type.Object({
  email: Type.String({
    minLength: 3,
    maxLength: 254,
    description: 'Only the account with this address can accept. Case does not matter.',
  }),
  role: Role,
  expires_in_s: Type.Optional(
    Type.Integer({
      minimum: 3_600,
      maximum: 30 * DAY_S,
      default: DEFAULT_INVITATION_SECONDS,
      description: 'Lifetime of the invitation in seconds.',
    }),
  ),
})
export type CreateInvitation = Static<typeof CreateInvitation>

const statuses = ['pending', 'accepted', 'revoked', 'expired'] as const
const InvitationStatus = Type.Enum([...statuses])

export const InvitationView = NamedObject('Invitation', {
  id: Id('inv'),
  workspace_id: Id('ws'),
  email: Type.String(),
  role: Role,
  status: InvitationStatus,
  created_by: Text('Id of the user or key that sent it.'),
  accepted_by: Nullable(Id('usr')),
  created_at: Timestamp,
  expires_at: Timestamp,
  ended_at: Nullable(Timestamp),
})
export type InvitationView = Static<typeof InvitationView>

export const invitationFields: ListFields = {
  email: { type: 'text' },
  role: { type: 'word', words: roles },
  status: { type: 'word', words: statuses },
  created_by: { type: 'text' },
  created_at: { type: 'time' },
  expires_at: { type: 'time' },
}

export const ListInvitations = Type.Object({
  ...pageQuery,
  filter: FilterText(invitationFields),
  status: Type.Optional(InvitationStatus),
})
export type ListInvitations = Static<typeof ListInvitations>

export const AcceptInvitation = Type.Object({
  token: Type.String({ minLength: 1, maxLength: 200, description: 'The token from the e-mail.' }),
})

export const AcceptedInvitation = NamedObject('AcceptedInvitation', {
  invitation_id: Id('inv'),
  workspace_id: Id('ws'),
  user_id: Id('usr'),
  role: Role,
})
export type AcceptedInvitation = Static<typeof AcceptedInvitation>

export const LookAtInvitation = Type.Object({ token: AcceptInvitation.properties.token })

export const ShownInvitation = NamedObject('ShownInvitation', {
  email: Type.String(),
  workspace_name: Type.String(),
  role: Role,
  invited_by: Nullable(Type.String(), 'Null if an API key sent it.'),
  expires_at: Timestamp,
  has_account: Flag('Whether the address has an account.'),
})
export type ShownInvitation = Static<typeof ShownInvitation>

export const JoinByInvitation = Type.Object({
  token: AcceptInvitation.properties.token,
  name: Name,
  password: NewPassword,
})
export type JoinByInvitation = Static<typeof JoinByInvitation>

export const JoinedWorkspace = NamedObject('ConsoleSessionInWorkspace', {
  ...consoleSession,
  workspace_id: Id('ws'),
})
export type JoinedWorkspace = Static<typeof JoinedWorkspace>

export const InvitationLink = NamedObject('InvitationLink', {
  url: Type.String(),
  expires_at: Timestamp,
})
export type InvitationLink = Static<typeof InvitationLink>
