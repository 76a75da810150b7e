/** Everything that payments need from invoices and the balance. */
import type { Db } from '../../../platform/database/connect.ts'
import type { Origin } from '../../../platform/record/event.ts'
import { markInvoicePaid } from '../invoices/invoice-states.ts'
import { creditBalance } from '../ledger/balance.ts'
import { post, readSums } from '../ledger/ledger.ts'
import { lockSubscription } from '../../metering/subscriptions/subscription-lock.ts'
import type { PaymentRow } from './store.ts'

/**
 * Locks a workspace's balance, for starting or ending a payment.
 * @returns the prepaid amount in a currency
 */
export async function lockBalance(
  trx: Db,
  workspaceId: string,
): Promise<(currency: string) => Promise<number>> {
  await lockSubscription(trx, workspaceId)
  return async (currency) => (await readSums(trx, workspaceId, currency)).prepaid
}

interface Money {
  workspaceId: string
  /** Ledger key. */
  key: string
  amount: number
  currency: string
}

/**
 * Books received money: pays its invoice or, if that is already paid or void, credits the balance,
 * so that no money is lost.
 */
export async function bookIncome(
  trx: Db,
  origin: Origin,
  money: Money,
  { invoice_id: invoiceId, provider: source }: Pick<PaymentRow, 'invoice_id' | 'provider'>,
): Promise<'invoice' | 'balance'> {
  if (invoiceId !== null) {
    const paid = await markInvoicePaid(trx, origin, { ...money, invoiceId, source })
    if (paid !== undefined) return 'invoice'
  }
  if (await creditBalance(trx, origin, { ...money, from: 'payments' })) return 'balance'
  throw new Error('a payment stands in the ledger already')
}

/** Pays an invoice from the balance, whose lock the caller holds. @returns whether it was open */
export async function bookFromBalance(
  trx: Db,
  origin: Origin,
  { key, ...money }: Money,
  invoiceId: string,
): Promise<boolean> {
  const payment = { ...money, key, invoiceId, source: 'balance' }
  if ((await markInvoicePaid(trx, origin, payment)) === undefined) return false
  // No money came in for it: it was prepaid.
  const { amount, workspaceId, currency } = money
  const lines = [
    { account: 'balance', amount },
    { account: 'payments', amount: -amount },
  ] as const
  return post(trx, { workspaceId, currency, key: `${key}:balance`, lines })
}
