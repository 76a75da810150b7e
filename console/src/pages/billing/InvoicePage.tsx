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
import { Columns, Facts, None, Panel, Row, Stack } from '../../kit/Layout.tsx'
import { PendingPage } from '../../kit/ListPage.tsx'
import { below } from '../../kit/navigation.tsx'
import { Empty, Note, ProblemNote } from '../../kit/Note.tsx'
import { numberText, percentText } from '../../kit/numbers.ts'
import { Page } from '../../kit/Shell.tsx'
import { type Column, Table, wholeList } from '../../kit/Table.tsx'
import { download, Lines, Time } from '../../kit/Text.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { meters } from '../usage/meter-labels.ts'
import { monthOf, nameOf } from '../../session/invoice-name.ts'
import { dateText, InvoiceStatus, partyLines } from './billing-labels.tsx'
import { type InvoiceProps, isDue, Pay, PayManually } from './Pay.tsx'
import { PaymentReceipt } from './PaymentReceipt.tsx'
import { t } from './translations.ts'

type Line = Invoice['lines'][number]

const meterOf = (line: Line) => meters.find(({ meter }) => meter === line.meter)

/** In the unit of its meter; the base fee has none. */
const amountUsed = (line: Line, amount: number) => meterOf(line)?.text(amount) ?? <None />

function priceText(line: Line, currency: string): string {
  const { unit, unit_amount } = line
  const price = moneyText(unit_amount, currency)
  const meter = meterOf(line)
  if (unit === 1) return meter === undefined ? price : t('{price} each', { price })
  return t('{price} for {unit}', { price, unit: meter?.text(unit) ?? numberText(unit) })
}

/** Counted quantities are charged once, not by the hour. */
const hoursText = ({ hours, of_hours: all }: Line): string =>
  t('{hours} of {all}', { hours: numberText(hours), all: numberText(all) })

const isWhole = ({ hours, of_hours: all }: Line): boolean => hours === all

const hours: Column<Line> = {
  name: t('Hours'),
  number: true,
  cell: (line) => (isWhole(line) ? <None /> : hoursText(line)),
}

const columnsOf = ({ currency, lines }: Invoice): readonly Column<Line>[] => [
  { name: t('What'), wraps: true, cell: (line) => meterOf(line)?.label ?? line.description },
  { name: t('Used'), number: true, cell: (line) => amountUsed(line, line.quantity) },
  { name: t('Included'), number: true, cell: (line) => amountUsed(line, line.included) },
  { name: t('Price'), number: true, cell: (line) => priceText(line, currency) },
  ...(lines.every(isWhole) ? [] : [hours]),
  { name: t('Amount'), number: true, cell: ({ amount }) => moneyText(amount, currency) },
]

const addressOf = (lines: readonly string[]) =>
  lines.length === 0 ? undefined : <Lines of={partyLines(lines)} />

/** How much is to be paid, and by when. */
function ToPay({ invoice }: Pick<InvoiceProps, 'invoice'>) {
  const { currency, amount_due, due_at } = invoice
  if (due_at === null || amount_due === 0 || !isDue(invoice)) return null
  const amount = moneyText(amount_due, currency)
  return <b>{t('{amount} due by {date}', { amount, date: dateText(due_at) })}</b>
}

function Sums({ invoice }: Pick<InvoiceProps, 'invoice'>) {
  const { currency, subtotal, tax, tax_amount, total, balance_used, amount_due } = invoice
  const money = (amount: number): string => moneyText(amount, currency)
  return (
    <Panel title={t('Amounts')}>
      <Facts
        facts={[
          [t('Net'), money(subtotal)],
          [
            tax === null ? t('Tax') : `${tax.name}, ${percentText(tax.rate_bp / 10_000)}`,
            money(tax_amount),
          ],
          [t('Total'), <b key="total">{money(total)}</b>],
          [t('From the balance'), balance_used === 0 ? undefined : money(balance_used)],
          [
            invoice.due_at === null || amount_due === 0
              ? t('Amount due')
              : t('Due by {date}', { date: dateText(invoice.due_at) }),
            <b key="due">{money(amount_due)}</b>,
          ],
          [t('Paid'), invoice.paid_at === null ? undefined : <Time at={invoice.paid_at} />],
        ]}
      />
    </Panel>
  )
}

const Parties = ({ invoice }: Pick<InvoiceProps, 'invoice'>) => (
  <Panel title={t('Seller and buyer')}>
    <Facts
      facts={[
        [t('Issued'), invoice.issued_at === null ? undefined : dateText(invoice.issued_at)],
        [t('Seller'), addressOf(invoice.seller)],
        [t('Buyer'), addressOf(invoice.buyer)],
      ]}
    />
  </Panel>
)

function Verified({ found }: { found: InvoiceVerification }) {
  const { matches, ledger_matches: isInLedger, issued, recomputed } = found
  if (matches && isInLedger) {
    return (
      <Note tone="ok" title={t('The invoice is correct')}>
        {t(
          'Recalculated from the usage and plans of that month, it has the same lines and totals, and the ledger has exactly one entry for it.',
        )}
      </Note>
    )
  }
  return (
    <Note tone="bad" title={t('The invoice does not match its usage and plans')}>
      {!isInLedger && `${t('The ledger has no matching entry for it.')} `}
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
  return (
    <>
      {pdf.error !== null && <ProblemNote problem={pdf.error} />}
      <Button icon={<Download size={15} />} busy={pdf.isPending} onClick={() => pdf.mutate()}>
        PDF
      </Button>
      {isDue(invoice) && <Pay invoice={invoice} params={params} />}
    </>
  )
}

function Verification({ invoice, params }: InvoiceProps) {
  const verify = useMutation<InvoiceVerification, Problem>({
    mutationFn: () => call('verifyInvoice', { params }),
  })
  const why = invoice.number === null ? t('A draft changes until the month ends.') : undefined
  return (
    <Panel
      title={t('Verification')}
      aside={
        <Button
          icon={<CircleCheck size={15} />}
          blocked={why}
          busy={verify.isPending}
          onClick={() => verify.mutate()}
        >
          {t('Verify')}
        </Button>
      }
    >
      <div aria-live="polite">
        {verify.error !== null && <ProblemNote problem={verify.error} />}
        {verify.data === undefined ? (
          <p>{t('Recalculates the invoice from the recorded usage and compares each line.')}</p>
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
  const trail = [{ label: t('Billing'), to: below(slug, 'billing') }]
  const { data: invoice } = query
  if (invoice === undefined)
    return <PendingPage title={t('Invoice')} of={t('The invoice')} trail={trail} query={query} />
  return (
    <Page
      title={nameOf(invoice)}
      trail={trail}
      note={
        <Row>
          <InvoiceStatus status={invoice.status} />
          <ToPay invoice={invoice} />
        </Row>
      }
      actions={<Acts invoice={invoice} params={params} />}
    >
      <PaymentReceipt />
      <Panel title={monthOf(invoice)} flush>
        <Table
          label={t('Lines')}
          columns={columnsOf(invoice)}
          list={wholeList(invoice.lines)}
          keyOf={(line) => `${line.plan_id} ${line.meter} ${line.from}`}
          empty={
            <Empty title={t('Nothing was charged')}>
              {t('No plan had a price in this month.')}
            </Empty>
          }
        />
      </Panel>
      <Columns wideFirst lastFirst>
        <Stack>
          {isDue(invoice) && <PayManually invoice={invoice} />}
          <Parties invoice={invoice} />
          <Verification invoice={invoice} params={params} />
        </Stack>
        <Sums invoice={invoice} />
      </Columns>
    </Page>
  )
}
