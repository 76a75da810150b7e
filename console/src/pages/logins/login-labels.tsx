/** MQTT logins in words. */
import type { MqttPrincipal } from '../../../../sdk/schema.ts'
import { Badge } from '../../kit/Badge.tsx'
import { t } from './translations.ts'

const tones = { active: 'ok', suspended: 'bad', expired: 'off' } as const

const words: Readonly<Record<MqttPrincipal['status'], string>> = {
  active: t('active'),
  suspended: t('suspended'),
  expired: t('expired'),
}

export const LoginStatus = ({ status }: Pick<MqttPrincipal, 'status'>) => (
  <Badge tone={tones[status]}>{words[status]}</Badge>
)

/** Path parameters of calls about a login. */
export const ofLogin = ({ workspace_id: id, id: principal_id }: MqttPrincipal) => ({
  id,
  principal_id,
})
