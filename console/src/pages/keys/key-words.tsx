/** Words for API keys that several pages use. */
import type { ApiKey } from '../../../../sdk/schema.ts'
import { Badge } from '../../kit/Badge.tsx'

export const keyName = ({ name, key_hint }: Pick<ApiKey, 'name' | 'key_hint'>): string =>
  name === '' ? key_hint : name

const tones = { active: 'ok', expired: 'warn', revoked: 'off' } as const

export const KeyStatus = ({ status }: Pick<ApiKey, 'status'>) => (
  <Badge tone={tones[status]}>{status}</Badge>
)

/** How much of its quota a key has used. */
export function quotaInWords({ device_quota, devices_registered }: ApiKey): string {
  if (device_quota === null) return 'no limit'
  return `${devices_registered ?? 0} of ${device_quota}`
}
