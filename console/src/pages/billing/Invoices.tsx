/** The invoices of a workspace, newest month first. */
import type { InvoiceSummary } from '../../../../sdk/schema.ts'
import { useList } from '../../api/hooks.ts'
import { moneyText } from '../../api/money.ts'
import { Muted, None, Panel } from '../../kit/Layout.tsx'
import { below } from '../../kit/navigation.tsx'
import { Empty } from '../../kit/Note.tsx'
import { CellLink, type Column, Table } from '../../kit/Table.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { dateText, InvoiceStatus, monthOf, nameOf } from './billing-words.tsx'
import { t } from './words.ts'

const money = (amount: number | null, { currency }: InvoiceSummary) =>
  amount === null ? <Muted>–</Muted> : moneyText(amount, currency)

const columnsOf = (slug: string): readonly Column<InvoiceSummary>[] => [
  {
    name: t('Invoice'),
    cell: (invoice) => (
      <CellLink to={below(slug, `billing/invoices/${invoice.id}`)}>{nameOf(invoice)}</CellLink>
    ),
  },
  { name: t('Month'), cell: monthOf },
  { name: t('Status'), cell: InvoiceStatus },
  { name: t('Total'), number: true, cell: (invoice) => money(invoice.total, invoice) },
  { name: t('Due'), number: true, cell: (invoice) => money(invoice.amount_due, invoice) },
  {
    name: t('Due date'),
    cell: ({ due_at }) => (due_at === null ? <None /> : dateText(due_at)),
  },
]

export function Invoices() {
  const { id, slug } = useWorkspace()
  const list = useList('listInvoices', { params: { id }, query: { limit: 50 } }, { isLive: true })
  return (
    <Panel flush>
      <Table
        label={t('Invoices')}
        columns={columnsOf(slug)}
        list={list}
        keyOf={(invoice) => invoice.id}
        empty={
          <Empty title={t('No invoices yet')}>
            {t(
              'Each month with a price has one: a draft that grows until its end, then the invoice.',
            )}
          </Empty>
        }
      />
    </Panel>
  )
}
