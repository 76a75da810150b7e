/** A receiver that accepts nothing: its response, since when, and the remedy. */
import type { ReactNode } from 'react'
import type { Webhook, WebhookDelivery } from '../../../../sdk/schema.ts'
import { useList } from '../../api/hooks.ts'
import { Button, LinkButton } from '../../kit/Button.tsx'
import { presentTime } from '../../kit/clock.ts'
import { Row, Stack } from '../../kit/Layout.tsx'
import { below } from '../../kit/navigation.tsx'
import { Note, ProblemNote } from '../../kit/Note.tsx'
import { Time } from '../../kit/Text.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { useRedelivery } from './redelivery.ts'
import { ofWebhook, reasonOf } from './webhook-labels.tsx'
import { rich, t } from './translations.ts'

interface FailingProps {
  webhook: Webhook
}

interface Trouble {
  title: string
  /** The remedy. */
  step: string
}

const troubles: Readonly<Record<string, Trouble>> = {
  refused_target: {
    title: t('The URL of the webhook is not allowed'),
    step: t(
      'Change the URL in Settings, or ask the operator to allow this host (MOORING_WEBHOOK_ALLOWED_HOSTS).',
    ),
  },
  unreachable: {
    title: t('The receiver cannot be reached'),
    step: t(
      'Check host and port in the URL, that the host name has an address, and that the receiver runs and is open to the service.',
    ),
  },
  slow: {
    title: t('The receiver takes too long to answer'),
    step: t('Let it answer first, and do the work afterwards.'),
  },
  malformed: {
    title: t('The receiver does not answer with HTTP'),
    step: t('Check the port and the scheme of the URL.'),
  },
  tls: {
    title: t('The certificate of the receiver is not valid'),
    step: t('Renew it, or change the URL to a name for which it is valid.'),
  },
}

const unknown: Trouble = {
  title: t('The receiver accepts no events'),
  step: t('Look at the log of the receiver.'),
}

/** Without a delivery nothing is known. */
function troubleOf(tried: WebhookDelivery | undefined): Trouble {
  const attempt = tried?.last_attempt
  if (attempt == null) return { ...unknown, step: '' }
  const { status, failure } = attempt
  if (status === null) return troubles[failure ?? ''] ?? unknown
  return { ...unknown, title: t('The receiver answers {status}', { status }) }
}

/** An attempt begins before its failure is known. */
const EARLIER_MS = 60_000

/** The delivery with the newest attempt since it began to fail. */
function useLastTried(webhook: Webhook): WebhookDelivery | undefined {
  const since = new Date(Date.parse(webhook.failing_since ?? '') - EARLIER_MS).toISOString()
  const filter = `last_attempt.at >= "${since}"`
  const query = { status: 'waiting', filter, limit: 100 } as const
  const list = useList('listWebhookDeliveries', { params: ofWebhook(webhook), query })
  const at = ({ last_attempt }: WebhookDelivery): string => last_attempt?.at ?? ''
  return list.items?.toSorted((one, other) => at(one).localeCompare(at(other))).at(-1)
}

/** When it last accepted one, of those that are kept. */
function LastAccepted({ webhook }: FailingProps) {
  const query = { status: 'delivered', limit: 1 } as const
  const list = useList('listWebhookDeliveries', { params: ofWebhook(webhook), query })
  const [delivery] = list.items ?? []
  const at = delivery?.last_attempt?.at
  return at !== undefined && rich('It accepted the last one {time}.', { time: <Time at={at} /> })
}

const attemptAt = (at: string): ReactNode =>
  Date.parse(at) <= presentTime() ? t('now') : <Time at={at} />

/** Above what does not show the deliveries. */
export function FailingInShort({ webhook }: FailingProps) {
  const { slug } = useWorkspace()
  const link = (
    <LinkButton to={below(slug, `webhooks/${webhook.id}`)}>{t('See the deliveries')}</LinkButton>
  )
  const { title, step } = troubleOf(useLastTried(webhook))
  return (
    <Note tone="warn" title={title} action={link}>
      {step}
    </Note>
  )
}

/** Sends the delivery that was tried last once more, which ends the pause if it succeeds. */
function TryNow({ webhook, delivery }: FailingProps & { delivery: WebhookDelivery }) {
  const { slug } = useWorkspace()
  const again = useRedelivery(webhook, delivery)
  return (
    <Row>
      <Button blocked={again.blocked} busy={again.busy} onClick={again.send} {...again.preview}>
        {t('Try now')}
      </Button>
      <LinkButton to={below(slug, `webhooks/${webhook.id}`)} search={{ delivery: delivery.id }}>
        {t('See the last attempt')}
      </LinkButton>
      {again.problem !== null && <ProblemNote problem={again.problem} />}
    </Row>
  )
}

export function Failing({ webhook }: FailingProps) {
  const { next_probe_at: probe } = webhook
  const tried = useLastTried(webhook)
  const { title, step } = troubleOf(tried)
  return (
    <Note tone="warn" title={title} action={tried && <TryNow webhook={webhook} delivery={tried} />}>
      <Stack tight>
        <div>
          {reasonOf(webhook)} <LastAccepted webhook={webhook} />
        </div>
        <div>
          {step} {tried && t('Then press “Try now”: the next attempt is made at once.')}
        </div>
        <div>
          {t('Events wait, and are sent in order for each device.')}{' '}
          {probe !== null && rich('Next attempt: {time}.', { time: attemptAt(probe) })}{' '}
          {t('After three days without success the webhook is disabled.')}
        </div>
      </Stack>
    </Note>
  )
}
