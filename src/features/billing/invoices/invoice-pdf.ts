/** Renders an invoice as PDF. */
import type { Context } from '../../../context.ts'
import { makeTableDocument, type TableDocument } from '../../../adapters/pdf/table-document.ts'
import { formatMoney } from '../../../platform/lib/currency.ts'
import { getInvoice, type InvoiceServices } from './invoice.ts'
import type { InvoiceLine, InvoiceView } from './schema.ts'

const day = (time: string): string => time.slice(0, 10)
const minute = (time: string): string => `${day(time)} ${time.slice(11, 16)}`
const number = (value: number): string => String(value).replaceAll(/\B(?=(?:\d{3})+$)/g, ',')

const columns: TableDocument['columns'] = [
  { head: 'Description', width: 185, isNumber: false },
  { head: 'Quantity', width: 80, isNumber: true },
  { head: 'Included', width: 70, isNumber: true },
  { head: 'Unit price', width: 85, isNumber: true },
  { head: 'Amount', width: 75, isNumber: true },
]

function rowOf(line: InvoiceLine, currency: string): string[][] {
  const { description, from, to, quantity, included, unit, unit_amount, hours, of_hours } = line
  const money = (amount: number): string => formatMoney(amount, currency)
  const time = [`${minute(from)} – ${minute(to)} UTC`]
  if (hours !== of_hours) time.push(`${hours} of ${of_hours} hours`)
  const price = unit === 1 ? [money(unit_amount)] : [money(unit_amount), `per ${number(unit)}`]
  return [
    [description, ...time],
    [number(quantity)],
    [included === 0 ? '–' : number(included)],
    price,
    [money(line.amount)],
  ]
}

/** `19 %`, `7.5 %`: from basis points. */
const percent = (bp: number): string => `${bp / 100} %`

function sumsOf(invoice: InvoiceView): [string, string][] {
  const { subtotal, tax, tax_amount, total, balance_used, amount_due, currency } = invoice
  const money = (amount: number): string => formatMoney(amount, currency)
  const sums: [string, string][] = [['Subtotal', money(subtotal)]]
  if (tax !== null) sums.push([`${tax.name} ${percent(tax.rate_bp)}`, money(tax_amount)])
  sums.push(['Total', money(total)])
  if (balance_used > 0) sums.push(['Paid from the balance', money(0 - balance_used)])
  sums.push(['Amount due', money(amount_due)])
  return sums
}

function factsOf(invoice: InvoiceView): [string, string][] {
  const { status, period_start, period_end, issued_at, due_at, paid_at, voided_at } = invoice
  const facts: [string, string | null][] = [
    ['Number', invoice.number ?? 'none yet'],
    ['Status', status],
    ['From', `${minute(period_start)} UTC`],
    ['Until', `${minute(period_end)} UTC`],
    ['Issued', issued_at && day(issued_at)],
    ['Due', due_at && day(due_at)],
    ['Paid', paid_at && day(paid_at)],
    ['Voided', voided_at && day(voided_at)],
  ]
  return facts.flatMap(([name, value]) => (value === null ? [] : [[name, value]]))
}

export function documentOf(invoice: InvoiceView): TableDocument {
  const { number: ownNumber, status, issued_at, period_start, id } = invoice
  const title = ownNumber === null ? 'Draft of an invoice' : `Invoice ${ownNumber}`
  return {
    title,
    sender: invoice.seller,
    receiver: invoice.buyer,
    facts: factsOf(invoice),
    columns,
    rows: invoice.lines.map((line) => rowOf(line, invoice.currency)),
    sums: sumsOf(invoice),
    notes: [
      ...(status === 'void' ? ['This invoice was voided: nothing is to be paid for it.'] : []),
      ...(status === 'draft' ? ['The month has not ended: this is the invoice so far.'] : []),
    ],
    footer: `${title}  ·  ${id}`,
    madeAt: Date.parse(issued_at ?? period_start),
  }
}

/** @throws Failure invoice_not_found */
export async function getInvoicePdf(
  context: Context & InvoiceServices,
  invoiceId: string,
): Promise<{ filename: string; bytes: Uint8Array }> {
  const invoice = await getInvoice(context, invoiceId)
  const bytes = await makeTableDocument(documentOf(invoice), context.billing.font)
  return { filename: `${invoice.number ?? 'draft'}.pdf`, bytes }
}
