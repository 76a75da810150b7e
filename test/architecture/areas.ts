/**
 * The areas of the product as data: the uses of each, and why. `test/architecture/imports.test.ts`
 * compares it with the imports. An area uses only areas below it in this list.
 */

export interface Area {
  /** Folder in `src/features`. */
  name: string
  /** Areas that its files import. Every area may import `common`. */
  uses: readonly string[]
  because: string
}

export const areas: readonly Area[] = [
  {
    name: 'operator',
    uses: ['billing', 'metering', 'workspaces', 'mqtt', 'team', 'identity', 'mail'],
    because: 'Operators see the whole installation; nothing else depends on what they see.',
  },
  {
    name: 'fleet',
    uses: ['devices', 'mqtt', 'team'],
    because: 'Provisioning, imports, jobs and campaigns change many devices with what they own.',
  },
  {
    name: 'billing',
    uses: ['workspaces', 'metering'],
    because: 'An invoice is computed from the usage and the plan of a workspace.',
  },
  {
    name: 'devices',
    uses: ['mobile', 'mqtt', 'events', 'team'],
    because:
      'A device has claims and MQTT rights, which its changes end; its state is streamed like events.',
  },
  {
    name: 'workspaces',
    uses: ['mobile', 'audit', 'mqtt', 'events', 'metering', 'team', 'identity', 'domains'],
    because:
      'Deleting a workspace, or removing a member, ends what belongs to it in all areas below.',
  },
  {
    name: 'mobile',
    uses: ['mqtt', 'team', 'identity'],
    because: 'A phone gets MQTT rights for the devices that it has claimed.',
  },
  {
    name: 'audit',
    uses: ['mqtt'],
    because: 'The log names MQTT clients by the identity that they connected with.',
  },
  {
    name: 'mqtt',
    uses: ['team', 'domains'],
    because: 'Connections are checked against the workspace, and reached by its domains.',
  },
  {
    name: 'events',
    uses: ['team', 'mail'],
    because: 'A webhook belongs to a workspace, whose owners get mail when it is disabled.',
  },
  {
    name: 'metering',
    uses: ['team', 'mail'],
    because: 'Owners get mail when usage reaches the limit of their plan.',
  },
  {
    name: 'team',
    uses: ['mail', 'identity'],
    because: 'A member is an account, and an invitation is sent by mail.',
  },
  {
    name: 'identity',
    uses: ['mail'],
    because: 'A change of a password or factor is reported by mail.',
  },
  { name: 'domains', uses: [], because: 'The owner of a domain does not depend on its use.' },
  { name: 'mail', uses: [], because: 'The outbox does not know what it sends.' },
]
