/** Issued invoices of all workspaces. */
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { InstallationInvoice } from '../../../../sdk/schema.ts'
import { useList } from '../../api/hooks.ts'
import { moneyText } from '../../api/money.ts'
import { Badge } from '../../kit/Badge.tsx'
import { Button } from '../../kit/Button.tsx'
import { DoneAction } from '../../kit/DialogActions.tsx'
import { Checkbox } from '../../kit/Field.tsx'
import { ListPage } from '../../kit/ListPage.tsx'
import { Dialog } from '../../kit/Overlay.tsx'
import type { Column } from '../../kit/Table.tsx'
import { Code } from '../../kit/Text.tsx'
import { useSearchState } from '../../session/search-state.ts'
import { dateText, InvoiceStatus } from '../billing/billing-labels.tsx'
import { t } from './translations.ts'

/** Money that came by a bank transfer is recorded where the service runs. */
function Receive({ number, status }: Pick<InstallationInvoice, 'number' | 'status'>) {
  const [isOpen, setOpen] = useState(false)
  if (status !== 'open' && status !== 'overdue') return null
  return (
    <>
      <Button kind="quiet" onClick={() => setOpen(true)}>
        {t('Record payment…')}
      </Button>
      <Dialog
        title={t('Record the payment of {number}', { number })}
        open={isOpen}
        onClose={() => setOpen(false)}
      >
        <p>
          {t(
            'Received money is recorded on the command line, with the reference of the bank transfer:',
          )}
        </p>
        <Code label={t('Command')} wraps>
          {`mooring billing mark-paid ${number} --reference REFERENCE`}
        </Code>
        <DoneAction onClose={() => setOpen(false)} />
      </Dialog>
    </>
  )
}

const columns: readonly Column<InstallationInvoice>[] = [
  { name: t('Invoice'), cell: ({ number }) => <code>{number}</code> },
  {
    name: t('Workspace'),
    cell: ({ workspace, workspace_id, is_deleted }) => (
      <>
        <Link to={`/installation/workspaces/${workspace_id}`}>{workspace}</Link>{' '}
        {is_deleted && <Badge tone="bad">{t('deleted')}</Badge>}
      </>
    ),
  },
  { name: t('Status'), cell: InvoiceStatus },
  { name: t('Customer'), wraps: true, cell: ({ customer }) => customer },
  { name: t('Issued'), cell: ({ issued_at }) => dateText(issued_at) },
  { name: t('Total'), number: true, cell: ({ total, currency }) => moneyText(total, currency) },
  {
    name: t('Amount due'),
    number: true,
    cell: ({ amount_due: due, currency }) => moneyText(due, currency),
  },
  { name: t('Due date'), cell: ({ due_at }) => dateText(due_at) },
  { name: t('Acts'), hidesName: true, stays: true, cell: (invoice) => <Receive {...invoice} /> },
]

/** The overdue amounts, for each currency. */
function overdueText(items: readonly InstallationInvoice[]): string {
  const sums = new Map<string, number>()
  for (const { status, amount_due: due, currency } of items) {
    if (status === 'overdue') sums.set(currency, (sums.get(currency) ?? 0) + due)
  }
  return [...sums].map(([currency, sum]) => moneyText(sum, currency)).join(' + ')
}

export default function InvoiceList() {
  const [{ due }, change] = useSearchState<{ due: string }>()
  const isDue = due === 'yes'
  const query = { limit: 100, ...(isDue && { due: true }) }
  const list = useList('listInstallationInvoices', { query })
  const overdue = list.hasNextPage ? '' : overdueText(list.items ?? [])
  return (
    <ListPage
      title={t('Invoices')}
      note={overdue && <Badge tone="bad">{t('{amount} overdue', { amount: overdue })}</Badge>}
      columns={columns}
      list={list}
      keyOf={({ number }) => number}
      head={
        <Checkbox
          label={t('Only unpaid and overdue')}
          checked={isDue}
          onValue={(only) => change({ due: only ? 'yes' : undefined })}
        />
      }
      empty={{
        title: t('No invoices'),
        text: t(
          'A workspace whose plan has a price gets one each month. Plans are in the file that MOORING_PLANS_FILE names.',
        ),
      }}
    />
  )
}
