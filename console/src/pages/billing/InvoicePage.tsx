/** One invoice: its lines, its PDF, how it was computed, and its payment. */
import { useMutation } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { CircleCheck, Download } from 'lucide-react'
import type { Invoice, InvoiceVerification } from '../../../../sdk/schema.ts'
import { call } from '../../api/client.ts'
import { useRead } from '../../api/hooks.ts'
import { moneyText } from '../../api/money.ts'
import type { Problem } from '../../api/problem.ts'
import { readFile } from '../../api/rows.ts'
import { Button } from '../../kit/Button.tsx'
import { Diff } from '../../kit/Diff.tsx'
import { Columns, Facts, Panel, Stack } from '../../kit/Layout.tsx'
import { PendingPage } from '../../kit/ListPage.tsx'
import { below } from '../../kit/navigation.tsx'
import { Empty, Note, ProblemNote } from '../../kit/Note.tsx'
import { numberText } from '../../kit/numbers.ts'
import { Page } from '../../kit/Shell.tsx'
import { type Column, Table, wholeList } from '../../kit/Table.tsx'
import { download, exactTime, Time } from '../../kit/Text.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { InvoiceStatus, monthOf, nameOf } from './billing-words.tsx'
import { type InvoiceProps, Pay } from './Pay.tsx'
import { PaymentReceipt } from './PaymentReceipt.tsx'

type Line = Invoice['lines'][number]

const columnsOf = (currency: string): readonly Column<Line>[] => [
  { name: 'What', wraps: true, cell: ({ description }) => description },
  { name: 'Used', number: true, cell: ({ quantity }) => numberText(quantity) },
  { name: 'Included', number: true, cell: ({ included }) => numberText(included) },
  {
    name: 'Price',
    number: true,
    cell: ({ unit, unit_amount }) =>
      `${moneyText(unit_amount, currency)}${unit === 1 ? '' : ` for ${numberText(unit)}`}`,
  },
  {
    name: 'Hours',
    number: true,
    cell: ({ hours, of_hours }) => `${numberText(hours)} of ${numberText(of_hours)}`,
  },
  { name: 'Amount', number: true, cell: ({ amount }) => moneyText(amount, currency) },
]

function Sums({ invoice }: Pick<InvoiceProps, 'invoice'>) {
  const { currency, subtotal, tax, tax_amount, total, balance_used, amount_due } = invoice
  const money = (amount: number): string => moneyText(amount, currency)
  return (
    <Panel title="Sums">
      <Facts
        facts={[
          ['Net', money(subtotal)],
          [
            tax === null ? 'Tax' : `${tax.name}, ${numberText(tax.rate_bp / 100)} %`,
            money(tax_amount),
          ],
          ['Total', <b key="total">{money(total)}</b>],
          ['From the balance', balance_used === 0 ? undefined : money(balance_used)],
          ['Due', <b key="due">{money(amount_due)}</b>],
          ['Issued', invoice.issued_at === null ? undefined : exactTime(invoice.issued_at)],
          ['Due until', invoice.due_at === null ? undefined : <Time at={invoice.due_at} />],
          ['Paid', invoice.paid_at === null ? undefined : <Time at={invoice.paid_at} />],
          ['From', invoice.seller.join(', ') || undefined],
          ['To', invoice.buyer.join(', ') || undefined],
        ]}
      />
    </Panel>
  )
}

function Verified({ found }: { found: InvoiceVerification }) {
  const { matches, ledger_matches: isInLedger, issued, recomputed } = found
  if (matches && isInLedger) {
    return (
      <Note tone="ok" title="The invoice is right">
        Computed again from the use and the plans of that month, it has the same lines and sums, and
        the ledger has exactly one entry for it.
      </Note>
    )
  }
  return (
    <Note tone="bad" title="The invoice is not what its use and plans give">
      {!isInLedger && 'The ledger has no matching entry for it. '}
      {!matches && <Diff before={issued} after={recomputed} />}
    </Note>
  )
}

function Acts({ invoice, params }: InvoiceProps) {
  const { slug } = useWorkspace()
  const pdf = useMutation<Blob, Problem>({
    mutationFn: () => readFile('getInvoice', { params }, 'application/pdf'),
    onSuccess: (file) => download(`${slug}-${invoice.number ?? 'draft'}.pdf`, file),
  })
  const isDue = invoice.amount_due > 0 && invoice.number !== null
  return (
    <>
      {pdf.error !== null && <ProblemNote problem={pdf.error} />}
      <Button icon={<Download size={15} />} busy={pdf.isPending} onClick={() => pdf.mutate()}>
        PDF
      </Button>
      {isDue && <Pay invoice={invoice} params={params} />}
    </>
  )
}

function Verification({ invoice, params }: InvoiceProps) {
  const verify = useMutation<InvoiceVerification, Problem>({
    mutationFn: () => call('verifyInvoice', { params }),
  })
  const why = invoice.number === null ? 'A draft still grows.' : undefined
  return (
    <Panel
      title="Verification"
      aside={
        <Button
          icon={<CircleCheck size={15} />}
          blocked={why}
          busy={verify.isPending}
          onClick={() => verify.mutate()}
        >
          Verify
        </Button>
      }
    >
      <div aria-live="polite">
        {verify.error !== null && <ProblemNote problem={verify.error} />}
        {verify.data === undefined ? (
          <p>It is computed again from the use that was recorded, and compared line by line.</p>
        ) : (
          <Verified found={verify.data} />
        )}
      </div>
    </Panel>
  )
}

export default function InvoicePage() {
  const { id, slug } = useWorkspace()
  const { invoiceId = '' } = useParams({ strict: false }) as { invoiceId?: string }
  const params = { id, invoice_id: invoiceId }
  const query = useRead('getInvoice', { params }, { isLive: true })
  const trail = [{ label: 'Billing', to: below(slug, 'billing') }]
  const { data: invoice } = query
  if (invoice === undefined) return <PendingPage title="Invoice" trail={trail} query={query} />
  return (
    <Page
      title={nameOf(invoice)}
      trail={trail}
      note={<InvoiceStatus status={invoice.status} />}
      actions={<Acts invoice={invoice} params={params} />}
    >
      <Stack>
        <PaymentReceipt />
        <Panel title={`Lines of ${monthOf(invoice)}`} flush>
          <Table
            label="Lines"
            columns={columnsOf(invoice.currency)}
            list={wholeList(invoice.lines)}
            keyOf={(line) => `${line.plan_id} ${line.meter} ${line.from}`}
            empty={<Empty title="Nothing was charged">No plan had a price in this month.</Empty>}
          />
        </Panel>
        <Columns wideFirst>
          <Verification invoice={invoice} params={params} />
          <Sums invoice={invoice} />
        </Columns>
      </Stack>
    </Page>
  )
}
