/** The invoices of a workspace, newest month first. */
import type { InvoiceSummary } from '../../../../sdk/schema.ts'
import { useList, useRead } from '../../api/hooks.ts'
import { moneyText } from '../../api/money.ts'
import { LinkButton } from '../../kit/Button.tsx'
import { None, Panel, Small } from '../../kit/Layout.tsx'
import { below } from '../../kit/navigation.tsx'
import { Empty } from '../../kit/Note.tsx'
import { CellLink, type Column, Table } from '../../kit/Table.tsx'
import { Time } from '../../kit/Text.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { monthOf, nameOf } from '../../session/invoice-name.ts'
import { dateText, InvoiceStatus } from './billing-labels.tsx'
import { t } from './translations.ts'

const money = (amount: number | null, { currency }: InvoiceSummary) =>
  amount === null ? <None /> : moneyText(amount, currency)

/** A list leaves out what a draft comes to: that is computed when the invoice is read. */
function SoFar({ invoice: { id: invoice_id, currency } }: { invoice: InvoiceSummary }) {
  const { id } = useWorkspace()
  const { data } = useRead('getInvoice', { params: { id, invoice_id } })
  if (data === undefined) return null
  return (
    <>
      {moneyText(data.total, currency)} <Small>{t('so far')}</Small>
    </>
  )
}

const totalOf = (invoice: InvoiceSummary) =>
  invoice.status === 'draft' ? <SoFar invoice={invoice} /> : money(invoice.total, invoice)

/** The day, and how long ago it was where something is still to be paid. */
const dueDate = ({ due_at, status }: InvoiceSummary) =>
  due_at === null ? (
    <None />
  ) : (
    <>
      {dateText(due_at)}{' '}
      {status === 'overdue' && (
        <Small>
          <Time at={due_at} />
        </Small>
      )}
    </>
  )

const columnsOf = (slug: string): readonly Column<InvoiceSummary>[] => [
  {
    name: t('Invoice'),
    cell: (invoice) => (
      <CellLink to={below(slug, `billing/invoices/${invoice.id}`)}>{nameOf(invoice)}</CellLink>
    ),
  },
  { name: t('Month'), cell: monthOf },
  { name: t('Status'), ends: true, cell: InvoiceStatus },
  { name: t('Total'), number: true, cell: totalOf },
  { name: t('Amount due'), number: true, cell: (invoice) => money(invoice.amount_due, invoice) },
  { name: t('Due date'), cell: dueDate },
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
          <Empty
            title={t('No invoices yet')}
            action={
              <LinkButton to={below(slug, 'billing')} search={{ tab: 'plan' }}>
                {t('See the plans')}
              </LinkButton>
            }
          >
            {t(
              'Each month on a plan with a price has an invoice. Until the month ends it is a draft.',
            )}
          </Empty>
        }
      />
    </Panel>
  )
}
