/** The payments of a workspace, and the cards that they are charged to. */
import { useState } from 'react'
import type { Payment, PaymentMethod } from '../../../../sdk/schema.ts'
import { useChange, useList, useRead } from '../../api/hooks.ts'
import { moneyText } from '../../api/money.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
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
import { cardText, PaymentStatus } from './billing-words.tsx'
import { usePaying } from './paying.ts'

const columnsOf = (slug: string): readonly Column<Payment>[] => [
  { name: 'When', cell: ({ created_at }) => <Time at={created_at} /> },
  {
    name: 'For',
    cell: ({ invoice_id }) =>
      invoice_id === null ? (
        'the balance'
      ) : (
        <CellLink to={below(slug, `billing/invoices/${invoice_id}`)}>an invoice</CellLink>
      ),
  },
  { name: 'Amount', number: true, cell: ({ amount, currency }) => moneyText(amount, currency) },
  { name: 'Status', cell: PaymentStatus },
  { name: 'Why', wraps: true, cell: ({ failure }) => failure?.message ?? '' },
  { name: 'From', cell: ({ provider }) => provider },
  { name: 'By', wraps: true, cell: ({ created_by }) => <Who id={created_by} /> },
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
      title={`Remove ${cardText(card)}?`}
      act="Remove"
      busy={remove.isPending}
      problem={remove.error}
      onConfirm={() => remove.mutate({ params }, { onSuccess: onClose })}
      onClose={onClose}
    >
      Nothing more is charged to it.
    </ConfirmDialog>
  )
}

function Acts({ card }: { card: PaymentMethod }) {
  const [isRemoving, setRemoving] = useState(false)
  const blocked = useBlocked('updatePaymentMethod')
  const change = useChange('updatePaymentMethod', ['listPaymentMethods'])
  const params = { id: card.workspace_id, method_id: card.id }
  const done = { onSuccess: () => say(`${cardText(card)} is charged from now on`) }
  return (
    <Row>
      {change.error !== null && <ProblemNote problem={change.error} />}
      {!card.is_default && (
        <Button
          kind="quiet"
          blocked={blocked}
          busy={change.isPending}
          onClick={() => change.mutate({ params, body: { is_default: true } }, done)}
        >
          Make it the default
        </Button>
      )}
      <Button kind="quiet" blocked={blocked} onClick={() => setRemoving(true)}>
        Remove…
      </Button>
      {isRemoving && <Remove card={card} onClose={() => setRemoving(false)} />}
    </Row>
  )
}

const cardColumns: readonly Column<PaymentMethod>[] = [
  { name: 'Card', cell: cardText },
  {
    name: 'Valid until',
    cell: ({ exp_month, exp_year }) => `${String(exp_month).padStart(2, '0')}/${exp_year}`,
  },
  {
    name: 'Charged',
    cell: ({ is_default }) =>
      is_default ? <Badge tone="ok">by default</Badge> : <Muted>if it is named</Muted>,
  },
  { name: 'Added', cell: ({ created_at }) => <Time at={created_at} /> },
  { name: 'Acts', hidesName: true, stays: true, cell: (card) => <Acts card={card} /> },
]

export function Payments() {
  const { id, slug } = useWorkspace()
  const list = useList('listPayments', { params: { id }, query: { limit: 50 } }, { isLive: true })
  const cards = useRead('listPaymentMethods', { params: { id } }, { isLive: true })
  const adding = usePaying('method')
  return (
    <Stack>
      {adding.problem !== null && <ProblemNote problem={adding.problem} />}
      <Panel
        title="Cards"
        flush
        aside={
          <Button blocked={adding.blocked} busy={adding.busy} onClick={adding.go}>
            Add a card
          </Button>
        }
      >
        <Table
          label="Cards"
          columns={cardColumns}
          list={listOf(cards)}
          keyOf={(card) => card.id}
          empty={
            <Empty title="No cards">
              Without a card, invoices are paid as their instructions say.
            </Empty>
          }
        />
      </Panel>
      <Panel title="Payments" flush>
        <Table
          label="Payments"
          columns={columnsOf(slug)}
          list={list}
          keyOf={(payment) => payment.id}
          empty={<Empty title="No payments yet">Each attempt to pay appears here.</Empty>}
        />
      </Panel>
    </Stack>
  )
}
