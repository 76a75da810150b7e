/** A receiver that accepts nothing: what it answers, since when, and what to do. */
import type { Webhook, WebhookAttempt } from '../../../../sdk/schema.ts'
import { useList } from '../../api/hooks.ts'
import { Stack } from '../../kit/Layout.tsx'
import { Note } from '../../kit/Note.tsx'
import { Time } from '../../kit/Text.tsx'
import { Due, ofWebhook, reasonOf } from './webhook-words.tsx'
import { rich, t } from './words.ts'

interface FailingProps {
  webhook: Webhook
}

const troubles: Readonly<Record<string, string>> = {
  refused_target: t('The address of the receiver is not allowed'),
  unreachable: t('The receiver cannot be reached'),
  slow: t('The receiver takes too long to answer'),
  malformed: t('The receiver does not answer with HTTP'),
  tls: t('The certificate of the receiver is not valid'),
}

function troubleOf(attempt: WebhookAttempt | undefined): string {
  const status = attempt?.status ?? null
  if (status !== null) return t('The receiver answers {status}', { status })
  return troubles[attempt?.failure ?? ''] ?? t('The receiver accepts no events')
}

/** An attempt begins before its failure is known. */
const EARLIER_MS = 60_000

/** The newest attempt since it began to fail. */
function useLastAttempt(webhook: Webhook): WebhookAttempt | undefined {
  const since = new Date(Date.parse(webhook.failing_since ?? '') - EARLIER_MS).toISOString()
  const filter = `last_attempt.at >= "${since}"`
  const query = { status: 'waiting', filter, limit: 100 } as const
  const list = useList('listWebhookDeliveries', { params: ofWebhook(webhook), query })
  return (list.items ?? [])
    .flatMap(({ last_attempt }) => last_attempt ?? [])
    .toSorted((one, other) => one.at.localeCompare(other.at))
    .at(-1)
}

/** When it last accepted one: never, perhaps; unknown after too many that it has refused. */
function LastAccepted({ webhook }: FailingProps) {
  const query = { status: 'delivered', limit: 1 } as const
  const list = useList('listWebhookDeliveries', { params: ofWebhook(webhook), query })
  const [delivery] = list.items ?? []
  const at = delivery?.last_attempt?.at
  if (at !== undefined) return rich('It accepted the last one {time}.', { time: <Time at={at} /> })
  const isNever = list.items !== undefined && !list.hasNextPage
  return isNever && t('It has accepted none of the deliveries that are kept.')
}

export function Failing({ webhook }: FailingProps) {
  const { next_probe_at: probe } = webhook
  return (
    <Note tone="warn" title={troubleOf(useLastAttempt(webhook))}>
      <Stack tight>
        <div>
          {reasonOf(webhook)} <LastAccepted webhook={webhook} />
        </div>
        <div>
          {t('Events wait, and are sent in order for each device.')}{' '}
          {probe !== null &&
            rich('Next attempt, with one of them: {time}.', { time: <Due at={probe} /> })}
        </div>
        <div>
          {t(
            'Mend the receiver. Test… shows whether it answers; then Redeliver on any delivery makes the webhook try again at once.',
          )}{' '}
          {t('After three days without success the webhook is disabled.')}
        </div>
      </Stack>
    </Note>
  )
}
