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
import { bookIncome, lockBalance } from './invoice-debt.ts'
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

/** Books a successful payment. */
export async function settle(db: Db, ref: PaymentRow): Promise<void> {
  await db.transaction(async (trx) => {
    const { workspace_id: workspaceId, amount, currency } = ref
    // Another payment of the invoice waits here and then sees that it is paid.
    await lockBalance(trx, workspaceId)
    const row = await lockPayment.first(trx, { workspaceId: ref.workspace_id, id: ref.id })
    if (row?.ended_at !== null) return
    const money = { workspaceId, key: ledgerKeyOf(row), amount, currency }
    const creditedTo = await bookIncome(trx, serviceOrigin, money, row)
    const paid = await succeedPayment.one(trx, {
      workspaceId: row.workspace_id,
      id: row.id,
      creditedTo,
    })
    await recordPayment(trx, serviceOrigin, 'payment.succeeded', paid, { credited_to: creditedTo })
  })
}

/** Ends a payment with which no money moved, and never will. */
export async function endFailed(
  db: Db,
  row: PaymentRow,
  { code, message }: ProviderFailure,
): Promise<void> {
  const failure = { code: code.slice(0, 100), message: message.slice(0, 500) }
  await db.transaction(async (trx) => {
    const failed = await failPayment.first(trx, {
      ...keyOf(row),
      failureCode: failure.code,
      failureMessage: failure.message,
      providerId: row.provider_id,
    })
    if (failed === undefined) return
    await recordPayment(trx, serviceOrigin, 'payment.failed', failed, {
      failure_code: failure.code,
    })
  })
}
