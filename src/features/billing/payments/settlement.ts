/**
 * Ends a payment atomically: its row, the ledger, its purpose, event and audit entry. A second call
 * finds that it has ended and does nothing.
 */
import type { Db } from '../../../platform/database/connect.ts'
import { type Origin, serviceOrigin } from '../../../platform/record/event.ts'
import { record } from '../../../platform/record/record.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import type { ProviderFailure } from '../../../adapters/payment-provider/port.ts'
import { failPayment, succeedPayment, type PaymentRow, lockPayment } from './store.ts'
import { lockSubscription } from '../../metering/subscriptions/subscription-lock.ts'
import { markInvoicePaid } from '../invoices/invoice-states.ts'
import { creditBalance } from '../ledger/balance.ts'
import { keyOf } from '../../common/row-key.ts'

export const ledgerKeyOf = ({ id }: Pick<PaymentRow, 'id'>): string =>
  `payment:${formatId('pay', id)}`

/** The event payload of a payment. */
const factsOf = (row: PaymentRow) => ({
  payment_id: formatId('pay', row.id),
  invoice_id: row.invoice_id && formatId('inv', row.invoice_id),
  amount: row.amount,
  currency: row.currency,
})

export const recordPayment = (
  trx: Db,
  origin: Origin,
  action: 'payment.created' | 'payment.succeeded' | 'payment.failed' | 'payment.reversed',
  row: PaymentRow,
  more: Record<string, unknown> = {},
): Promise<void> =>
  record(trx, origin, {
    workspaceId: row.workspace_id,
    action,
    resource: { kind: 'payment', id: formatId('pay', row.id) },
    data: { ...factsOf(row), ...more },
  })

/**
 * Books received money: pays its invoice or, if that is already paid or void, credits the balance,
 * so that no money is lost.
 */
async function bookIncome(trx: Db, row: PaymentRow): Promise<'invoice' | 'balance'> {
  const { workspace_id: workspaceId, amount, currency, invoice_id: invoiceId } = row
  const money = { workspaceId, key: ledgerKeyOf(row), amount, currency }
  if (invoiceId !== null) {
    const payment = { ...money, invoiceId, source: row.provider }
    if (await markInvoicePaid(trx, serviceOrigin, payment)) return 'invoice'
  }
  if (await creditBalance(trx, serviceOrigin, { ...money, from: 'payments' })) return 'balance'
  throw new Error('a payment stands in the ledger already')
}

/** Books a successful payment. */
export async function settle(db: Db, ref: PaymentRow): Promise<void> {
  await db.transaction(async (trx) => {
    // Another payment of the invoice waits here and then sees that it is paid.
    await lockSubscription(trx, ref.workspace_id)
    const row = await lockPayment.first(trx, keyOf(ref))
    if (row?.ended_at !== null) return
    const creditedTo = await bookIncome(trx, row)
    const paid = await succeedPayment.one(trx, { ...keyOf(row), creditedTo })
    await recordPayment(trx, serviceOrigin, 'payment.succeeded', paid, { credited_to: creditedTo })
  })
}

/** Ends a payment with which no money moved, and never will. */
export async function endFailed(
  db: Db,
  row: PaymentRow,
  { code, message }: ProviderFailure,
): Promise<void> {
  const failureCode = code.slice(0, 100)
  const failureMessage = message.slice(0, 500)
  await db.transaction(async (trx) => {
    const end = { ...keyOf(row), failureCode, failureMessage, providerId: row.provider_id }
    const failed = await failPayment.first(trx, end)
    if (failed === undefined) return
    await recordPayment(trx, serviceOrigin, 'payment.failed', failed, { failure_code: failureCode })
  })
}
