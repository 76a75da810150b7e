/** Queries on invoices. */
import { type Db, statement } from '../../../platform/database/connect.ts'
import {
  filteredPage,
  type FilteredRequest,
  type FilteredTable,
} from '../../../platform/database/filtered-page.ts'
import { readStored } from '../../../platform/lib/stored-json.ts'
import { InvoiceContent, type InvoiceSummary } from './schema.ts'

export interface InvoiceRow {
  workspace_id: string
  id: string
  status: InvoiceSummary['status']
  period_start: number
  period_end: number
  currency: string
  number: number | null
  subtotal: number | null
  tax: number | null
  total: number | null
  balance_used: number | null
  issued_at: number | null
  due_at: number | null
  paid_at: number | null
  voided_at: number | null
  revision: number
}

export type FullInvoiceRow = InvoiceRow & { content: InvoiceContent | null }

const columns = `workspace_id, id, status, period_start, period_end, currency, number, subtotal, tax,
  total, balance_used, issued_at, due_at, paid_at, voided_at, revision`

const find = statement(
  'invoices.find',
  `SELECT ${columns}, content FROM invoices WHERE workspace_id = $1 AND id = $2`,
)
const afterNumber = statement(
  'invoices.after_number',
  `SELECT workspace_id, id, number FROM invoices WHERE number > $1 ORDER BY number LIMIT 1`,
)
const listed = statement(
  'invoices.listed',
  `SELECT i.*, w.slug, w.status = 'deleting' AS is_deleted
   FROM (SELECT ${columns} FROM invoices
         WHERE number > $1 AND ($2 OR status IN ('open', 'overdue')) ORDER BY number LIMIT $3) i
   JOIN workspaces w ON w.id = i.workspace_id ORDER BY i.number`,
)
const list: FilteredTable<InvoiceRow> = {
  idOf: ({ period_start }) => new Date(period_start).toISOString(),
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
}
const settle = statement(
  'invoices.settle',
  `UPDATE invoices
   SET status = 'paid', paid_at = now(), revision = revision + 1, updated_at = now()
   WHERE workspace_id = $1 AND id = $2 AND status IN ('open', 'overdue')
   RETURNING ${columns}`,
)
const annul = statement(
  'invoices.annul',
  `UPDATE invoices
   SET status = 'void', voided_at = now(), revision = revision + 1, updated_at = now()
   WHERE workspace_id = $1 AND id = $2 AND status IN ('open', 'overdue')
   RETURNING ${columns}`,
)

export async function findInvoice(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<FullInvoiceRow | undefined> {
  const [row] = await db.query<FullInvoiceRow>(find, [workspaceId, id])
  return row && { ...row, content: row.content && readStored(InvoiceContent, row.content) }
}

/** The next issued one of the installation. */
export async function findAfterNumber(
  db: Db,
  number: number,
): Promise<{ workspace_id: string; id: string; number: number } | undefined> {
  const rows = await db.query<{ workspace_id: string; id: string; number: number }>(afterNumber, [
    number,
  ])
  return rows[0]
}

export type ListedRow = InvoiceRow & { number: number; slug: string; is_deleted: boolean }

/** Issued ones of the installation; `isAll`: including paid and void ones. */
export const pageOfNumbers = (
  db: Db,
  after: number,
  isAll: boolean,
  limit: number,
): Promise<ListedRow[]> => db.query(listed, [after, isAll, limit])

/** Newest first. */
export const pageOfInvoices = (db: Db, workspaceId: string, request: FilteredRequest) =>
  filteredPage(db, list, workspaceId, request)

/** @returns undefined unless it was open or overdue */
export async function settleInvoice(
  trx: Db,
  workspaceId: string,
  id: string,
): Promise<InvoiceRow | undefined> {
  return (await trx.query<InvoiceRow>(settle, [workspaceId, id]))[0]
}

/** @returns undefined unless it was open or overdue */
export async function annulInvoice(
  trx: Db,
  workspaceId: string,
  id: string,
): Promise<InvoiceRow | undefined> {
  return (await trx.query<InvoiceRow>(annul, [workspaceId, id]))[0]
}
