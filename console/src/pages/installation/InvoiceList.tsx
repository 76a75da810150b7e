/** Issued invoices of all workspaces. */
import type { InstallationInvoice } from '../../../../sdk/schema.ts'
import { useList } from '../../api/hooks.ts'
import { moneyText } from '../../api/money.ts'
import { Badge, type BadgeTone } from '../../kit/Badge.tsx'
import { Checkbox } from '../../kit/Field.tsx'
import { ListPage } from '../../kit/ListPage.tsx'
import type { Column } from '../../kit/Table.tsx'
import { Id, Time } from '../../kit/Text.tsx'
import { useSearchState } from '../../session/search-state.ts'

const tones: Readonly<Record<InstallationInvoice['status'], BadgeTone>> = {
  open: 'info',
  overdue: 'bad',
  paid: 'ok',
  void: 'off',
}

const columns: readonly Column<InstallationInvoice>[] = [
  { name: 'Number', cell: ({ number }) => <code>{number}</code> },
  {
    name: 'Workspace',
    cell: ({ workspace, is_deleted }) => (
      <>
        <Id>{workspace}</Id> {is_deleted && <Badge tone="bad">deleted</Badge>}
      </>
    ),
  },
  { name: 'Status', cell: ({ status }) => <Badge tone={tones[status]}>{status}</Badge> },
  { name: 'Due', cell: ({ due_at }) => <Time at={due_at} /> },
  { name: 'Amount', number: true, cell: ({ amount, currency }) => moneyText(amount, currency) },
]

export default function InvoiceList() {
  const [{ due }, change] = useSearchState<{ due: string }>()
  const isDue = due === 'yes'
  const query = { limit: 100, ...(isDue && { due: true }) }
  return (
    <ListPage
      title="Invoices"
      columns={columns}
      list={useList('listInstallationInvoices', { query })}
      keyOf={({ number }) => number}
      head={
        <Checkbox
          label="Only those that are open or overdue"
          checked={isDue}
          onValue={(only) => change({ due: only ? 'yes' : undefined })}
        />
      }
      empty={{
        title: 'No invoices',
        text: 'A workspace with a plan gets one each month. Plans are in the file that MOORING_PLANS_FILE names.',
      }}
    />
  )
}
