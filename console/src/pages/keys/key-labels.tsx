/** Labels of API keys that several pages use. */
import type { ApiKey } from '../../../../sdk/schema.ts'
import { Badge } from '../../kit/Badge.tsx'
import { numberText } from '../../kit/numbers.ts'
import { t } from './translations.ts'

export const keyName = ({ name, key_hint }: Pick<ApiKey, 'name' | 'key_hint'>): string =>
  name === '' ? key_hint : name

export const kindNames: Readonly<Record<ApiKey['key_kind'], string>> = {
  platform: t('platform'),
  provision: t('provision'),
}

const statusNames: Readonly<Record<ApiKey['status'], string>> = {
  active: t('active'),
  expired: t('expired'),
  revoked: t('revoked'),
}

const tones = { active: 'ok', expired: 'warn', revoked: 'off' } as const

export const KeyStatus = ({ status }: Pick<ApiKey, 'status'>) => (
  <Badge tone={tones[status]}>{statusNames[status]}</Badge>
)

/** How much of its quota a key has used. */
export function quotaInWords({ device_quota, devices_registered }: ApiKey): string {
  if (device_quota === null) return t('no limit')
  return t('{n} of {total}', {
    n: numberText(devices_registered ?? 0),
    total: numberText(device_quota),
  })
}
