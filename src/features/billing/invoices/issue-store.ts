/** Queries for drafting and issuing invoices, across workspaces. */
import { type Db, statement } from '../../../platform/database/connect.ts'
import type { InvoiceContent } from './schema.ts'
import type { FullInvoiceRow, InvoiceRow } from './store.ts'

/** A workspace deleted by mistake is mostly restored by then and needs no second invoice. */
const LAST_INVOICE_AFTER_DAYS = 7

const columns = `workspace_id, id, status, period_start, period_end, currency, number, subtotal, tax,
  total, balance_used, issued_at, due_at, paid_at, voided_at, revision`

// Includes the started months of deleted workspaces. A restored workspace is charged: an older
// build that restored it may not have known that its last invoice was issued.
const isUndrafted = `s.drafted_until <= now() AND w.erasure = '{}'
  AND (w.status <> 'deleting' OR (s.drafted_until < w.delete_requested_at
                                  AND s.billed_from IS DISTINCT FROM 'infinity'))`

const undrafted = statement(
  'invoices.undrafted',
  `SELECT s.workspace_id FROM subscriptions s JOIN workspaces w ON w.id = s.workspace_id
   WHERE ${isUndrafted}
     AND NOT (s.workspace_id = ANY ($1::uuid[]))
   ORDER BY s.drafted_until LIMIT $2`,
)
const lockUndrafted = statement(
  'invoices.lock_undrafted',
  `SELECT s.workspace_id, s.currency,
          greatest(s.drafted_until, nullif(s.billed_from, 'infinity')) AS drafted_until
   FROM subscriptions s JOIN workspaces w ON w.id = s.workspace_id
   WHERE s.workspace_id = $1 AND ${isUndrafted}
   FOR UPDATE OF s SKIP LOCKED`,
)
const advance = statement(
  'invoices.advance',
  `UPDATE subscriptions SET drafted_until = to_timestamp($2::float8 / 1000),
          billed_from = nullif(billed_from, 'infinity')
   WHERE workspace_id = $1`,
)
const insertDraft = statement(
  'invoices.insert_draft',
  `INSERT INTO invoices (workspace_id, id, period_start, period_end, currency)
   VALUES ($1, $2, to_timestamp($3::float8 / 1000), to_timestamp($4::float8 / 1000), $5)
   ON CONFLICT ON CONSTRAINT invoices_period DO NOTHING RETURNING id`,
)
// A started hour is charged, so usage counts until its end.
const endOfUse = `date_trunc('hour', w.delete_requested_at, 'UTC') + interval '1 hour'`
const isLeftAlone = `make_interval(days => ${LAST_INVOICE_AFTER_DAYS})`
const dueDrafts = statement(
  'invoices.due_drafts',
  `WITH due AS (
     SELECT i.workspace_id, i.id, i.period_end AS over_at FROM invoices i
     WHERE i.status = 'draft' AND i.period_end <= now() - make_interval(secs => $1)
     UNION
     SELECT i.workspace_id, i.id, least(i.period_end, ${endOfUse})
     FROM workspaces w JOIN invoices i ON i.workspace_id = w.id AND i.status = 'draft'
     WHERE w.status = 'deleting' AND ${endOfUse} + ${isLeftAlone} <= now()
   )
   SELECT due.workspace_id, due.id, min(due.over_at) AS over_at
   FROM due JOIN workspaces w ON w.id = due.workspace_id
   WHERE w.erasure = '{}' AND NOT (due.id = ANY ($2::uuid[]))
   GROUP BY due.workspace_id, due.id ORDER BY min(due.over_at) LIMIT $3`,
)
const lockDraft = statement(
  'invoices.lock_draft',
  `SELECT i.*, w.name AS workspace_name, w.slug AS workspace_slug,
          w.delete_requested_at AS ended_at,
          least(i.period_end, ${endOfUse}) <= now() AS is_over
   FROM (SELECT ${columns}, content FROM invoices
         WHERE workspace_id = $1 AND id = $2 AND status = 'draft' FOR UPDATE) i
   JOIN workspaces w ON w.id = i.workspace_id
   WHERE w.erasure = '{}' FOR SHARE OF w`,
)
// The number is assigned as late as possible, since it serializes all issuing.
const issue = statement(
  'invoices.issue',
  `WITH next AS (UPDATE invoice_numbers SET last = last + 1 RETURNING last)
   UPDATE invoices SET
     status = CASE WHEN $6::bigint = $7::bigint THEN 'paid' ELSE 'open' END,
     paid_at = CASE WHEN $6::bigint = $7::bigint THEN now() END,
     number = next.last, content = $3, subtotal = $4, tax = $5, total = $6, balance_used = $7,
     issued_at = now(), due_at = now() + make_interval(days => $8),
     revision = revision + 1, updated_at = now()
   FROM next WHERE workspace_id = $1 AND id = $2 AND status = 'draft'
   RETURNING ${columns}`,
)
const lapse = statement(
  'invoices.lapse',
  `UPDATE invoices SET status = 'overdue', revision = revision + 1, updated_at = now()
   WHERE (workspace_id, id) IN (
     SELECT workspace_id, id FROM invoices WHERE status = 'open' AND due_at <= now()
     ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED)
   RETURNING ${columns}`,
)

/** Workspaces without a draft of the current or an earlier month. */
export async function findUndrafted(
  db: Db,
  without: readonly string[],
  limit: number,
): Promise<string[]> {
  const rows = await db.query<{ workspace_id: string }>(undrafted, [without, limit])
  return rows.map(({ workspace_id }) => workspace_id)
}

export interface UndraftedRow {
  currency: string | null
  /** The start of a month. */
  drafted_until: number
}

/** @returns undefined if there is nothing left to draft, or another process does it */
export async function lockUndraftedRow(
  trx: Db,
  workspaceId: string,
): Promise<UndraftedRow | undefined> {
  return (await trx.query<UndraftedRow>(lockUndrafted, [workspaceId]))[0]
}

export async function advanceDrafts(trx: Db, workspaceId: string, until: number): Promise<void> {
  await trx.query(advance, [workspaceId, until])
}

/** @returns false if the month has an invoice */
export async function insertDraftInvoice(
  trx: Db,
  draft: { workspaceId: string; id: string; from: number; to: number; currency: string },
): Promise<boolean> {
  const { workspaceId, id, from, to, currency } = draft
  return (await trx.query(insertDraft, [workspaceId, id, from, to, currency])).length > 0
}

export type DueDraft = Pick<InvoiceRow, 'workspace_id' | 'id'> & {
  /** The end of the invoiced period. */
  over_at: number
}

/**
 * Drafts of months that ended before so many seconds, and of workspaces deleted long enough not to
 * return.
 */
export const findDueDrafts = (
  db: Db,
  seconds: number,
  without: readonly string[],
  limit: number,
): Promise<DueDraft[]> => db.query(dueDrafts, [seconds, without, limit])

export type DraftRow = FullInvoiceRow & {
  workspace_name: string
  workspace_slug: string
  /** When the workspace was deleted. */
  ended_at: number | null
  /** Whether it may be issued. */
  is_over: boolean
}

/**
 * Keeps the workspace from being deleted or restored meanwhile.
 * @returns undefined if it is no longer a draft
 */
export async function lockDraftInvoice(
  trx: Db,
  workspaceId: string,
  id: string,
): Promise<DraftRow | undefined> {
  return (await trx.query<DraftRow>(lockDraft, [workspaceId, id]))[0]
}

export interface Issued {
  workspaceId: string
  id: string
  content: InvoiceContent
  subtotal: number
  tax: number
  total: number
  balanceUsed: number
  dueDays: number
}

/** Numbers the draft and makes it open, or paid if nothing is due. */
export async function issueInvoice(trx: Db, issued: Issued): Promise<InvoiceRow> {
  const { workspaceId, id, content, subtotal, tax, total, balanceUsed, dueDays } = issued
  const text = JSON.stringify(content)
  const values = [workspaceId, id, text, subtotal, tax, total, balanceUsed, dueDays]
  return (await trx.query<InvoiceRow>(issue, values))[0] as InvoiceRow
}

/** Marks unpaid invoices past their due date as overdue. @returns up to `limit` of them */
export const lapseInvoices = (trx: Db, limit: number): Promise<InvoiceRow[]> =>
  trx.query(lapse, [limit])
