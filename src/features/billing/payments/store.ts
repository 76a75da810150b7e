/** Queries on payments. */
import { type RowOf, sql } from '../../../platform/database/sql.ts'
import { filteredList } from '../../../platform/database/filtered-list.ts'

/** Shared by the slice's stores. */
const columns = `workspace_id, id, kind, invoice_id, provider, provider_id, method_id, status, amount,
  currency, credited_to, reversed, failure_code, failure_message, created_by, created_at,
  ended_at, checks`
/** Payments that have not ended. */
export const open = `status IN ('created', 'requires_action', 'processing')`

/** @returns undefined if the invoice or the key already has an open one */
export const insertPayment = sql('payments.insert')`
  INSERT INTO payments (workspace_id, id, kind, invoice_id, provider, method_id, amount, currency,
                        request_key, created_by)
  VALUES ($workspaceId, $id, $kind, $invoiceId?, $provider, $methodId, $amount,
          $currency, $requestKey?, $createdBy)
  ON CONFLICT DO NOTHING
  RETURNING ${columns}`
/** A payment from the balance: it is paid from the start. */
export const insertPaidPayment = sql('payments.insert_paid')`
  INSERT INTO payments (workspace_id, id, kind, invoice_id, provider, amount, currency,
                        created_by, status, credited_to, ended_at)
  VALUES ($workspaceId, $id, 'invoice', $invoiceId, 'balance', $amount, $currency, $createdBy,
          'succeeded', 'invoice', now())
  RETURNING ${columns}`
export const findPayment = sql('payments.by_id')`
  SELECT ${columns} FROM payments WHERE workspace_id = $workspaceId AND id = $id`
export const findOpenPayment = sql('payments.open_of_invoice')`
  SELECT ${columns} FROM payments WHERE workspace_id = $workspaceId AND invoice_id = $invoiceId
    AND ${open}`
export const findPaidPayment = sql('payments.last_paid_of_invoice')`
  SELECT ${columns} FROM payments
  WHERE workspace_id = $workspaceId AND invoice_id = $invoiceId AND credited_to = 'invoice'
  ORDER BY id DESC LIMIT 1`
/** The last attempt with a method, if it failed within so many seconds. */
export const findJustFailed = sql('payments.just_failed')`
  SELECT ${columns} FROM payments
  WHERE workspace_id = $workspaceId AND invoice_id = $invoiceId AND method_id = $methodId
    AND status = 'failed'
    AND ended_at > now() - make_interval(secs => $seconds)
  ORDER BY id DESC LIMIT 1`
export const findByRequestKey = sql('payments.by_request_key')`
  SELECT ${columns} FROM payments WHERE workspace_id = $workspaceId AND request_key = $requestKey`
export const countTopUps = sql('payments.count_open_top_ups')`
  SELECT count(*) AS found FROM payments
  WHERE workspace_id = $workspaceId AND kind = 'top_up' AND ${open}`
export type PaymentRow = RowOf<typeof findPayment>

/** Newest first. */
export const pageOfPayments = filteredList('payments.filtered', {
  columns,
  table: 'payments',
  fields: {
    status: { sql: 'status' },
    kind: { sql: 'kind' },
    invoice_id: { sql: 'invoice_id' },
    'failure.code': { sql: 'failure_code' },
    created_by: { sql: 'created_by' },
    created_at: { sql: 'created_at', isTimeOfId: true },
    ended_at: { sql: 'ended_at' },
  },
})

// Queries on the progress of payments: their state at the provider, and when to check next.

const qualified = columns.replaceAll(/\w+/g, (name) => `p.${name}`)

/**
 * Stores the provider's id; the first one is kept.
 * @returns the stored id; nothing if the payment has ended meanwhile
 */
export const bindPayment = sql('payments.bind')`
  UPDATE payments SET provider_id = coalesce(provider_id, $providerId), updated_at = now()
  WHERE workspace_id = $workspaceId AND id = $id AND ${open}
  RETURNING provider_id AS provider_id!`
// States are ranked: an older reading never replaces a newer one.
export const advancePayment = sql('payments.advance')`
  UPDATE payments SET status = $status, updated_at = now()
  WHERE workspace_id = $workspaceId AND id = $id
    AND (status = 'created' OR (status = 'requires_action' AND $status = 'processing'))`
/** The caller holds its lock and has seen that it is open. */
export const succeedPayment = sql('payments.succeed')`
  UPDATE payments SET status = 'succeeded', credited_to = $creditedTo, ended_at = now(),
    updated_at = now()
  WHERE workspace_id = $workspaceId AND id = $id AND ${open} RETURNING ${columns}`
/**
 * Without a result if it has ended, or if the provider's id is no longer the one at the time of the
 * failure: the payment then continues.
 */
export const failPayment = sql('payments.fail')`
  UPDATE payments SET status = 'failed', failure_code = $failureCode,
    failure_message = $failureMessage, ended_at = now(),
         updated_at = now()
  WHERE workspace_id = $workspaceId AND id = $id AND ${open} AND provider_id IS NOT DISTINCT
  FROM $providerId?
  RETURNING ${columns}`
/** Searches all workspaces. */
export const findByProviderId = sql('payments.by_provider_id')`
  SELECT workspace_id, id FROM payments WHERE provider = $provider AND provider_id = $providerId`
// After a minute, then doubling up to six hours.
/** Due open payments, each handed to one caller. */
export const takeDuePayments = sql('payments.due')`
  UPDATE payments p
  SET checks = p.checks + 1,
      check_at = now() + least(interval '1 minute' * 2 ^ least(p.checks + 1, 9),
                               interval '6 hours')
  FROM (SELECT workspace_id, id FROM payments WHERE ${open} AND check_at <= now()
        ORDER BY check_at LIMIT $limit FOR UPDATE SKIP LOCKED) AS hit
  WHERE p.workspace_id = hit.workspace_id AND p.id = hit.id
  RETURNING ${qualified}, p.created_at < now() - interval '1 day' AS is_old!`

// Queries on processed provider events.

/** @returns whether it is new */
export const takeProviderEvent = sql('payment_events.take')`
  INSERT INTO payment_events (provider, id) VALUES ($provider, $id) ON CONFLICT DO NOTHING
    RETURNING id`
/** @returns the number deleted */
export const deleteProviderEvents = sql('payment_events.delete_old')`
  DELETE FROM payment_events WHERE (provider, id) IN (
    SELECT provider, id FROM payment_events WHERE taken_at < now() - make_interval(days => $days)
    LIMIT $limit) RETURNING 1`

// Queries on refunds and disputes.

export const lockPayment = sql('payments.lock')`
  SELECT ${columns} FROM payments WHERE workspace_id = $workspaceId AND id = $id FOR UPDATE`
/** @returns whether it is new */
export const addReversal = sql('payment_reversals.insert')`
  INSERT INTO payment_reversals (workspace_id, payment_id, reversal_id, kind, amount)
  VALUES ($workspaceId, $paymentId, $reversalId, $kind, $amount) ON CONFLICT DO NOTHING
  RETURNING reversal_id`
/** @returns whether it was known and not undone */
export const markUndone = sql('payment_reversals.undo')`
  UPDATE payment_reversals SET undone_at = now()
  WHERE workspace_id = $workspaceId AND payment_id = $paymentId AND reversal_id = $reversalId
    AND undone_at IS NULL
  RETURNING reversal_id`
export const addToReversed = sql('payments.add_reversed')`
  UPDATE payments
  SET reversed = reversed + $amount, updated_at = now(),
      status = CASE WHEN reversed + $amount >= amount THEN 'refunded' ELSE 'succeeded' END
  WHERE workspace_id = $workspaceId AND id = $id RETURNING ${columns}`
