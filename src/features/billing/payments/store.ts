/** Queries on payments. */
import type { Db } from '../../../platform/database/connect.ts'
import { type RowOf, sql } from '../../../platform/database/sql.ts'
import { filteredList } from '../../../platform/database/filtered-list.ts'

/** Shared by the slice's stores. */
export const columns = `workspace_id, id, kind, invoice_id, provider, provider_id, method_id, status, amount,
  currency, credited_to, reversed, failure_code, failure_message, created_by, created_at,
  ended_at, checks`
/** Payments that have not ended. */
export const open = `status IN ('created', 'requires_action', 'processing')`

/** @returns undefined if the invoice or the key already has an open one */
export const insertPayment = sql(
  'payments.insert',
  `INSERT INTO payments (workspace_id, id, kind, invoice_id, provider, method_id, amount, currency,
                         request_key, created_by)
   VALUES ($workspaceId, $id, $kind, $invoiceId?, $provider, $methodId, $amount,
           $currency, $requestKey?, $createdBy)
   ON CONFLICT DO NOTHING
   RETURNING ${columns}`,
)
/** A payment from the balance: it is paid from the start. */
export const insertPaidPayment = sql(
  'payments.insert_paid',
  `INSERT INTO payments (workspace_id, id, kind, invoice_id, provider, amount, currency,
                         created_by, status, credited_to, ended_at)
   VALUES ($workspaceId, $id, 'invoice', $invoiceId, 'balance', $amount, $currency, $createdBy,
           'succeeded', 'invoice', now())
   RETURNING ${columns}`,
)
export const findPayment = sql(
  'payments.by_id',
  `SELECT ${columns} FROM payments WHERE workspace_id = $workspaceId AND id = $id`,
)
export const findOpenPayment = sql(
  'payments.open_of_invoice',
  `SELECT ${columns} FROM payments WHERE workspace_id = $workspaceId AND invoice_id = $invoiceId
     AND ${open}`,
)
/** The payment that paid an invoice. */
export const findPaidPayment = sql(
  'payments.last_paid_of_invoice',
  `SELECT ${columns} FROM payments
   WHERE workspace_id = $workspaceId AND invoice_id = $invoiceId AND credited_to = 'invoice'
   ORDER BY id DESC LIMIT 1`,
)
/** The last attempt with a method, if it failed within so many seconds. */
export const findJustFailed = sql(
  'payments.just_failed',
  `SELECT ${columns} FROM payments
   WHERE workspace_id = $workspaceId AND invoice_id = $invoiceId AND method_id = $methodId
     AND status = 'failed'
     AND ended_at > now() - make_interval(secs => $seconds)
   ORDER BY id DESC LIMIT 1`,
)
export const findByRequestKey = sql(
  'payments.by_request_key',
  `SELECT ${columns} FROM payments WHERE workspace_id = $workspaceId AND request_key = $requestKey`,
)
const countOpenTopUps = sql(
  'payments.count_open_top_ups',
  `SELECT count(*) AS found FROM payments
   WHERE workspace_id = $workspaceId AND kind = 'top_up' AND ${open}`,
)
export type PaymentRow = RowOf<typeof findPayment>
export type PaymentRef = Pick<PaymentRow, 'workspace_id' | 'id'>

/** Newest first. */
export const pageOfPayments = filteredList<PaymentRow>({
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

export async function countTopUps(db: Db, workspaceId: string): Promise<number> {
  return (await countOpenTopUps.one(db, { workspaceId })).found
}
