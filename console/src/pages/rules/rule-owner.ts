/** A list of own rules: its owner, and the operations that change it. */
import type { ReactNode } from 'react'
import type { Device, MqttAcl, MqttPrincipal, PreviewDeviceAcls } from '../../../../sdk/schema.ts'
import type { Question } from './Explain.tsx'
import { t } from './translations.ts'

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
  /** The rules that apply where it has none of its own. */
  otherwise: ReactNode
  /** The rules that apply after its own. */
  afterwards: ReactNode
}

export const deviceOwner = (
  device: Device,
  slug: string,
): Omit<RuleOwner, 'otherwise' | 'afterwards'> => ({
  client: device.id,
  params: { id: device.workspace_id, device_id: device.id },
  operations: ofDevices,
  topic: `${slug}/${device.device_key}/`,
})

export const loginOwner = (login: MqttPrincipal, slug: string): RuleOwner => ({
  client: login.id,
  params: { id: login.workspace_id, principal_id: login.id },
  operations: ofLogins,
  topic: `${slug}/`,
  otherwise: t('What no rule allows is denied: without rules it may connect, and nothing else.'),
  afterwards: t('What no rule allows is denied.'),
})

/** The topic that the first rule suggests: one that it matches. */
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
