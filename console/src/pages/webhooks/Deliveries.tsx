/** The deliveries of a webhook: each one with its attempts; one or a range of them sent again. */
import { Eye, RotateCw } from 'lucide-react'
import { useState } from 'react'
import type { Webhook, WebhookDelivery } from '../../../../sdk/schema.ts'
import { useList } from '../../api/hooks.ts'
import { Button, IconButton } from '../../kit/Button.tsx'
import { Muted, None, Panel, Small, Stack } from '../../kit/Layout.tsx'
import { below } from '../../kit/navigation.tsx'
import { Empty, ProblemNote } from '../../kit/Note.tsx'
import { type Column, Table, Tabs } from '../../kit/Table.tsx'
import { Piece, Time } from '../../kit/Text.tsx'
import { useSearchState } from '../../session/search-state.ts'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { Who } from '../../session/Who.tsx'
import { EventName } from '../events/EventName.tsx'
import { subjectOf } from '../events/event-labels.ts'
import { DeliveryDialog } from './DeliveryDialog.tsx'
import { RedeliverRange } from './RedeliverRange.tsx'
import { useRedelivery } from './redelivery.ts'
import type { SectionProps } from './WebhookPage.tsx'
import { DeliveryStatus, NextTry, ofWebhook, shortEndOf } from './webhook-labels.tsx'
import { rich, t } from './translations.ts'

/** For retries, which come without events. */
const SLOW_MS = 10_000

interface AgainProps {
  webhook: Webhook
  delivery: WebhookDelivery
}

function Again({ webhook, delivery }: AgainProps) {
  const { send, preview, problem, blocked } = useRedelivery(webhook, delivery)
  return (
    <>
      <IconButton
        label={t('Redeliver {id}', { id: delivery.id.slice(-6) })}
        icon={<RotateCw size={15} />}
        blocked={blocked}
        onClick={send}
        {...preview}
      />
      {problem !== null && <ProblemNote problem={problem} />}
    </>
  )
}

/** The subject of the event, as on the page of events. */
function Subject({ event, type, device_id }: WebhookDelivery) {
  const id = (event === null ? undefined : subjectOf(event)) ?? device_id
  if (id === null) return <None />
  return <Who id={id} kind={type.startsWith('invoice.') ? 'invoice' : undefined} />
}

function Attempts({ tries, last_attempt: last }: WebhookDelivery) {
  if (last === null) return <Muted>{t('none yet')}</Muted>
  return (
    <>
      {rich('{n}, last {time}', { n: tries, time: <Time at={last.at} /> })}{' '}
      <Small>
        <Piece>{shortEndOf(last)}</Piece>
      </Small>
    </>
  )
}

interface RowActs extends Omit<AgainProps, 'delivery'> {
  onShow: (delivery: WebhookDelivery) => void
}

const columnsOf = ({ onShow, ...acts }: RowActs): readonly Column<WebhookDelivery>[] => [
  { name: t('Happened'), cell: ({ event }) => event && <Time at={event.occurred_at} /> },
  { name: t('Event'), heads: true, wraps: true, cell: ({ type }) => <EventName type={type} /> },
  { name: t('Subject'), wraps: true, cell: Subject },
  { name: t('Status'), cell: DeliveryStatus },
  { name: t('Attempts'), wraps: true, cell: Attempts },
  {
    name: t('Next attempt'),
    saysName: true,
    wraps: true,
    // While all are held back, the note above says when the webhook tries again.
    cell: (delivery) =>
      acts.webhook.next_probe_at === null ? (
        <NextTry webhook={acts.webhook} delivery={delivery} />
      ) : (
        <None />
      ),
  },
  {
    name: t('Acts'),
    hidesName: true,
    stays: true,
    cell: (delivery) => (
      <>
        <IconButton
          label={t('Show delivery {id}', { id: delivery.id.slice(-6) })}
          icon={<Eye size={15} />}
          onClick={() => onShow(delivery)}
        />
        <Again {...acts} delivery={delivery} />
      </>
    ),
  },
]

const views = [
  [t('All'), undefined],
  [t('Waiting'), 'waiting'],
  [t('Given up'), 'dead'],
  [t('Delivered'), 'delivered'],
] as const

interface State extends Record<string, string> {
  status: string
  delivery: string
}

export function Deliveries({ webhook }: SectionProps) {
  const { slug } = useWorkspace()
  const [{ status: word, delivery: shown }, setState] = useSearchState<State>()
  const [hasRange, setRange] = useState(false)
  const params = ofWebhook(webhook)
  const status = views.map(([, each]) => each).find((each) => each !== undefined && each === word)
  const query = { limit: 50, ...(status !== undefined && { status }) }
  const options = { isLive: true, refetchInterval: SLOW_MS }
  const list = useList('listWebhookDeliveries', { params, query }, options)
  const blocked = useBlocked('redeliverWebhookEvents')
  const columns = columnsOf({
    webhook,
    onShow: ({ id }) => setState({ delivery: id }),
  })
  return (
    <Stack tight>
      <Tabs
        label={t('Which deliveries')}
        tabs={views.map(([label, each]) => ({
          label,
          isOpen: each === status,
          link: {
            to: below(slug, `webhooks/${webhook.id}`),
            search: (each === undefined ? {} : { status: each }) as never,
          },
        }))}
      />
      <Panel
        title={t('Deliveries')}
        aside={
          <Button icon={<RotateCw size={15} />} blocked={blocked} onClick={() => setRange(true)}>
            {t('Redeliver a range…')}
          </Button>
        }
        flush
      >
        <Table
          label={t('Deliveries')}
          columns={columns}
          list={list}
          keyOf={({ id }) => id}
          empty={
            <Empty
              title={status === undefined ? t('Nothing was sent yet') : t('None of that kind')}
            >
              {t('Each event that the webhook asks for appears here with its attempts.')}
            </Empty>
          }
        />
      </Panel>
      {hasRange && <RedeliverRange webhook={webhook} onClose={() => setRange(false)} />}
      {shown !== undefined && (
        <DeliveryDialog
          webhook={webhook}
          deliveryId={shown}
          onClose={() => setState({ delivery: undefined })}
        />
      )}
    </Stack>
  )
}
