/** The ledger as a workspace sees it, and credits to its prepaid balance. */
import type { Context } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import type { Origin } from '../../../platform/record/event.ts'
import { record } from '../../../platform/record/record.ts'
import { currencyExponent } from '../../../platform/lib/currency.ts'
import { listFiltered } from '../../common/filtered-list.ts'
import { rowView } from '../../common/row-view.ts'
import type { PlanServices } from '../../metering/plans/plan-directory.ts'
import { currencyOf } from '../../metering/subscriptions/subscription-lock.ts'
import { type LedgerLine, post, readSums, sumOf } from './ledger.ts'
import * as schema from './schema.ts'
import * as store from './store.ts'

/** A workspace without a subscription has its plan's currency. */
export type BalanceServices = PlanServices

export async function getBalance(context: Context & BalanceServices): Promise<schema.BalanceView> {
  const { db, workspaceId } = context
  const currency = await currencyOf(db, context, workspaceId)
  if (currency === undefined) return { currency: null, exponent: null, prepaid: 0, outstanding: 0 }
  const { prepaid, receivable } = await readSums(db, workspaceId, currency)
  return { currency, exponent: currencyExponent(currency), prepaid, outstanding: receivable }
}

const viewOf = rowView<store.TransactionRow>()(schema.BalanceEntry, {
  reference: ({ key }) => key,
  prepaid_change: ({ lines }) => 0 - sumOf(lines, 'balance'),
  outstanding_change: ({ lines }) => sumOf(lines, 'receivable'),
})

export const listBalanceEntries = (context: Context, query: schema.ListBalanceEntries) =>
  listFiltered(context, query, {
    name: 'balance-entries',
    fields: schema.balanceEntryFields,
    pageOf: store.pageOfTransactions,
    view: viewOf,
  })

export interface Credit {
  workspaceId: string
  /** As of `post`. */
  key: string
  currency: string
  /** Minor units, above zero. */
  amount: number
  /** `payments`: money came in; `adjustments`: granted by the operator. */
  from: 'payments' | 'adjustments'
}

/**
 * Credits the prepaid balance, once per key.
 * @returns whether it was credited now
 */
export async function creditBalance(trx: Db, origin: Origin, credit: Credit): Promise<boolean> {
  const { workspaceId, key, currency, amount, from } = credit
  if (!Number.isSafeInteger(amount) || amount <= 0) throw new Error('a credit is above zero')
  const lines: LedgerLine[] = [
    { account: from, amount },
    { account: 'balance', amount: -amount },
  ]
  if (!(await post(trx, { workspaceId, key, currency, lines }))) return false
  const data = { reference: key, currency, amount, source: from }
  await record(trx, origin, { workspaceId, action: 'balance.credited', data })
  return true
}
