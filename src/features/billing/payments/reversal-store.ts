/** Queries on refunds and disputes. */
import { sql } from '../../../platform/database/sql.ts'
import { columns } from './store.ts'

export const lockPayment = sql(
  'payments.lock',
  `SELECT ${columns} FROM payments WHERE workspace_id = $workspaceId AND id = $id FOR UPDATE`,
)
/** @returns whether it is new */
export const addReversal = sql(
  'payment_reversals.insert',
  `INSERT INTO payment_reversals (workspace_id, payment_id, reversal_id, kind, amount)
   VALUES ($workspaceId, $paymentId, $reversalId, $kind, $amount) ON CONFLICT DO NOTHING
   RETURNING reversal_id`,
)
/** @returns whether it was known and not undone */
export const markUndone = sql(
  'payment_reversals.undo',
  `UPDATE payment_reversals SET undone_at = now()
   WHERE workspace_id = $workspaceId AND payment_id = $paymentId AND reversal_id = $reversalId
     AND undone_at IS NULL
   RETURNING reversal_id`,
)
export const addToReversed = sql(
  'payments.add_reversed',
  `UPDATE payments
   SET reversed = reversed + $amount, updated_at = now(),
       status = CASE WHEN reversed + $amount >= amount THEN 'refunded' ELSE 'succeeded' END
   WHERE workspace_id = $workspaceId AND id = $id RETURNING ${columns}`,
)
