/** The payments of a workspace, and the cards that they are charged to. */
import { useState } from 'react'
import type { Payment, PaymentMethod } from '../../../../sdk/schema.ts'
import { useChange, useList, useRead } from '../../api/hooks.ts'
import { moneyText } from '../../api/money.ts'
import { useButtonCall, useNextCall } from '../../kit/ApiPane.tsx'
import { Badge } from '../../kit/Badge.tsx'
import { Button } from '../../kit/Button.tsx'
import { Muted, Panel, Row, Stack } from '../../kit/Layout.tsx'
import { below } from '../../kit/navigation.tsx'
import { Empty, ProblemNote } from '../../kit/Note.tsx'
import { ConfirmDialog, say } from '../../kit/Overlay.tsx'
import { CellLink, type Column, listOf, Table } from '../../kit/Table.tsx'
import { Time } from '../../kit/Text.tsx'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { Who } from '../../session/Who.tsx'
import { cardText, PaymentStatus } from './billing-labels.tsx'
import { useInstructions, usePaying } from './paying.ts'
import { t } from './translations.ts'

/** The charged amount. */
const sources: Readonly<Record<string, string>> = {
  stripe: t('Card, by Stripe'),
  balance: t('the balance'),
}

const columnsOf = (slug: string): readonly Column<Payment>[] => [
  { name: t('When'), cell: ({ created_at }) => <Time at={created_at} /> },
  {
    name: t('For'),
    cell: ({ invoice_id }) =>
      invoice_id === null ? (
        t('the balance')
      ) : (
        <CellLink to={below(slug, `billing/invoices/${invoice_id}`)}>{t('an invoice')}</CellLink>
      ),
  },
  { name: t('Amount'), number: true, cell: ({ amount, currency }) => moneyText(amount, currency) },
  { name: t('Status'), cell: PaymentStatus },
  { name: t('Why'), wraps: true, cell: ({ failure }) => failure?.message ?? '' },
  { name: t('From'), cell: ({ provider }) => sources[provider] ?? provider },
  { name: t('By'), wraps: true, cell: ({ created_by }) => <Who id={created_by} /> },
]

interface RemoveProps {
  card: PaymentMethod
  onClose: () => void
}

function Remove({ card, onClose }: RemoveProps) {
  const remove = useChange('deletePaymentMethod', ['listPaymentMethods'])
  const params = { id: card.workspace_id, method_id: card.id }
  useNextCall('deletePaymentMethod', { params })
  return (
    <ConfirmDialog
      title={t('Remove {card}?', { card: cardText(card) })}
      act={t('Remove')}
      busy={remove.isPending}
      problem={remove.error}
      onConfirm={() => remove.mutate({ params }, { onSuccess: onClose })}
      onClose={onClose}
    >
      {t('It is no longer charged.')}
    </ConfirmDialog>
  )
}

function Acts({ card }: { card: PaymentMethod }) {
  const [isRemoving, setRemoving] = useState(false)
  const blocked = useBlocked('updatePaymentMethod')
  const change = useChange('updatePaymentMethod', ['listPaymentMethods'])
  const params = { id: card.workspace_id, method_id: card.id }
  const input = { params, body: { is_default: true } } as const
  const preview = useButtonCall('updatePaymentMethod', input)
  const done = {
    onSuccess: () => say(t('{card} is charged from now on', { card: cardText(card) })),
  }
  return (
    <Row>
      {change.error !== null && <ProblemNote problem={change.error} />}
      {!card.is_default && (
        <Button
          kind="quiet"
          blocked={blocked}
          busy={change.isPending}
          onClick={() => change.mutate(input, done)}
          {...preview}
        >
          {t('Make it the default')}
        </Button>
      )}
      <Button kind="quiet" blocked={blocked} onClick={() => setRemoving(true)}>
        {t('Remove…')}
      </Button>
      {isRemoving && <Remove card={card} onClose={() => setRemoving(false)} />}
    </Row>
  )
}

const cardColumns: readonly Column<PaymentMethod>[] = [
  { name: t('Card'), cell: cardText },
  {
    name: t('Valid until'),
    cell: ({ exp_month, exp_year }) => `${String(exp_month).padStart(2, '0')}/${exp_year}`,
  },
  {
    name: t('Charged'),
    cell: ({ is_default }) =>
      is_default ? (
        <Badge tone="ok">{t('by default')}</Badge>
      ) : (
        <Muted>{t('only if chosen')}</Muted>
      ),
  },
  { name: t('Added'), cell: ({ created_at }) => <Time at={created_at} /> },
  { name: t('Acts'), hidesName: true, stays: true, cell: (card) => <Acts card={card} /> },
]

function Cards() {
  const { id } = useWorkspace()
  const cards = useRead('listPaymentMethods', { params: { id } }, { isLive: true })
  const adding = usePaying('method')
  return (
    <>
      {adding.problem !== null && <ProblemNote problem={adding.problem} />}
      <Panel
        title={t('Cards')}
        flush
        aside={
          <Button blocked={adding.blocked} busy={adding.busy} onClick={adding.go}>
            {t('Add a card')}
          </Button>
        }
      >
        <Table
          label={t('Cards')}
          columns={cardColumns}
          list={listOf(cards)}
          keyOf={(card) => card.id}
          empty={
            <Empty title={t('No cards')}>
              {adding.blocked ?? t('An open invoice is paid by card. None is charged by itself.')}
            </Empty>
          }
        />
      </Panel>
    </>
  )
}

export function Payments() {
  const { id, slug } = useWorkspace()
  const list = useList('listPayments', { params: { id }, query: { limit: 50 } }, { isLive: true })
  const { instructions } = useInstructions()
  return (
    <Stack>
      {instructions === null && <Cards />}
      <Panel title={t('Payments')} flush>
        <Table
          label={t('Payments')}
          columns={columnsOf(slug)}
          list={list}
          keyOf={(payment) => payment.id}
          empty={
            <Empty title={t('No payments yet')}>
              {typeof instructions === 'string'
                ? t(
                    'Payments from the balance appear here. What the operator records is shown by the invoice and the balance.',
                  )
                : t('Each attempt to pay appears here.')}
            </Empty>
          }
        />
      </Panel>
    </Stack>
  )
}
