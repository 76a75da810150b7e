/** Queries on refunds and disputes. */
import { type Db, statement } from '../../../platform/database/connect.ts'
import { columns, type PaymentRef, type PaymentRow } from './store.ts'

const lock = statement(
  'payments.lock',
  `SELECT ${columns} FROM payments WHERE workspace_id = $1 AND id = $2 FOR UPDATE`,
)
const insertReversal = statement(
  'payment_reversals.insert',
  `INSERT INTO payment_reversals (workspace_id, payment_id, reversal_id, kind, amount)
   VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING RETURNING reversal_id`,
)
const undoReversal = statement(
  'payment_reversals.undo',
  `UPDATE payment_reversals SET undone_at = now()
   WHERE workspace_id = $1 AND payment_id = $2 AND reversal_id = $3 AND undone_at IS NULL
   RETURNING reversal_id`,
)
const addReversed = statement(
  'payments.add_reversed',
  `UPDATE payments
   SET reversed = reversed + $3, updated_at = now(),
       status = CASE WHEN reversed + $3 >= amount THEN 'refunded' ELSE 'succeeded' END
   WHERE workspace_id = $1 AND id = $2 RETURNING ${columns}`,
)

export async function lockPayment(
  trx: Db,
  { workspace_id, id }: PaymentRef,
): Promise<PaymentRow | undefined> {
  return (await trx.query<PaymentRow>(lock, [workspace_id, id]))[0]
}

export interface NewReversal {
  reversalId: string
  kind: 'refund' | 'dispute'
  amount: number
}

/** @returns whether it is new */
export const addReversal = async (
  trx: Db,
  { workspace_id, id }: PaymentRef,
  { reversalId, kind, amount }: NewReversal,
): Promise<boolean> =>
  (await trx.query(insertReversal, [workspace_id, id, reversalId, kind, amount])).length > 0

/** @returns whether it was known and not undone */
export const markUndone = async (
  trx: Db,
  { workspace_id, id }: PaymentRef,
  reversalId: string,
): Promise<boolean> => (await trx.query(undoReversal, [workspace_id, id, reversalId])).length > 0

export async function addToReversed(
  trx: Db,
  { workspace_id, id }: PaymentRef,
  amount: number,
): Promise<PaymentRow> {
  return (await trx.query<PaymentRow>(addReversed, [workspace_id, id, amount]))[0] as PaymentRow
}
