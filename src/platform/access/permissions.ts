/**
 * The permission table: what each role may do in a workspace. The gate, the API reference and the
 * docs are built from it. A platform key has the rights of an admin, except those with
 * `platformKey: false`.
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

export const permissions = {
  'workspace.read': { roles: everyone, platformKey: true, may: 'read the workspace' },
  'workspace.write': { roles: admins, platformKey: true, may: 'change the workspace' },
  'workspace.secure': {
    roles: owners,
    platformKey: false,
    may: 'require a second factor of the members',
  },
  'workspace.delete': { roles: owners, platformKey: false, may: 'delete the workspace' },
  'members.read': { roles: everyone, platformKey: true, may: 'list the members' },
  'members.write': {
    roles: admins,
    platformKey: true,
    may: 'invite people, change their roles and remove them',
  },
  'admins.write': {
    roles: admins,
    platformKey: false,
    may: 'invite, make, change and remove an admin',
  },
  'owners.write': {
    roles: owners,
    platformKey: false,
    may: 'make, change and remove an owner',
  },
  'invitations.read': { roles: admins, platformKey: true, may: 'list invitations' },
  'api_keys.read': { roles: admins, platformKey: true, may: 'list API keys' },
  'api_keys.write': {
    roles: admins,
    platformKey: true,
    may: 'create, change and revoke API keys',
  },
  'templates.read': { roles: everyone, platformKey: true, may: 'read device templates' },
  'templates.write': {
    roles: staff,
    platformKey: true,
    may: 'create, change and delete device templates',
  },
  'devices.read': { roles: everyone, platformKey: true, may: 'read devices and their state' },
  'devices.write': {
    roles: staff,
    platformKey: true,
    may: 'create and change devices and their state',
  },
  'custom_fields.write': {
    roles: staff,
    platformKey: true,
    may: 'define, change and delete custom fields of devices',
  },
  'views.write': {
    roles: everyone,
    platformKey: true,
    may: 'save, change and delete views of the device list',
  },
  'views.share': {
    roles: staff,
    platformKey: true,
    may: 'share views of the device list',
  },
  'devices.delete': { roles: admins, platformKey: true, may: 'delete and decommission devices' },
  'devices.secure': {
    roles: staff,
    platformKey: true,
    may: 'approve, suspend and resume devices, reset their credentials and end their sessions',
  },
  'mqtt.read': {
    roles: everyone,
    platformKey: true,
    may: 'read MQTT principals and live connections',
  },
  'mqtt.write': {
    roles: admins,
    platformKey: true,
    may: 'create, change and delete MQTT principals, and give them credentials',
  },
  'mqtt.secure': {
    roles: staff,
    platformKey: true,
    may: 'suspend and resume MQTT principals, and end their sessions',
  },
  'mqtt_rules.write': {
    roles: staff,
    platformKey: true,
    may: 'change the MQTT rules that devices and principals have of their own',
  },
  'mqtt_rules.explain': {
    roles: everyone,
    platformKey: true,
    may: 'query the rights of an MQTT client, the deciding rule, and what other rules would change',
  },
  'mqtt.publish': {
    roles: staff,
    platformKey: true,
    may: 'publish MQTT messages below the slug of the workspace',
  },
  'mqtt.observe': {
    roles: staff,
    platformKey: true,
    may: 'watch the MQTT messages of the workspace',
  },
  'events.read': {
    roles: admins,
    platformKey: true,
    may: 'read the feed of events, and webhooks',
  },
  'webhooks.write': {
    roles: admins,
    platformKey: true,
    may: 'create, change and delete webhooks, and renew their secrets',
  },
  'domains.read': {
    roles: everyone,
    platformKey: true,
    may: 'read the domains and their certificates',
  },
  'domains.write': {
    roles: admins,
    platformKey: true,
    may: 'add, verify and delete domains, and change their certificates',
  },
  'billing.read': {
    roles: admins,
    platformKey: true,
    may: 'read the subscription, usage, balance and invoices',
  },
  'billing.write': {
    roles: owners,
    platformKey: false,
    may: 'choose the plan, and pay',
  },
  'audit.anchor': { roles: admins, platformKey: true, may: 'anchor the audit log' },
  'audit.read': { roles: admins, platformKey: true, may: 'read and verify the audit log' },
} as const satisfies Record<string, Holders>

export type Permission = keyof typeof permissions

export const roleHolds = (role: Role, permission: Permission): boolean =>
  permissions[permission].roles.includes(role)

/**
 * What it takes beyond `members.write` to give a role, or to change or remove someone who has it.
 * A platform key outlives the membership of its creator, so that it must not let them back in.
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
