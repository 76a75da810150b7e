/** What payments ask of invoices and of the balance, and nothing more. */
import type { Db } from '../../database/connect.ts'
import type { Origin } from '../../events/event.ts'
import { markInvoicePaid } from '../invoices/invoice-states.ts'
import { creditBalance } from '../ledger/balance.ts'
import { post, readSums } from '../ledger/ledger.ts'
import { lockSubscription } from '../subscriptions/subscription-lock.ts'
import type { PaymentRow } from './store.ts'

/**
 * Locks the balance of a workspace, for whoever begins a payment or ends one.
 * @returns how much of a currency was paid in advance.
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
  /** Of the ledger. */
  key: string
  amount: number
  currency: string
}

/**
 * Books money that has come in: it pays the invoice that it was for or, if that is paid or void
 * meanwhile, it is added to the balance, so that nobody's money is lost.
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

/** Pays an invoice from the balance, whose lock the caller holds. @returns whether it was open. */
export async function bookFromBalance(
  trx: Db,
  origin: Origin,
  { key, ...money }: Money,
  invoiceId: string,
): Promise<boolean> {
  const payment = { ...money, key, invoiceId, source: 'balance' }
  if ((await markInvoicePaid(trx, origin, payment)) === undefined) return false
  // No money has come in for it: it was there already.
  const { amount, workspaceId, currency } = money
  const lines = [
    { account: 'balance', amount },
    { account: 'payments', amount: -amount },
  ] as const
  return post(trx, { workspaceId, currency, key: `${key}:balance`, lines })
}
