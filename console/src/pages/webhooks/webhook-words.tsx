/** Webhooks and their deliveries in words. */
import type { Webhook, WebhookAttempt, WebhookDelivery } from '../../../../sdk/schema.ts'
import { Badge } from '../../kit/Badge.tsx'

/** Path parameters of calls about a webhook. */
export const ofWebhook = ({ workspace_id: id, id: webhook_id }: Webhook) => ({ id, webhook_id })

export const nameOf = ({ url, description }: Pick<Webhook, 'url' | 'description'>): string =>
  description || new URL(url).host

export const WebhookStatus = ({ status, disabled_reason }: Webhook) => (
  <Badge tone={status === 'enabled' ? 'ok' : disabled_reason === 'asked' ? 'off' : 'bad'}>
    {status === 'enabled' ? 'enabled' : disabled_reason === 'asked' ? 'paused' : 'disabled'}
  </Badge>
)

const disabled: Readonly<Record<string, string>> = {
  asked: 'Somebody has paused it.',
  receiver_gone: 'Its receiver answered 410 Gone: it wants no more events.',
  receiver_failing: 'Its receiver has accepted nothing for three days.',
  creator_lost_access: 'Whoever created it may not have webhooks here any more.',
}

/** Why it is disabled. */
export const reasonOf = ({ disabled_reason: reason }: Webhook): string =>
  reason === null ? '' : (disabled[reason] ?? reason)

const failures: Readonly<Record<string, string>> = {
  refused_target: 'the address is not allowed',
  unreachable: 'it could not be reached',
  slow: 'it took too long',
  malformed: 'it answered no HTTP',
  tls: 'its certificate is not valid',
  event_gone: 'the event is not kept any more',
}

/** How an attempt ended. */
export function endOf({ status, failure }: Pick<WebhookAttempt, 'status' | 'failure'>): string {
  if (status !== null) return `answered ${status}`
  return failures[failure ?? ''] ?? 'no answer'
}

const tones = { waiting: 'warn', delivered: 'ok', dead: 'bad' } as const
const words = { waiting: 'waiting', delivered: 'delivered', dead: 'given up' } as const

export const DeliveryStatus = ({ status }: Pick<WebhookDelivery, 'status'>) => (
  <Badge tone={tones[status]}>{words[status]}</Badge>
)
