/** Webhooks and their deliveries in words. */
import type { Webhook, WebhookAttempt, WebhookDelivery } from '../../../../sdk/schema.ts'
import { byHost } from '../../api/host.ts'
import { Badge } from '../../kit/Badge.tsx'
import { presentTime } from '../../kit/clock.ts'
import { None, Small } from '../../kit/Layout.tsx'
import { numberText, shortNumberText } from '../../kit/numbers.ts'
import { exactTime, Time } from '../../kit/Text.tsx'
import { rich, t } from './translations.ts'

/** Instructions for trying the code of a receiver. */
export const howToTry = t(
  'The program listens on port 8000, or on the port in the variable PORT, and prints each delivery. To try it: start it, enter its address as the URL of the webhook, and press “Test…”. An address that is not public has to be allowed by the operator (MOORING_WEBHOOK_ALLOWED_HOSTS).',
)

/** Path parameters of calls about a webhook. */
export const ofWebhook = ({ workspace_id: id, id: webhook_id }: Webhook) => ({ id, webhook_id })

export const nameOf = ({ url, description }: Pick<Webhook, 'url' | 'description'>): string =>
  byHost(description || url)

export function WebhookStatus({ status, disabled_reason, failing_since }: Webhook) {
  if (failing_since !== null) return <Badge tone="warn">{t('failing')}</Badge>
  if (status === 'enabled') return <Badge tone="ok">{t('enabled')}</Badge>
  if (disabled_reason === 'asked') return <Badge tone="off">{t('paused')}</Badge>
  return <Badge tone="bad">{t('disabled')}</Badge>
}

const disabled: Readonly<Record<string, string>> = {
  asked: t('Somebody has paused it.'),
  receiver_gone: t('Its receiver answered 410 Gone: it wants no more events.'),
  receiver_failing: t('Its receiver has accepted nothing for three days.'),
  creator_lost_access: t('The person who created it may no longer have webhooks here.'),
}

/** Why nothing is sent, or nothing accepted; nothing for one that works. */
export function reasonOf({ disabled_reason: reason, failing_since }: Webhook): string {
  if (failing_since !== null) {
    return t('No attempt since {time} has succeeded.', { time: exactTime(failing_since) })
  }
  return reason === null ? '' : (disabled[reason] ?? reason)
}

/** The same in a list, where times are short. */
export function ShortReason(webhook: Webhook) {
  const { failing_since } = webhook
  if (failing_since === null) return <>{reasonOf(webhook)}</>
  return rich('first failed {time}', { time: <Time at={failing_since} /> })
}

const failures: Readonly<Record<string, string>> = {
  refused_target: t('the URL is not allowed'),
  unreachable: t('it could not be reached'),
  slow: t('it took too long'),
  malformed: t('its response was not HTTP'),
  tls: t('its certificate is not valid'),
  event_gone: t('the event is no longer kept'),
}

/** `850 ms`, `12.6 s` */
export const tookText = (ms: number): string =>
  ms < 1000 ? `${numberText(ms)} ms` : `${shortNumberText(ms / 1000)} s`

/** How an attempt ended. */
export function endOf({ status, failure }: Pick<WebhookAttempt, 'status' | 'failure'>): string {
  if (status !== null) return t('answered {status}', { status })
  return failures[failure ?? ''] ?? t('no response')
}

/** The same, in short. */
export const shortEndOf = (attempt: WebhookAttempt | Omit<WebhookAttempt, 'headers' | 'answer'>) =>
  `${attempt.status ?? endOf(attempt)} · ${tookText(attempt.took_ms)}`

const tones = { waiting: 'warn', delivered: 'ok', dead: 'bad' } as const
const words = { waiting: t('waiting'), delivered: t('delivered'), dead: t('given up') }

/** A delivery that is due is tried as soon as its turn comes. */
const Due = ({ at }: { at: string }) =>
  Date.parse(at) <= presentTime() ? <>{t('due')}</> : <Time at={at} />

interface NextTryProps {
  webhook: Webhook
  delivery: Pick<WebhookDelivery, 'status' | 'next_try_at'>
}

/**
 * When a delivery is tried, or what holds it back: while all are paused, its own time says nothing.
 */
export function NextTry({ webhook, delivery }: NextTryProps) {
  if (delivery.status !== 'waiting') return <None />
  if (webhook.status === 'disabled')
    return <Small>{t('held back until the webhook is enabled')}</Small>
  if (webhook.next_probe_at !== null) return <Small>{t('held back')}</Small>
  const { next_try_at: next } = delivery
  return next === null ? <Small>{t('waits for an earlier delivery')}</Small> : <Due at={next} />
}

/** A delivery that waits without an attempt has not failed. */
export const DeliveryStatus = ({ status, tries }: Pick<WebhookDelivery, 'status' | 'tries'>) => (
  <Badge tone={status === 'waiting' && tries === 0 ? 'off' : tones[status]}>{words[status]}</Badge>
)
