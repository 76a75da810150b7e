/** Queries on payments. */
import { type Db, statement } from '../../../platform/database/connect.ts'
import {
  filteredPage,
  type FilteredRequest,
  type FilteredTable,
} from '../../../platform/database/filtered-page.ts'

export type PaymentStatus =
  | 'created'
  | 'requires_action'
  | 'processing'
  | 'succeeded'
  | 'failed'
  | 'refunded'

export interface PaymentRef {
  workspace_id: string
  id: string
}

export interface PaymentRow extends PaymentRef {
  kind: 'invoice' | 'top_up'
  invoice_id: string | null
  provider: string
  provider_id: string | null
  method_id: string | null
  status: PaymentStatus
  amount: number
  currency: string
  credited_to: 'invoice' | 'balance' | null
  reversed: number
  failure_code: string | null
  failure_message: string | null
  created_by: string
  created_at: number
  ended_at: number | null
  checks: number
}

/** Shared by the slice's stores. */
export const columns = `workspace_id, id, kind, invoice_id, provider, provider_id, method_id, status, amount,
  currency, credited_to, reversed, failure_code, failure_message, created_by, created_at,
  ended_at, checks`
/** Payments that have not ended. */
export const open = `status IN ('created', 'requires_action', 'processing')`

const insert = statement(
  'payments.insert',
  `INSERT INTO payments (workspace_id, id, kind, invoice_id, provider, method_id, amount, currency,
                         request_key, created_by)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING
   RETURNING ${columns}`,
)
const insertPaid = statement(
  'payments.insert_paid',
  `INSERT INTO payments (workspace_id, id, kind, invoice_id, provider, amount, currency,
                         created_by, status, credited_to, ended_at)
   VALUES ($1, $2, 'invoice', $3, 'balance', $4, $5, $6, 'succeeded', 'invoice', now())
   RETURNING ${columns}`,
)
const byId = statement(
  'payments.by_id',
  `SELECT ${columns} FROM payments WHERE workspace_id = $1 AND id = $2`,
)
const openOfInvoice = statement(
  'payments.open_of_invoice',
  `SELECT ${columns} FROM payments WHERE workspace_id = $1 AND invoice_id = $2 AND ${open}`,
)
const lastOfInvoice = statement(
  'payments.last_paid_of_invoice',
  `SELECT ${columns} FROM payments
   WHERE workspace_id = $1 AND invoice_id = $2 AND credited_to = 'invoice'
   ORDER BY id DESC LIMIT 1`,
)
const justFailed = statement(
  'payments.just_failed',
  `SELECT ${columns} FROM payments
   WHERE workspace_id = $1 AND invoice_id = $2 AND method_id = $3 AND status = 'failed'
     AND ended_at > now() - make_interval(secs => $4)
   ORDER BY id DESC LIMIT 1`,
)
const byRequestKey = statement(
  'payments.by_request_key',
  `SELECT ${columns} FROM payments WHERE workspace_id = $1 AND request_key = $2`,
)
const countOpenTopUps = statement(
  'payments.count_open_top_ups',
  `SELECT count(*) AS found FROM payments
   WHERE workspace_id = $1 AND kind = 'top_up' AND ${open}`,
)
const list: FilteredTable<PaymentRow> = {
  idOf: ({ id }) => id,
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
}

type Found = Promise<PaymentRow | undefined>
const first = async (rows: Promise<PaymentRow[]>): Found => (await rows)[0]

export interface NewPayment {
  workspaceId: string
  id: string
  kind: PaymentRow['kind']
  invoiceId: string | null
  provider: string
  methodId: string
  amount: number
  currency: string
  requestKey: Buffer | null
  createdBy: string
}

/** @returns undefined if the invoice or the key already has an open one */
export async function insertPayment(trx: Db, payment: NewPayment): Found {
  const { workspaceId, id, kind, invoiceId, provider, methodId, amount, currency } = payment
  const values = [workspaceId, id, kind, invoiceId, provider, methodId, amount, currency]
  return first(trx.query(insert, [...values, payment.requestKey, payment.createdBy]))
}

export interface PaidPayment {
  workspaceId: string
  id: string
  invoiceId: string
  amount: number
  currency: string
  createdBy: string
}

/** A payment from the balance: it is paid from the start. */
export async function insertPaidPayment(trx: Db, payment: PaidPayment): Promise<PaymentRow> {
  const { workspaceId, id, invoiceId, amount, currency, createdBy } = payment
  const values = [workspaceId, id, invoiceId, amount, currency, createdBy]
  return (await trx.query<PaymentRow>(insertPaid, values))[0] as PaymentRow
}

export const findPayment = (db: Db, workspaceId: string, id: string): Found =>
  first(db.query(byId, [workspaceId, id]))

export const findOpenPayment = (db: Db, workspaceId: string, invoiceId: string): Found =>
  first(db.query(openOfInvoice, [workspaceId, invoiceId]))

/** The payment that paid an invoice. */
export const findPaidPayment = (db: Db, workspaceId: string, invoiceId: string): Found =>
  first(db.query(lastOfInvoice, [workspaceId, invoiceId]))

/** The last attempt with a method, if it failed within so many seconds. */
export const findJustFailed = (
  db: Db,
  workspaceId: string,
  invoiceId: string,
  methodId: string,
  seconds: number,
): Found => first(db.query(justFailed, [workspaceId, invoiceId, methodId, seconds]))

export const findByRequestKey = (db: Db, workspaceId: string, key: Buffer): Found =>
  first(db.query(byRequestKey, [workspaceId, key]))

export async function countTopUps(db: Db, workspaceId: string): Promise<number> {
  return (await db.query<{ found: number }>(countOpenTopUps, [workspaceId]))[0]?.found ?? 0
}

/** Newest first. */
export const pageOfPayments = (db: Db, workspaceId: string, request: FilteredRequest) =>
  filteredPage(db, list, workspaceId, request)
