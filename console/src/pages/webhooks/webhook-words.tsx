/** Webhooks and their deliveries in words. */
import type { Webhook, WebhookAttempt, WebhookDelivery } from '../../../../sdk/schema.ts'
import { Badge } from '../../kit/Badge.tsx'
import { t } from './words.ts'

/** Path parameters of calls about a webhook. */
export const ofWebhook = ({ workspace_id: id, id: webhook_id }: Webhook) => ({ id, webhook_id })

export const nameOf = ({ url, description }: Pick<Webhook, 'url' | 'description'>): string =>
  description || new URL(url).host

export function WebhookStatus({ status, disabled_reason }: Webhook) {
  if (status === 'enabled') return <Badge tone="ok">{t('enabled')}</Badge>
  if (disabled_reason === 'asked') return <Badge tone="off">{t('paused')}</Badge>
  return <Badge tone="bad">{t('disabled')}</Badge>
}

const disabled: Readonly<Record<string, string>> = {
  asked: t('Somebody has paused it.'),
  receiver_gone: t('Its receiver answered 410 Gone: it wants no more events.'),
  receiver_failing: t('Its receiver has accepted nothing for three days.'),
  creator_lost_access: t('Whoever created it may not have webhooks here any more.'),
}

/** Why it is disabled. */
export const reasonOf = ({ disabled_reason: reason }: Webhook): string =>
  reason === null ? '' : (disabled[reason] ?? reason)

const failures: Readonly<Record<string, string>> = {
  refused_target: t('the address is not allowed'),
  unreachable: t('it could not be reached'),
  slow: t('it took too long'),
  malformed: t('it answered no HTTP'),
  tls: t('its certificate is not valid'),
  event_gone: t('the event is not kept any more'),
}

/** How an attempt ended. */
export function endOf({ status, failure }: Pick<WebhookAttempt, 'status' | 'failure'>): string {
  if (status !== null) return t('answered {status}', { status })
  return failures[failure ?? ''] ?? t('no answer')
}

const tones = { waiting: 'warn', delivered: 'ok', dead: 'bad' } as const
const words = { waiting: t('waiting'), delivered: t('delivered'), dead: t('given up') }

export const DeliveryStatus = ({ status }: Pick<WebhookDelivery, 'status'>) => (
  <Badge tone={tones[status]}>{words[status]}</Badge>
)
