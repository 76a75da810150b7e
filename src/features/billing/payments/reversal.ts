/**
 * Refunds and disputes. They are made at the provider and only booked here, each once: the amount
 * is deducted from where the payment was credited.
 */
import type { Db } from '../../../platform/database/connect.ts'
import { serviceOrigin } from '../../../platform/record/event.ts'
import type { ChargingProvider, Reversal } from '../../../adapters/payment-provider/port.ts'
import { type LedgerLine, post } from '../ledger/ledger.ts'
import { keyOf } from '../../common/row-key.ts'
import * as store from './store.ts'
import { recordPayment } from './settlement.ts'

/** @param amount minor units returned to the payer; negative: received back */
async function book(
  trx: Db,
  row: store.PaymentRow,
  { id, kind }: Reversal,
  amount: number,
): Promise<void> {
  const { workspace_id: workspaceId, currency } = row
  const account = row.credited_to === 'balance' ? 'balance' : 'adjustments'
  const lines: LedgerLine[] = [
    { account, amount },
    { account: 'payments', amount: -amount },
  ]
  const key = `${kind}:${id}${amount < 0 ? ':undone' : ''}`
  await post(trx, { workspaceId, key, currency, lines })
  const after = await store.addToReversed.one(trx, { ...keyOf(row), amount })
  await recordPayment(trx, serviceOrigin, 'payment.reversed', after, {
    kind,
    reversed_by: amount,
    reversed: after.reversed,
  })
}

async function bookOne(db: Db, seen: store.PaymentRow, reversal: Reversal): Promise<void> {
  const { id: reversalId, kind, amount, currency, state } = reversal
  if (state === 'pending') return
  const { workspaceId, id: paymentId } = keyOf(seen)
  await db.transaction(async (trx) => {
    const row = await store.lockPayment.first(trx, keyOf(seen))
    if (row?.credited_to == null) return
    if (currency !== row.currency || !Number.isSafeInteger(amount) || amount <= 0) {
      throw new Error('the provider gives back something else than was paid')
    }
    const booked = { workspaceId, paymentId, reversalId, kind, amount }
    const isDone = state === 'done'
    if (await (isDone ? store.addReversal : store.markUndone).any(trx, booked)) {
      await book(trx, row, reversal, isDone ? amount : -amount)
    }
  })
}

/** Books a payment's reversals that are not booked yet. */
export async function bookReversals(
  db: Db,
  provider: ChargingProvider,
  row: store.PaymentRow,
): Promise<void> {
  if (row.provider_id === null || row.credited_to === null) return
  for (const reversal of await provider.readReversals(row.provider_id)) {
    await bookOne(db, row, reversal)
  }
}
