/** Queries on the progress of payments: their state at the provider, and when to check next. */
import type { Db } from '../../../platform/database/connect.ts'
import { sql } from '../../../platform/database/sql.ts'
import { columns, open, type PaymentRow } from './store.ts'

const qualified = columns.replaceAll(/\w+/g, (name) => `p.${name}`)

/**
 * Stores the provider's id; the first one is kept.
 * @returns the row with the stored id; undefined if it has ended meanwhile
 */
export const bindPayment = sql(
  'payments.bind',
  `UPDATE payments SET provider_id = coalesce(provider_id, $providerId), updated_at = now()
   WHERE workspace_id = $workspaceId AND id = $id AND ${open} RETURNING ${columns}`,
)
// States are ranked: an older reading never replaces a newer one.
export const advancePayment = sql(
  'payments.advance',
  `UPDATE payments SET status = $status, updated_at = now()
   WHERE workspace_id = $workspaceId AND id = $id
     AND (status = 'created' OR (status = 'requires_action' AND $status = 'processing'))`,
)
/** The caller holds its lock and has seen that it is open. */
export const succeedPayment = sql(
  'payments.succeed',
  `UPDATE payments SET status = 'succeeded', credited_to = $creditedTo, ended_at = now(),
     updated_at = now()
   WHERE workspace_id = $workspaceId AND id = $id AND ${open} RETURNING ${columns}`,
)
const fail = sql(
  'payments.fail',
  `UPDATE payments SET status = 'failed', failure_code = $failureCode,
     failure_message = $failureMessage, ended_at = now(),
          updated_at = now()
   WHERE workspace_id = $workspaceId AND id = $id AND ${open} AND provider_id IS NOT DISTINCT
   FROM $providerId?
   RETURNING ${columns}`,
)
/** Of any workspace. */
export const findByProviderId = sql(
  'payments.by_provider_id',
  'SELECT workspace_id, id FROM payments WHERE provider = $provider AND provider_id = $providerId',
)
// After a minute, then doubling up to six hours.
/** Due open payments, each handed to one caller. */
export const takeDuePayments = sql(
  'payments.due',
  `UPDATE payments p
   SET checks = p.checks + 1,
       check_at = now() + least(interval '1 minute' * 2 ^ least(p.checks + 1, 9),
                                interval '6 hours')
   FROM (SELECT workspace_id, id FROM payments WHERE ${open} AND check_at <= now()
         ORDER BY check_at LIMIT $limit FOR UPDATE SKIP LOCKED) AS hit
   WHERE p.workspace_id = hit.workspace_id AND p.id = hit.id
   RETURNING ${qualified}, p.created_at < now() - interval '1 day' AS is_old!`,
)

/**
 * @param ref with the provider's id at the time of the failure: with another one the payment
 * continues
 * @returns undefined if it had already ended
 */
export const failPayment = (
  trx: Db,
  { workspace_id, id, provider_id }: Pick<PaymentRow, 'workspace_id' | 'id' | 'provider_id'>,
  failure: { code: string; message: string },
): Promise<PaymentRow | undefined> =>
  fail.first(trx, {
    workspaceId: workspace_id,
    id,
    failureCode: failure.code,
    failureMessage: failure.message,
    providerId: provider_id,
  })
