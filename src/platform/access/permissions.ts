/**
 * The permission table: the permissions of each role in a workspace. The gate, the API reference
 * and the docs are built from it. A platform key has the rights of an admin, except those that only
 * people hold.
 */

export const roles = ['owner', 'admin', 'member', 'viewer'] as const
export type Role = (typeof roles)[number]

interface Holders {
  roles: readonly Role[]
  platformKey: boolean
  /** Completes the sentence "may …", for the docs. */
  may: string
}

const everyone: readonly Role[] = roles
const staff: readonly Role[] = ['owner', 'admin', 'member']
const admins: readonly Role[] = ['owner', 'admin']
const owners: readonly Role[] = ['owner']

const heldBy = (of: readonly Role[], may: string): Holders => ({
  roles: of,
  platformKey: true,
  may,
})

const heldByPeople = (of: readonly Role[], may: string): Holders => ({
  ...heldBy(of, may),
  platformKey: false,
})

export const permissions = {
  'workspace.read': heldBy(everyone, 'read the workspace'),
  'workspace.write': heldBy(admins, 'change the workspace'),
  'workspace.secure': heldByPeople(owners, 'require a second factor of the members'),
  'workspace.delete': heldByPeople(owners, 'delete the workspace'),
  'members.read': heldBy(everyone, 'list the members'),
  'members.write': heldBy(admins, 'invite people, change their roles and remove them'),
  'admins.write': heldByPeople(admins, 'invite, make, change and remove an admin'),
  'owners.write': heldByPeople(owners, 'make, change and remove an owner'),
  'invitations.read': heldBy(admins, 'list invitations'),
  'api_keys.read': heldBy(admins, 'list API keys'),
  'api_keys.write': heldBy(admins, 'create, change and revoke API keys'),
  'templates.read': heldBy(everyone, 'read device templates'),
  'templates.write': heldBy(staff, 'create, change and delete device templates'),
  'devices.read': heldBy(everyone, 'read devices and their state'),
  'devices.write': heldBy(staff, 'create and change devices and their state'),
  'custom_fields.write': heldBy(staff, 'define, change and delete custom fields of devices'),
  'views.write': heldBy(everyone, 'save, change and delete views of the device list'),
  'views.share': heldBy(staff, 'share views of the device list'),
  'devices.delete': heldBy(admins, 'delete and decommission devices'),
  'devices.secure': heldBy(
    staff,
    'approve, suspend and resume devices, reset their credentials and end their sessions',
  ),
  'mqtt.read': heldBy(everyone, 'read MQTT principals and live connections'),
  'mqtt.write': heldBy(
    admins,
    'create, change and delete MQTT principals, and give them credentials',
  ),
  'mqtt.secure': heldBy(staff, 'suspend and resume MQTT principals, and end their sessions'),
  'mqtt_rules.write': heldBy(
    staff,
    'change the MQTT rules that devices and principals have of their own',
  ),
  'mqtt_rules.explain': heldBy(
    everyone,
    'query the rights of an MQTT client, the deciding rule, and what other rules would change',
  ),
  'mqtt.publish': heldBy(staff, 'publish MQTT messages below the slug of the workspace'),
  'mqtt.observe': heldBy(staff, 'watch the MQTT messages of the workspace'),
  'events.read': heldBy(admins, 'read the feed of events, and webhooks'),
  'webhooks.write': heldBy(admins, 'create, change and delete webhooks, and renew their secrets'),
  'domains.read': heldBy(everyone, 'read the domains and their certificates'),
  'domains.write': heldBy(admins, 'add, verify and delete domains, and change their certificates'),
  'billing.read': heldBy(admins, 'read the subscription, usage, balance and invoices'),
  'billing.write': heldByPeople(owners, 'choose the plan, and pay'),
  'audit.anchor': heldBy(admins, 'anchor the audit log'),
  'audit.read': heldBy(admins, 'read and verify the audit log'),
} as const satisfies Record<string, Holders>

export type Permission = keyof typeof permissions

export const roleHolds = (role: Role, permission: Permission): boolean =>
  permissions[permission].roles.includes(role)

/**
 * The permission needed beyond `members.write` to give a role, or to change or remove someone who
 * has it. A platform key outlives the membership of its creator, so that it must not let them back
 * in.
 */
export const rolePermissions: Readonly<Record<Role, Permission | undefined>> = {
  owner: 'owners.write',
  admin: 'admins.write',
  member: undefined,
  viewer: undefined,
}

/**
 * The role with fewer rights; the gate applies it to the token's role and that of the current
 * membership.
 */
export const narrower = (one: Role, other: Role): Role =>
  roles.indexOf(one) > roles.indexOf(other) ? one : other
