/**
 * Hints: that a resource of a workspace has changed, as small as a page needs it to read it again.
 * Hints are filtered by the permission to read their resource.
 */
import type { Permission } from '../../../platform/access/permissions.ts'
import type { EventType } from '../../../platform/record/event.ts'
import type { EventView } from '../feed/event-reading.ts'

/** All resources of a fleet, or all others of a workspace. */
export const scopes = ['fleet', 'workspace'] as const
export type Scope = (typeof scopes)[number]

export interface Hint {
  kind: string
  /** Public id; null for what there is once in a workspace. */
  id: string | null
  /** Streams that watch it receive the hint; without one, only those that watch the resource. */
  scope: Scope | undefined
  permission: Permission
  /** Streams that watch this device receive it, too. */
  deviceId: string | undefined
  /** The types of its events; none if a reading of the resource has changed. */
  events: readonly EventType[]
  data: Readonly<Record<string, unknown>>
}

type Prefix = EventType extends `${infer Name}.${string}` ? Name : never

interface Place {
  scope: Scope
  permission: Permission
  /** The member of an event's data that names the resource. */
  member: string | undefined
}

const fleet = (member: string, permission: Permission = 'devices.read'): Place => ({
  scope: 'fleet',
  permission,
  member,
})
const rest = (permission: Permission, member?: string): Place => ({
  scope: 'workspace',
  permission,
  member,
})

/** The resource of an event, by the first word of its type. */
const places: Readonly<Record<Prefix, Place>> = {
  device: fleet('device_id'),
  command: fleet('command_id'),
  claim: fleet('claim_id'),
  template: fleet('template_id', 'templates.read'),
  device_group: fleet('device_group_id'),
  job: fleet('job_id'),
  rotation_campaign: fleet('rotation_campaign_id'),
  mqtt_principal: rest('mqtt.read', 'principal_id'),
  workspace: rest('workspace.read', 'workspace_id'),
  member: rest('members.read', 'user_id'),
  api_key: rest('api_keys.read', 'api_key_id'),
  session: rest('events.read'),
  audit: rest('audit.read'),
  domain: rest('domains.read', 'domain_id'),
  certificate: rest('domains.read', 'domain_id'),
  usage: rest('billing.read'),
  subscription: rest('billing.read'),
  balance: rest('billing.read'),
  invoice: rest('billing.read', 'invoice_id'),
  payment: rest('billing.read', 'payment_id'),
  payment_method: rest('billing.read', 'payment_method_id'),
  webhook: rest('events.read', 'webhook_id'),
}

/**
 * The change of the resource, by the type of the event. The data of events is not for every role.
 */
const implied: Readonly<Partial<Record<EventType, Hint['data']>>> = {
  'device.connected': { presence: 'connected' },
  'device.disconnected': { presence: 'disconnected' },
  'device.activated': { status: 'active' },
  'device.suspended': { status: 'suspended' },
  'device.decommissioned': { status: 'decommissioned' },
  'device.deleted': { status: 'deleted' },
  'command.acknowledged': { status: 'acknowledged' },
  'command.failed': { status: 'failed' },
  'command.timed_out': { status: 'timed_out' },
  'job.completed': { status: 'completed' },
  'job.cancelled': { status: 'cancelled' },
  'job.failed': { status: 'failed' },
}

const textOr = <Other>(value: unknown, other: Other): string | Other =>
  typeof value === 'string' ? value : other

/** Undefined for a type of a later build. */
export function hintOf({ type, data: facts }: EventView): Hint | undefined {
  const data = facts as Readonly<Record<string, unknown>>
  const [kind = ''] = type.split('.')
  if (!Object.hasOwn(places, kind)) return undefined
  const { scope, permission, member } = places[kind as Prefix]
  const event = type as EventType
  return {
    kind,
    id: member === undefined ? null : textOr(data[member], null),
    scope,
    permission,
    deviceId: scope === 'fleet' ? textOr(data.device_id, undefined) : undefined,
    events: [event],
    data: implied[event] ?? {},
  }
}
