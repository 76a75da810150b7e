/** Schemas of workspaces, and of what is in all of them, as operators see it. */
import Type, { type Static } from 'typebox'
import { roles } from '../../../platform/access/permissions.ts'
import { BoundedCount } from '../../common/bounded-count.ts'
import { Page, pageQuery } from '../../common/paging.ts'
import { Flag, Id, Integer, NamedObject, Nullable, Text, Timestamp } from '../../common/shapes.ts'

const search = Type.Optional(
  Type.String({ minLength: 1, maxLength: 120, description: 'Part of a slug or a name.' }),
)

export const ListTenants = Type.Object({ ...pageQuery, search })
export type ListTenants = Static<typeof ListTenants>

const members = {
  id: Id('ws'),
  slug: Type.String(),
  name: Type.String(),
  status: Type.Enum(['active', 'suspended', 'deleting']),
  members: Type.Integer(),
  devices: BoundedCount,
  plan: Nullable(Type.String(), 'The name of the plan in effect. Null if there are no plans.'),
  plan_is_default: Flag('Whether the plan was assigned by default and never chosen.'),
  created_at: Timestamp,
  erase_at: Nullable(Timestamp),
}

export const TenantSummary = NamedObject('InstallationWorkspaceSummary', members)
export type TenantSummary = Static<typeof TenantSummary>
export const TenantPage = Page(TenantSummary)

const Person = Type.Object({
  user_id: Id('usr'),
  email: Type.String(),
  role: Type.Enum([...roles]),
  status: Type.Enum(['active', 'disabled']),
})

export const TenantView = NamedObject('InstallationWorkspace', {
  ...members,
  mfa_required: Type.Boolean(),
  connected: BoundedCount,
  templates: Type.Integer(),
  api_keys: Integer('Keys that have neither expired nor been revoked.'),
  mqtt_principals: Type.Integer(),
  webhooks: Type.Integer(),
  webhooks_failing: Integer('Enabled webhooks whose receiver accepts nothing at present.'),
  domains: Type.Array(Type.String()),
  unverified_domains: Type.Array(Type.String(), {
    description: 'Those of them whose ownership is not proven, which therefore do not work.',
  }),
  people: Type.Array(Person, { description: 'Owners first; at most 200.' }),
})
export type TenantView = Static<typeof TenantView>

export const RestoredTenant = NamedObject('RestoredWorkspace', {
  has_owner: Flag('Whether an owner of it can sign in.'),
})
export type RestoredTenant = Static<typeof RestoredTenant>

export const ListOfAll = Type.Object(pageQuery)
export type ListOfAll = Static<typeof ListOfAll>

export const InvitationSummary = NamedObject('InstallationInvitation', {
  id: Id('inv'),
  workspace: Text('The slug of the workspace.'),
  email: Type.String(),
  role: Type.Enum([...roles]),
  status: Type.String(),
  created_by: Type.String(),
  created_at: Timestamp,
  expires_at: Timestamp,
  workspace_id: Id('ws'),
  mail: Nullable(
    Type.Enum(['queued', 'sent', 'kept', 'failed']),
    'Status of its e-mail while it is pending. Null if there is no e-mail.',
  ),
})
export type InvitationSummary = Static<typeof InvitationSummary>
export const InvitationPage = Page(InvitationSummary)

export const ListIssued = Type.Object({
  ...pageQuery,
  due: Type.Optional(Flag('Only those that are open or overdue.')),
})
export type ListIssued = Static<typeof ListIssued>

export const IssuedInvoice = NamedObject('InstallationInvoice', {
  number: Type.String(),
  workspace: Text('The slug of the workspace.'),
  workspace_id: Id('ws'),
  is_deleted: Flag('Whether the workspace is deleted.'),
  customer: Text('The first line of the address of the buyer.'),
  status: Type.Enum(['open', 'overdue', 'paid', 'void']),
  issued_at: Timestamp,
  due_at: Timestamp,
  currency: Type.String(),
  exponent: Integer('Decimal digits of the minor unit.'),
  amount: Integer('In minor units: the amount due, or the total of one that is paid or void.'),
  total: Integer('In minor units.'),
  amount_due: Integer('In minor units; 0 of one that is paid or void.'),
})
export type IssuedInvoice = Static<typeof IssuedInvoice>
export const IssuedPage = Page(IssuedInvoice)
