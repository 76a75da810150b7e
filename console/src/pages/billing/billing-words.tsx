/** Invoices and payments in words. */
import type { Invoice, InvoiceSummary, Payment, PaymentMethod } from '../../../../sdk/schema.ts'
import { Badge, type BadgeTone } from '../../kit/Badge.tsx'

const tones: Readonly<Record<InvoiceSummary['status'], BadgeTone>> = {
  draft: 'off',
  open: 'info',
  overdue: 'bad',
  paid: 'ok',
  void: 'off',
}

export const InvoiceStatus = ({ status }: Pick<InvoiceSummary, 'status'>) => (
  <Badge tone={tones[status]}>{status}</Badge>
)

const paymentTones: Readonly<Record<Payment['status'], BadgeTone>> = {
  created: 'info',
  requires_action: 'warn',
  processing: 'info',
  succeeded: 'ok',
  failed: 'bad',
  refunded: 'off',
}

export const PaymentStatus = ({ status }: Pick<Payment, 'status'>) => (
  <Badge tone={paymentTones[status]}>{status.replace('_', ' ')}</Badge>
)

export const cardText = ({ brand, last4 }: PaymentMethod): string => `${brand} …${last4}`

const month = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' })

export const monthOf = ({ period_start }: Pick<Invoice, 'period_start'>): string =>
  month.format(Date.parse(period_start))

export const nameOf = (invoice: Pick<Invoice, 'number' | 'period_start'>): string =>
  invoice.number ?? `Draft of ${monthOf(invoice)}`
