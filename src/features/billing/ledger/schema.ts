/** Schemas of the balance and its transactions. */
import Type, { type Static } from 'typebox'
import type { ListFields } from '../../../platform/lib/list-filter.ts'
import { FilterText } from '../../common/filter-text.ts'
import { Page, pageQuery } from '../../common/paging.ts'
import { Id, Nullable, Timestamp } from '../../common/shapes.ts'

const Minor = (description: string) =>
  Type.Integer({ description: `${description} In minor units of the currency.` })

export const BalanceView = Type.Object(
  {
    currency: Nullable(
      Type.String({ description: 'ISO 4217; null as long as nothing has a price.' }),
    ),
    exponent: Nullable(Type.Integer({ description: 'Decimal digits of the minor unit.' })),
    prepaid: Minor('Paid in advance; the next invoice takes it first.'),
    outstanding: Minor('What issued invoices ask for and was not paid.'),
  },
  { title: 'Balance' },
)
export type BalanceView = Static<typeof BalanceView>

export const BalanceEntry = Type.Object(
  {
    id: Id('txn'),
    created_at: Timestamp,
    reference: Type.String({
      description: 'What it comes from, such as `invoice:inv_…`, `payment:pay_…` or `credit:…`.',
    }),
    currency: Type.String(),
    prepaid_change: Minor('What it added to `prepaid`, or took from it.'),
    outstanding_change: Minor('What it added to `outstanding`, or took from it.'),
    lines: Type.Array(
      Type.Object({
        account: Type.String({
          description: 'balance, receivable, revenue, tax, payments or adjustments.',
        }),
        amount: Minor('Debits are positive, credits negative; together they are zero.'),
      }),
    ),
  },
  { title: 'BalanceEntry' },
)
export type BalanceEntry = Static<typeof BalanceEntry>

export const BalanceEntryPage = Page(BalanceEntry)
export type BalanceEntryPage = Static<typeof BalanceEntryPage>

export const balanceEntryFields: ListFields = {
  reference: { type: 'text' },
  created_at: { type: 'time' },
}

export const ListBalanceEntries = Type.Object({
  ...pageQuery,
  filter: FilterText(balanceEntryFields),
})
export type ListBalanceEntries = Static<typeof ListBalanceEntries>
