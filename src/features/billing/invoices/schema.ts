/** Schemas of invoices. */
import Type, { type Static } from 'typebox'
import { meters, Plan } from '../../common/plan-shapes.ts'
import type { ListFields } from '../../../platform/lib/list-filter.ts'
import { withDefault } from '../../../platform/lib/stored-json.ts'
import { FilterText } from '../../common/filter-text.ts'
import { Page, pageQuery } from '../../common/paging.ts'
import { Flag, Id, Integer, NamedObject, Nullable, Text, Timestamp } from '../../common/shapes.ts'

const statuses = ['draft', 'open', 'overdue', 'paid', 'void'] as const

const Minor = (description: string) => Type.Integer({ description })

export const InvoiceLine = Type.Object({
  plan_id: Type.String(),
  meter: Type.Enum(['base', ...meters], { description: '`base` is the price of the plan itself.' }),
  description: Type.String(),
  from: Timestamp,
  to: Timestamp,
  quantity: Integer('The usage; for connected devices, the highest hourly peak.'),
  included: Integer('The included quantity, free of charge.'),
  unit: Integer('The quantity that `unit_amount` is charged for.'),
  unit_amount: Minor('Price of `unit`, in minor units.'),
  hours: Integer('The number of hours for which the price was charged.'),
  of_hours: Integer('The number of hours that the full price covers.'),
  amount: Minor(
    '(quantity − included, at least 0) × unit_amount × hours ÷ (unit × of_hours). Half a minor unit is rounded up.',
  ),
})
export type InvoiceLine = Static<typeof InvoiceLine>

const Tax = Type.Object({
  name: Type.String(),
  rate_bp: Integer('In basis points: 1900 is 19 %.'),
})

/** The contents of an issued invoice besides its amounts, and their inputs, as stored with it. */
export const InvoiceContent = Type.Object({
  lines: Type.Array(InvoiceLine),
  terms: Type.Array(Type.Object({ from: Type.Number(), to: Type.Number(), plan: Plan }), {
    description: 'The plans in effect, in milliseconds since the epoch.',
  }),
  tax: Nullable(Tax),
  seller: Type.Array(Type.String()),
  buyer: Type.Array(Type.String()),
  carries: withDefault(Flag('Of rounding, from line to line.'), false),
})
export type InvoiceContent = Static<typeof InvoiceContent>

const members = {
  id: Id('inv'),
  number: Nullable(
    Type.String(),
    'The invoice number, without gaps in the installation. A draft has none.',
  ),
  status: Type.Enum([...statuses]),
  period_start: Timestamp,
  period_end: Timestamp,
  currency: Text('ISO 4217.'),
  exponent: Integer('Decimal digits of the minor unit.'),
  issued_at: Nullable(Timestamp),
  due_at: Nullable(Timestamp),
  paid_at: Nullable(Timestamp),
  voided_at: Nullable(Timestamp),
}

const Amounts = {
  subtotal: Minor('The sum of the lines.'),
  tax_amount: Minor('Tax. Half a minor unit is rounded up.'),
  total: Minor('The sum of subtotal and tax.'),
  balance_used: Minor('The amount paid from the prepaid balance when the invoice was issued.'),
  amount_due: Minor('The unpaid amount; 0 if the invoice is paid or void.'),
}

/** Drafts have no amounts in lists: they are computed on read. */
export const InvoiceSummary = NamedObject('InvoiceSummary', {
  ...members,
  total: Nullable(Amounts.total),
  amount_due: Nullable(Amounts.amount_due),
})

export const InvoicePage = Page(InvoiceSummary)

export const InvoiceView = NamedObject('Invoice', {
  ...members,
  ...Amounts,
  seller: Type.Array(Type.String()),
  buyer: Type.Array(Type.String()),
  lines: Type.Array(InvoiceLine),
  tax: Nullable(Tax),
})
export type InvoiceView = Static<typeof InvoiceView>

const Found = Type.Object({
  lines: Type.Array(InvoiceLine),
  subtotal: Type.Integer(),
  tax_amount: Type.Integer(),
  total: Type.Integer(),
})

export const Verification = NamedObject('InvoiceVerification', {
  invoice_id: Id('inv'),
  matches: Flag('Whether recomputing from usage and plans gives the same lines and sums.'),
  ledger_matches: Flag(
    'Whether the ledger contains exactly one matching transaction for the invoice.',
  ),
  plans: Type.Array(Type.Object({ from: Timestamp, to: Timestamp, plan: Plan }), {
    description: 'The versions of the plans from which the lines were computed.',
  }),
  issued: Found,
  recomputed: Found,
})
export type Verification = Static<typeof Verification>

export const invoiceFields: ListFields = {
  status: { type: 'word', words: statuses },
  period_start: { type: 'time' },
  issued_at: { type: 'time' },
  due_at: { type: 'time' },
  paid_at: { type: 'time' },
}

export const ListInvoices = Type.Object({
  ...pageQuery,
  filter: FilterText(invoiceFields),
  status: Type.Optional(Type.Enum([...statuses])),
})
export type ListInvoices = Static<typeof ListInvoices>
