/** Invoices and payments in words. */
import type { InvoiceSummary, Payment, PaymentMethod } from '../../../../sdk/schema.ts'
import { Badge, type BadgeTone } from '../../kit/Badge.tsx'
import { locale } from '../../i18n/language.ts'
import { t } from './translations.ts'

const tones: Readonly<Record<InvoiceSummary['status'], BadgeTone>> = {
  draft: 'off',
  open: 'warn',
  overdue: 'bad',
  paid: 'ok',
  void: 'off',
}

const statuses: Readonly<Record<InvoiceSummary['status'], string>> = {
  draft: t('draft'),
  open: t('unpaid'),
  overdue: t('overdue'),
  paid: t('paid'),
  void: t('void'),
}

export const InvoiceStatus = ({ status }: Pick<InvoiceSummary, 'status'>) => (
  <Badge tone={tones[status]}>{statuses[status]}</Badge>
)

const paymentTones: Readonly<Record<Payment['status'], BadgeTone>> = {
  created: 'info',
  requires_action: 'warn',
  processing: 'info',
  succeeded: 'ok',
  failed: 'bad',
  refunded: 'off',
}

const paymentStatuses: Readonly<Record<Payment['status'], string>> = {
  created: t('begun'),
  requires_action: t('waits for the payer to confirm'),
  processing: t('waits for the bank'),
  succeeded: t('paid'),
  failed: t('failed'),
  refunded: t('refunded'),
}

export const PaymentStatus = ({ status }: Pick<Payment, 'status'>) => (
  <Badge tone={paymentTones[status]}>{paymentStatuses[status]}</Badge>
)

/** A country and at least six digits, alone on its line. */
const TAX_ID = /^[A-Z]{2} ?(?=(?:.*\d){6})[A-Z\d]{7,12}$/

/** The lines of a party of an invoice: a bare number gets its name. */
export const partyLines = (lines: readonly string[]): readonly string[] =>
  lines.map((line) => (TAX_ID.test(line) ? t('VAT id {id}', { id: line }) : line))

export const cardText = ({ brand, last4 }: PaymentMethod): string => `${brand} …${last4}`

const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })

/** The day in UTC, as in the PDF. */
export const dateText = (at: string): string => day.format(Date.parse(at))
