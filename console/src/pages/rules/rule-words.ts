/** Rules in words. */
import type { MqttAcl } from '../../../../sdk/schema.ts'
import { t } from './words.ts'

export const actionWords: Readonly<Record<MqttAcl['action'], string>> = {
  publish: t('publish'),
  subscribe: t('subscribe'),
  pubsub: t('publish and subscribe'),
}

export const permissionWords: Readonly<Record<MqttAcl['permission'], string>> = {
  allow: t('allow'),
  deny: t('deny'),
}

export const permissions: readonly { value: MqttAcl['permission']; label: string }[] = [
  { value: 'allow', label: permissionWords.allow },
  { value: 'deny', label: permissionWords.deny },
]
