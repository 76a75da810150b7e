/** Schemas of accounts as operators see them. */
import Type, { type Static } from 'typebox'
import { roles } from '../../../platform/access/permissions.ts'
import { LinkedIdentity } from '../../common/linked-identity.ts'
import { Page, pageQuery } from '../../common/paging.ts'
import {
  Flag,
  Id,
  Integer,
  Name,
  NamedObject,
  Nullable,
  Text,
  Timestamp,
} from '../../common/shapes.ts'

export const ListAccounts = Type.Object({
  ...pageQuery,
  search: Type.Optional(
    Type.String({ minLength: 1, maxLength: 254, description: 'Part of an address or a name.' }),
  ),
})
export type ListAccounts = Static<typeof ListAccounts>

const members = {
  id: Id('usr'),
  email: Type.String(),
  name: Type.String(),
  status: Type.Enum(['active', 'disabled']),
  role: Nullable(Type.Enum(['operator'])),
  second_factor: Type.Boolean(),
  created_at: Timestamp,
}

export const AccountSummary = NamedObject('InstallationAccountSummary', {
  ...members,
  workspaces: Text('The slugs of its workspaces, with its roles.'),
})
export type AccountSummary = Static<typeof AccountSummary>
export const AccountPage = Page(AccountSummary)

const Membership = Type.Object({
  workspace_id: Id('ws'),
  slug: Type.String(),
  name: Type.String(),
  role: Type.Enum([...roles]),
  since: Timestamp,
})

export const AccountView = NamedObject('InstallationAccount', {
  ...members,
  authenticator: Type.Boolean(),
  passkeys: Type.Integer(),
  sessions: Integer('Sessions that have not ended.'),
  last_session_at: Nullable(Timestamp),
  initial_password: Flag('Whether the service made the password.'),
  identities: Type.Array(LinkedIdentity, {
    description: 'The identities of providers that sign in to it.',
  }),
  workspaces: Type.Array(Membership),
})
export type AccountView = Static<typeof AccountView>

export const NewAccount = Type.Object({
  email: Type.String({ minLength: 3, maxLength: 254 }),
  name: Type.Optional(Name),
})
export type NewAccount = Static<typeof NewAccount>

const link = {
  mailed: Flag('Whether the link is mailed to the address of the account, and to nobody else.'),
  url: Nullable(
    Type.String(),
    'The link, where no mail server is configured. It works once, for an hour.',
  ),
}

export const PasswordLink = NamedObject('PasswordLink', link)
export type PasswordLink = Static<typeof PasswordLink>

export const MadeAccount = NamedObject('MadeAccount', { id: Id('usr'), ...link })
export type MadeAccount = Static<typeof MadeAccount>

export const DisabledAccount = NamedObject('DisabledAccount', {
  ownerless: Type.Array(Type.String(), {
    description: 'Slugs of workspaces in which no owner can sign in any more.',
  }),
  keys: Type.Array(Type.Object({ slug: Type.String(), keys: Type.Integer() }), {
    description: 'Live API keys that the account has created: they continue working.',
  }),
})
export type DisabledAccount = Static<typeof DisabledAccount>

export const MAX_NAMES = 50

export const ListNames = Type.Object({
  ids: Type.String({
    default: '',
    maxLength: 2_048,
    description: `Ids of accounts and workspaces, separated by commas; at most ${MAX_NAMES}.`,
  }),
})

const Named = Type.Object({
  id: Text('The id as given: `usr_…` or `ws_…`.'),
  label: Text('The address of an account, the name of a workspace.'),
})

export const NameList = NamedObject('InstallationNames', {
  items: Type.Array(Named, { description: 'Without what has been erased.' }),
})
export type NameList = Static<typeof NameList>
