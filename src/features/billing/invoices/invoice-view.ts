/** The public view of an invoice. */
import { currencyExponent } from '../../../platform/lib/currency.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { timestamp, timestampOrNull } from '../../common/shapes.ts'
import type { Amounts } from './invoice-lines.ts'
import type { InvoiceSummary, InvoiceView } from './schema.ts'
import type { InvoiceContent } from './schema.ts'
import type { FullInvoiceRow, InvoiceRow } from './store.ts'

/** `INV-000042`. */
export const numberText = (number: number): string => `INV-${String(number).padStart(6, '0')}`

/** The amount due on an issued invoice. */
export function dueOf({ status, total, balance_used }: InvoiceRow): number {
  return status === 'open' || status === 'overdue' ? (total ?? 0) - (balance_used ?? 0) : 0
}

function membersOf(row: InvoiceRow) {
  return {
    id: formatId('inv', row.id),
    number: row.number === null ? null : numberText(row.number),
    status: row.status,
    period_start: timestamp(row.period_start),
    period_end: timestamp(row.period_end),
    currency: row.currency,
    exponent: currencyExponent(row.currency),
    issued_at: timestampOrNull(row.issued_at),
    due_at: timestampOrNull(row.due_at),
    paid_at: timestampOrNull(row.paid_at),
    voided_at: timestampOrNull(row.voided_at),
  }
}

export const summaryOf = (row: InvoiceRow): InvoiceSummary => ({
  ...membersOf(row),
  total: row.total,
  amount_due: row.status === 'draft' ? null : dueOf(row),
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

export function viewOf(row: InvoiceRow, { content, amounts }: Said): InvoiceView {
  return {
    ...membersOf(row),
    ...amounts,
    balance_used: row.balance_used ?? 0,
    amount_due: row.status === 'draft' ? amounts.total : dueOf(row),
    seller: content.seller,
    buyer: content.buyer,
    tax: content.tax,
  }
}

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
