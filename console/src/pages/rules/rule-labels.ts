/** Rules in words. */
import type { MqttAcl } from '../../../../sdk/schema.ts'
import { t } from './translations.ts'

export const actionLabels: Readonly<Record<MqttAcl['action'], string>> = {
  publish: t('publish'),
  subscribe: t('subscribe'),
  pubsub: t('publish and subscribe'),
}

export const permissionLabels: Readonly<Record<MqttAcl['permission'], string>> = {
  allow: t('allow'),
  deny: t('deny'),
}

/** The topic of a rule, for people: with the slug of their workspace, as in what they type. */
export const shownTopic = (topic: string, slug: string): string => topic.replaceAll('{slug}', slug)

export const permissions: readonly { value: MqttAcl['permission']; label: string }[] = [
  { value: 'allow', label: permissionLabels.allow },
  { value: 'deny', label: permissionLabels.deny },
]
