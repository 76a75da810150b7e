/** Issued invoices of all workspaces. */
import { Link } from '@tanstack/react-router'
import type { InstallationInvoice } from '../../../../sdk/schema.ts'
import { useList } from '../../api/hooks.ts'
import { moneyText } from '../../api/money.ts'
import { Badge, type BadgeTone } from '../../kit/Badge.tsx'
import { Checkbox } from '../../kit/Field.tsx'
import { ListPage } from '../../kit/ListPage.tsx'
import type { Column } from '../../kit/Table.tsx'
import { Time } from '../../kit/Text.tsx'
import { useSearchState } from '../../session/search-state.ts'
import { t } from './words.ts'

const tones: Readonly<Record<InstallationInvoice['status'], BadgeTone>> = {
  open: 'info',
  overdue: 'bad',
  paid: 'ok',
  void: 'off',
}

const statusNames: Readonly<Record<InstallationInvoice['status'], string>> = {
  open: t('open'),
  overdue: t('overdue'),
  paid: t('paid'),
  void: t('void'),
}

const columns: readonly Column<InstallationInvoice>[] = [
  { name: t('Number'), cell: ({ number }) => <code>{number}</code> },
  {
    name: t('Workspace'),
    cell: ({ workspace, is_deleted }) => (
      <>
        <Link to="/installation/workspaces" search={{ search: workspace }}>
          {workspace}
        </Link>{' '}
        {is_deleted && <Badge tone="bad">{t('deleted')}</Badge>}
      </>
    ),
  },
  {
    name: t('Status'),
    cell: ({ status }) => <Badge tone={tones[status]}>{statusNames[status]}</Badge>,
  },
  { name: t('Due'), cell: ({ due_at }) => <Time at={due_at} /> },
  { name: t('Amount'), number: true, cell: ({ amount, currency }) => moneyText(amount, currency) },
]

export default function InvoiceList() {
  const [{ due }, change] = useSearchState<{ due: string }>()
  const isDue = due === 'yes'
  const query = { limit: 100, ...(isDue && { due: true }) }
  return (
    <ListPage
      title={t('Invoices')}
      columns={columns}
      list={useList('listInstallationInvoices', { query })}
      keyOf={({ number }) => number}
      head={
        <Checkbox
          label={t('Only those that are open or overdue')}
          checked={isDue}
          onValue={(only) => change({ due: only ? 'yes' : undefined })}
        />
      }
      empty={{
        title: t('No invoices'),
        text: t(
          'A workspace with a plan gets one each month. Plans are in the file that MOORING_PLANS_FILE names.',
        ),
      }}
    />
  )
}
