/** Queries on invoices. */
import { type RowOf, sql, stored } from '../../../platform/database/sql.ts'
import { filteredList } from '../../../platform/database/filtered-list.ts'
import { InvoiceContent } from './schema.ts'

const columns = `workspace_id, id, status, period_start, period_end, currency, number, subtotal, tax,
  total, balance_used, issued_at, due_at, paid_at, voided_at, revision`

export type FullInvoiceRow = RowOf<typeof findInvoice>
export type InvoiceRow = Omit<FullInvoiceRow, 'content'>

const content = stored('content', InvoiceContent)
export const findInvoice = sql('invoices.find')`
  SELECT ${columns}, ${content} FROM invoices WHERE workspace_id = $workspaceId AND id = $id`
/** The next issued one of the installation. */
export const findAfterNumber = sql('invoices.after_number')`
  SELECT workspace_id, id, number AS number! FROM invoices WHERE number > $number ORDER BY number
  LIMIT 1`
/** Issued ones of the installation; `isAll`: including paid and void ones. */
export const pageOfNumbers = sql('invoices.listed')`
  SELECT i.*, w.slug, w.status = 'deleting' AS is_deleted!
  FROM (SELECT ${columns.replace(' number,', ' number AS number!,')},
          content -> 'buyer' ->> 0 AS customer FROM invoices
        WHERE number > $after AND ($isAll OR status IN ('open', 'overdue')) ORDER BY number
          LIMIT $limit) i
  JOIN workspaces w ON w.id = i.workspace_id ORDER BY i.number`
/** Newest first. */
export const pageOfInvoices = filteredList('invoices.filtered', {
  columns,
  table: 'invoices',
  // A workspace has one invoice for each month.
  order: { column: 'period_start', type: 'timestamptz' },
  fields: {
    status: { sql: 'status' },
    period_start: { sql: 'period_start' },
    issued_at: { sql: 'issued_at' },
    due_at: { sql: 'due_at' },
    paid_at: { sql: 'paid_at' },
  },
})
const end = (status: string, time: string): string =>
  `UPDATE invoices
   SET status = '${status}', ${time} = now(), revision = revision + 1, updated_at = now()
   WHERE workspace_id = $workspaceId AND id = $id AND status IN ('open', 'overdue')
   RETURNING ${columns}`
/** @returns undefined unless it was open or overdue */
export const settleInvoice = sql('invoices.settle')`${end('paid', 'paid_at')}`
/** @returns undefined unless it was open or overdue */
export const annulInvoice = sql('invoices.annul')`${end('void', 'voided_at')}`

// Queries for drafting and issuing invoices, across workspaces.

/** A workspace deleted by mistake is mostly restored by then and needs no second invoice. */
const LAST_INVOICE_AFTER_DAYS = 7

// Includes the started months of deleted workspaces. A restored workspace is charged: an older
// build that restored it may not have known that its last invoice was issued.
const isUndrafted = `s.drafted_until <= now() AND w.erasure = '{}'
  AND (w.status <> 'deleting' OR (s.drafted_until < w.delete_requested_at
                                  AND s.billed_from IS DISTINCT FROM 'infinity'))`

/** Workspaces without a draft of the current or an earlier month. */
export const findUndrafted = sql('invoices.undrafted')`
  SELECT s.workspace_id FROM subscriptions s JOIN workspaces w ON w.id = s.workspace_id
  WHERE ${isUndrafted}
    AND NOT (s.workspace_id = ANY ($without::uuid[]))
  ORDER BY s.drafted_until LIMIT $limit`
/** @returns undefined if there is nothing left to draft, or another process does it */
export const lockUndraftedRow = sql('invoices.lock_undrafted')`
  SELECT s.workspace_id, s.currency,
         greatest(s.drafted_until, nullif(s.billed_from, 'infinity')) AS drafted_until!
  FROM subscriptions s JOIN workspaces w ON w.id = s.workspace_id
  WHERE s.workspace_id = $workspaceId AND ${isUndrafted}
  FOR UPDATE OF s SKIP LOCKED`
export const advanceDrafts = sql('invoices.advance')`
  UPDATE subscriptions SET drafted_until = to_timestamp($until::float8 / 1000),
         billed_from = nullif(billed_from, 'infinity')
  WHERE workspace_id = $workspaceId`
/** @returns false if the month has an invoice */
export const insertDraftInvoice = sql('invoices.insert_draft')`
  INSERT INTO invoices (workspace_id, id, period_start, period_end, currency)
  VALUES ($workspaceId, $id, to_timestamp($from::float8 / 1000), to_timestamp($to::float8 / 1000),
    $currency)
  ON CONFLICT ON CONSTRAINT invoices_period DO NOTHING RETURNING id`
// A started hour is charged, so usage counts until its end.
const endOfUse = `date_trunc('hour', w.delete_requested_at, 'UTC') + interval '1 hour'`
const isSettled = `make_interval(days => ${LAST_INVOICE_AFTER_DAYS})`
/**
 * Drafts of months that ended before so many seconds, and of workspaces deleted long enough not to
 * return.
 */
export const findDueDrafts = sql('invoices.due_drafts')`
  WITH due AS (
    SELECT i.workspace_id, i.id, i.period_end AS over_at FROM invoices i
    WHERE i.status = 'draft' AND i.period_end <= now() - make_interval(secs => $lateSeconds)
    UNION
    SELECT i.workspace_id, i.id, least(i.period_end, ${endOfUse})
    FROM workspaces w JOIN invoices i ON i.workspace_id = w.id AND i.status = 'draft'
    WHERE w.status = 'deleting' AND ${endOfUse} + ${isSettled} <= now()
  )
  SELECT due.workspace_id AS workspace_id!, due.id AS id!, min(due.over_at) AS over_at!
  FROM due JOIN workspaces w ON w.id = due.workspace_id
  WHERE w.erasure = '{}' AND NOT (due.id = ANY ($without::uuid[]))
  GROUP BY due.workspace_id, due.id ORDER BY min(due.over_at) LIMIT $limit`
/**
 * Keeps the workspace from being deleted or restored meanwhile.
 * @returns undefined if it is no longer a draft
 */
export const lockDraftInvoice = sql('invoices.lock_draft')`
  SELECT i.*, w.name AS workspace_name, w.slug AS workspace_slug,
         w.delete_requested_at AS ended_at,
         least(i.period_end, ${endOfUse}) <= now() AS is_over!
  FROM (SELECT ${columns}, ${content} FROM invoices
        WHERE workspace_id = $workspaceId AND id = $id AND status = 'draft' FOR UPDATE) i
  JOIN workspaces w ON w.id = i.workspace_id
  WHERE w.erasure = '{}' FOR SHARE OF w`
// The number is assigned as late as possible, since it serializes all issuing.
/** Numbers the draft and makes it open, or paid if nothing is due. */
export const issueInvoice = sql('invoices.issue')`
  WITH next AS (UPDATE invoice_numbers SET last = last + 1 RETURNING last)
  UPDATE invoices SET
    status = CASE WHEN $total::bigint = $balanceUsed::bigint THEN 'paid' ELSE 'open' END,
    paid_at = CASE WHEN $total::bigint = $balanceUsed::bigint THEN now() END,
    number = next.last, content = $content, subtotal = $subtotal, tax = $tax, total = $total,
    balance_used = $balanceUsed,
    issued_at = now(), due_at = now() + make_interval(days => $dueDays),
    revision = revision + 1, updated_at = now()
  FROM next WHERE workspace_id = $workspaceId AND id = $id AND status = 'draft'
  RETURNING ${columns}`
/** Marks unpaid invoices past their due date as overdue. @returns up to `limit` of them */
export const lapseInvoices = sql('invoices.lapse')`
  UPDATE invoices SET status = 'overdue', revision = revision + 1, updated_at = now()
  WHERE (workspace_id, id) IN (
    SELECT workspace_id, id FROM invoices WHERE status = 'open' AND due_at <= now()
    ORDER BY due_at LIMIT $limit FOR UPDATE SKIP LOCKED)
  RETURNING ${columns}`
