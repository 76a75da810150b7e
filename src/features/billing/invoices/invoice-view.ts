/** The public view of an invoice. */
import { currencyExponent } from '../../../platform/lib/currency.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { timestamp } from '../../common/shapes.ts'
import type { Amounts } from './invoice-lines.ts'
import { rowView } from '../../common/row-view.ts'
import { type InvoiceContent, InvoiceSummary, InvoiceView } from './schema.ts'
import type { FullInvoiceRow, InvoiceRow } from './store.ts'

/** `INV-000042`. */
export const numberText = (number: number): string => `INV-${String(number).padStart(6, '0')}`

/** The amount due on an issued invoice. */
export const dueOf = ({ status, total, balance_used }: InvoiceRow): number =>
  status === 'open' || status === 'overdue' ? (total ?? 0) - (balance_used ?? 0) : 0

const members = {
  number: ({ number }: InvoiceRow) => (number === null ? null : numberText(number)),
  exponent: ({ currency }: InvoiceRow) => currencyExponent(currency),
}

export const summaryOf = rowView<InvoiceRow>()(InvoiceSummary, {
  ...members,
  amount_due: (row) => (row.status === 'draft' ? null : dueOf(row)),
})

/** The contents of an invoice, stored or just computed. */
export interface Said {
  content: Omit<InvoiceContent, 'terms'>
  amounts: Amounts
}

/** The contents of an issued invoice; undefined for a draft. */
export function saidBy({ content, subtotal, tax, total }: FullInvoiceRow): Said | undefined {
  if (content === null || subtotal === null || tax === null || total === null) return undefined
  return { content, amounts: { lines: content.lines, subtotal, tax_amount: tax, total } }
}

export const viewOf = rowView<InvoiceRow, [said: Said]>()(InvoiceView, {
  ...members,
  lines: (_row, { amounts }) => amounts.lines,
  subtotal: (_row, { amounts }) => amounts.subtotal,
  tax_amount: (_row, { amounts }) => amounts.tax_amount,
  total: (_row, { amounts }) => amounts.total,
  balance_used: (row) => row.balance_used ?? 0,
  amount_due: (row, { amounts }) => (row.status === 'draft' ? amounts.total : dueOf(row)),
  seller: (_row, { content }) => content.seller,
  buyer: (_row, { content }) => content.buyer,
  tax: (_row, { content }) => content.tax,
})

/** The payload of events and audit entries about an invoice. */
export const eventDataOf = (row: InvoiceRow) => ({
  invoice_id: formatId('inv', row.id),
  number: row.number === null ? null : numberText(row.number),
  status: row.status,
  period_start: timestamp(row.period_start),
  currency: row.currency,
  total: row.total,
  amount_due: row.status === 'draft' ? null : dueOf(row),
})
