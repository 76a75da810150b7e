/**
 * The reads that a hint makes out of date. By type of event, or by kind of thing for what changes
 * without events. A test compares it with the types that there are.
 */
import type { Operations } from '../../../sdk/schema.ts'

/** The content of the service's `changed` messages. */
export interface Hint {
  kind: string
  id: string | null
  device_id?: string
  events: readonly string[]
}

type OperationId = keyof Operations
type Reads = readonly OperationId[]

const device: Reads = ['getDevice', 'listDevices', 'getOverview', 'getDeviceTimeline']
const credentials: Reads = ['getDevice', 'getDeviceTimeline', 'listDeviceCredentials']
const config: Reads = ['getDeviceConfig', 'listDeviceConfigVersions']
const connection: Reads = ['getConnectionLog', 'getDeviceTimeline', 'listConnections']
const notes: Reads = ['listDeviceNotes', 'getDeviceTimeline']
const commands: Reads = ['listCommands', 'getDeviceTimeline']
const jobs: Reads = ['getJob', 'listJobs', 'listJobItems']
const campaigns: Reads = [
  'getRotationCampaign',
  'listRotationCampaigns',
  'listRotationCampaignDevices',
]
const people: Reads = ['listMembers', 'listInvitations', 'getOverview', 'listActors']
const keys: Reads = ['listApiKeys', 'getApiKey', 'getOverview', 'listActors']
const templates: Reads = [
  'listDeviceTemplates',
  'getDeviceTemplate',
  'listTemplateVersions',
  'getOverview',
  'listActors',
]
const principals: Reads = ['listMqttPrincipals', 'getMqttPrincipal', 'listActors']
const workspace: Reads = ['getWorkspace', 'listWorkspaces']

/** By kind, for changes that have no events; several are merged with those of its events. */
export const readsOfKind: Readonly<Record<string, Reads>> = {
  device: [
    'getDevice',
    'getDeviceState',
    'listDeviceCredentials',
    ...config,
    ...connection,
    ...notes,
  ],
  command: commands,
  job: jobs,
  rotation_campaign: campaigns,
  webhook: ['listWebhookDeliveries', 'getWebhookDelivery', 'getWebhook'],
}

/** By type of event; `*` stands for all types with this beginning that are not named themselves. */
export const readsOfEvent: Readonly<Record<string, Reads>> = {
  'device.*': device,
  'device.registered': [...device, 'countDevices'],
  'device.deleted': [...device, 'countDevices', 'listActors'],
  'device.connected': [...device, ...connection, 'listDeviceCredentials'],
  'device.disconnected': [...device, ...connection],
  'device.updated': [...device, ...config, 'listActors'],
  'device.config_reported': [...config, 'getDeviceTimeline'],
  'device.acl_changed': ['listDeviceAcls', 'getDeviceTimeline'],
  'device.rotated': credentials,
  'device.rotation_asked': ['getDevice', 'getDeviceTimeline'],
  'device.rotation_allowed': ['getDevice', 'getDeviceTimeline'],
  'device.credentials_reset': credentials,
  'command.*': commands,
  'claim.*': ['listWorkspaceClaims'],
  'device.claimed': [...device, 'listWorkspaceClaims'],
  'device.released': [...device, 'listWorkspaceClaims'],
  'template.*': templates,
  'device_group.*': [
    'listDeviceGroups',
    'getDeviceGroup',
    'listDeviceGroupDevices',
    'countDevices',
    'listActors',
  ],
  'job.*': [...jobs, 'getOverview'],
  'rotation_campaign.*': [...campaigns, 'getOverview'],
  'mqtt_principal.*': principals,
  'mqtt_principal.acl_changed': ['listMqttPrincipalAcls'],
  'workspace.*': workspace,
  // The person who has deleted it reads what happens next; the page must not vanish.
  'workspace.deleted': [],
  'member.*': people,
  // Its role decides what somebody's open page lets them do.
  'member.updated': [...people, 'listWorkspaces'],
  'api_key.*': keys,
  'domain.*': ['listEndpoints', 'getOverview', 'listActors', 'listDomains', 'getDomain'],
  'certificate.*': [
    'listEndpoints',
    'getOverview',
    'listDomains',
    'getDomain',
    'getDomainCertificate',
    'getDomainCertificateOrder',
  ],
  'webhook.*': ['getOverview', 'listActors', 'listWebhooks', 'getWebhook', 'listWebhookDeliveries'],
  'subscription.*': ['getSubscription'],
  'balance.*': ['getBalance', 'listBalanceEntries'],
  'invoice.*': ['listInvoices', 'getInvoice', 'getBalance', 'listBalanceEntries'],
  'payment.*': ['getPayment', 'listPayments', 'getBalance', 'listInvoices', 'getInvoice'],
  'payment_method.*': ['listPaymentMethods'],
  'audit.*': ['listAuditAnchors'],
}

/** The operations that no page of the console shows. */
export const ignoredEvents = ['session.*', 'usage.*']

/** All reads that hints make again. */
export const liveReads: ReadonlySet<OperationId> = new Set([
  ...Object.values(readsOfKind).flat(),
  ...Object.values(readsOfEvent).flat(),
  'listAuditLog' as const,
])

export const patternOf = (type: string): string => `${type.split('.')[0]}.*`

/** The reads that a hint makes out of date; each event is also a line of the audit log. */
export function readsOf({ kind, events }: Hint): ReadonlySet<OperationId> {
  if (events.length === 0) return new Set(readsOfKind[kind])
  const named = events.flatMap((type) => readsOfEvent[type] ?? readsOfEvent[patternOf(type)] ?? [])
  return new Set<OperationId>(['listAuditLog', ...named])
}

const prefixOf = (id: string): string => id.slice(0, id.indexOf('_') + 1)

/**
 * Whether a read with these parameters of its path may show the thing: unless it names another one
 * of the same kind.
 */
export function mayShow(params: Readonly<Record<string, unknown>>, hint: Hint): boolean {
  const ids = [hint.id, hint.device_id].filter((id) => typeof id === 'string')
  return ids.every((id) =>
    Object.values(params).every(
      (value) => typeof value !== 'string' || prefixOf(value) !== prefixOf(id) || value === id,
    ),
  )
}
