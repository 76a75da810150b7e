/** A list of own rules: whose it is, and the operations that change it. */
import type { ReactNode } from 'react'
import type {
  Device,
  MqttAcl,
  MqttPrincipal,
  MqttRuleFinding,
  PreviewDeviceAcls,
} from '../../../../sdk/schema.ts'
import type { Question } from './Explain.tsx'
import { t } from './words.ts'

const ofDevices = {
  list: 'listDeviceAcls',
  create: 'createDeviceAcl',
  update: 'updateDeviceAcl',
  remove: 'deleteDeviceAcl',
  reorder: 'reorderDeviceAcls',
  preview: 'previewDeviceAcls',
} as const

const ofLogins = {
  list: 'listMqttPrincipalAcls',
  create: 'createMqttPrincipalAcl',
  update: 'updateMqttPrincipalAcl',
  remove: 'deleteMqttPrincipalAcl',
  reorder: 'reorderMqttPrincipalAcls',
  preview: 'previewMqttPrincipalAcls',
} as const

export interface RuleOwner {
  /** The id of the client. */
  client: string
  params: { id: string; device_id: string } | { id: string; principal_id: string }
  operations: typeof ofDevices | typeof ofLogins
  /** How its topics usually begin. */
  topic: string
  /** Of the list: what no own rule of a device decides, its template does. */
  title: string
  /** What applies where no rule of its own does. */
  otherwise: ReactNode
}

export const deviceOwner = (device: Device, slug: string): Omit<RuleOwner, 'otherwise'> => ({
  client: device.id,
  params: { id: device.workspace_id, device_id: device.id },
  operations: ofDevices,
  title: t('Own rules: the first match decides'),
  topic: `${slug}/${device.device_key}/`,
})

export const loginOwner = (login: MqttPrincipal, slug: string): RuleOwner => ({
  client: login.id,
  params: { id: login.workspace_id, principal_id: login.id },
  operations: ofLogins,
  title: t('Own rules: the first match decides, no match denies'),
  topic: `${slug}/`,
  otherwise: t('What no rule allows is denied: without rules it may connect, and nothing else.'),
})

/** What the first rule suggests to ask: about a topic that it matches. */
export function questionOf(
  rule: Wording | undefined,
  { slug, loginId, deviceKey }: Record<'slug' | 'loginId' | 'deviceKey', string>,
): Question {
  if (rule === undefined) return { action: 'publish', topic: '' }
  const topic = rule.topic
    .replace(/^\{slug\}/, slug)
    .replaceAll('{principal_id}', loginId)
    .replaceAll(/(?<=\/)\+/g, deviceKey)
    .replace(/(?<=\/)#$/, 'state')
  return { action: rule.action === 'subscribe' ? 'receive' : 'publish', topic }
}

/** `Rule 3 refuses no message`. */
export function findingTitle({ kind, rule: { position } }: MqttRuleFinding): string {
  const titles = {
    unreachable: t('Rule {position} never decides', { position }),
    shadowed: t('Rule {position} refuses no message', { position }),
    redundant: t('Rule {position} changes nothing', { position }),
  }
  return titles[kind]
}

export type Wording = Pick<MqttAcl, 'action' | 'topic' | 'permission'>

/** All rules as they would be, to ask what they would give and take. */
export const proposalOf = (rules: readonly Wording[]): PreviewDeviceAcls => ({
  rules: rules.map(({ action, topic, permission }) => ({ action, topic, permission })),
})

/** A copy in which an item has moved by one place. */
export function moved<Item>(items: readonly Item[], at: number, by: -1 | 1): Item[] {
  const others = items.toSpliced(at, 1)
  return others.toSpliced(at + by, 0, ...items.slice(at, at + 1))
}
