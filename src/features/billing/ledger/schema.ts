/** Schemas of the balance and its transactions. */
import Type, { type Static } from 'typebox'
import type { ListFields } from '../../../platform/lib/list-filter.ts'
import { FilterText } from '../../common/filter-text.ts'
import { Page, pageQuery } from '../../common/paging.ts'
import { Id, Integer, NamedObject, Nullable, Text, Timestamp } from '../../common/shapes.ts'

const Minor = (description: string) => Integer(`${description} In minor units of the currency.`)

export const BalanceView = NamedObject('Balance', {
  currency: Nullable(Type.String(), 'ISO 4217. Null until the workspace has a plan with prices.'),
  exponent: Nullable(Type.Integer(), 'Decimal digits of the minor unit.'),
  prepaid: Minor('The prepaid amount. The next invoice uses it first.'),
  outstanding: Minor('The unpaid amount of issued invoices.'),
})
export type BalanceView = Static<typeof BalanceView>

export const BalanceEntry = NamedObject('BalanceEntry', {
  id: Id('txn'),
  created_at: Timestamp,
  reference: Text(
    'The source of the transaction, such as `invoice:inv_…`, `payment:pay_…` or `credit:…`.',
  ),
  currency: Type.String(),
  prepaid_change: Minor('The change of `prepaid`, positive or negative.'),
  outstanding_change: Minor('The change of `outstanding`, positive or negative.'),
  lines: Type.Array(
    Type.Object({
      account: Text('balance, receivable, revenue, tax, payments or adjustments.'),
      amount: Minor('Debits are positive, credits negative; their sum is zero.'),
    }),
  ),
})
export type BalanceEntry = Static<typeof BalanceEntry>

export const BalanceEntryPage = Page(BalanceEntry)

export const balanceEntryFields: ListFields = {
  reference: { type: 'text' },
  created_at: { type: 'time' },
}

export const ListBalanceEntries = Type.Object({
  ...pageQuery,
  filter: FilterText(balanceEntryFields),
})
export type ListBalanceEntries = Static<typeof ListBalanceEntries>

/** From the installation's point of view: assets are debits, positive amounts. */
const accounts = [
  /** Prepaid by the workspace; a liability, so negative. */
  'balance',
  /** Issued, unpaid invoices. */
  'receivable',
  'revenue',
  'tax',
  /** Money received. */
  'payments',
  /** Granted by the operator. */
  'adjustments',
] as const
export type LedgerAccount = (typeof accounts)[number]

const LedgerLine = Type.Object({
  account: Type.Enum([...accounts]),
  /** Minor units; positive: debit, negative: credit. */
  amount: Type.Integer(),
})
export type LedgerLine = Static<typeof LedgerLine>

/** The lines of a transaction, which statements compose. */
export const LedgerLines = Type.Array(LedgerLine)
