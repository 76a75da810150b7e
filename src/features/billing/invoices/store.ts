/** Queries on invoices. */
import type { Db } from '../../../platform/database/connect.ts'
import { type RowOf, sql } from '../../../platform/database/sql.ts'
import { filteredList } from '../../../platform/database/filtered-list.ts'
import { readStored } from '../../../platform/lib/stored-json.ts'
import { InvoiceContent } from './schema.ts'

const columns = `workspace_id, id, status, period_start, period_end, currency, number, subtotal, tax,
  total, balance_used, issued_at, due_at, paid_at, voided_at, revision`

export type FullInvoiceRow = RowOf<typeof find>
export type InvoiceRow = Omit<FullInvoiceRow, 'content'>

const find = sql(
  'invoices.find',
  `SELECT ${columns}, content FROM invoices WHERE workspace_id = $workspaceId AND id = $id`,
)
/** The next issued one of the installation. */
export const findAfterNumber = sql(
  'invoices.after_number',
  `SELECT workspace_id, id, number AS number! FROM invoices WHERE number > $number ORDER BY number
     LIMIT 1`,
)
/** Issued ones of the installation; `isAll`: including paid and void ones. */
export const pageOfNumbers = sql(
  'invoices.listed',
  `SELECT i.*, w.slug, w.status = 'deleting' AS is_deleted!
   FROM (SELECT ${columns.replace(' number,', ' number AS number!,')} FROM invoices
         WHERE number > $after AND ($isAll OR status IN ('open', 'overdue')) ORDER BY number
           LIMIT $limit) i
   JOIN workspaces w ON w.id = i.workspace_id ORDER BY i.number`,
)
/** Newest first. */
export const pageOfInvoices = filteredList<InvoiceRow>({
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
/** @returns undefined unless it was open or overdue */
export const settleInvoice = sql(
  'invoices.settle',
  `UPDATE invoices
   SET status = 'paid', paid_at = now(), revision = revision + 1, updated_at = now()
   WHERE workspace_id = $workspaceId AND id = $id AND status IN ('open', 'overdue')
   RETURNING ${columns}`,
)
/** @returns undefined unless it was open or overdue */
export const annulInvoice = sql(
  'invoices.annul',
  `UPDATE invoices
   SET status = 'void', voided_at = now(), revision = revision + 1, updated_at = now()
   WHERE workspace_id = $workspaceId AND id = $id AND status IN ('open', 'overdue')
   RETURNING ${columns}`,
)

export async function findInvoice(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<FullInvoiceRow | undefined> {
  const row = await find.first(db, { workspaceId, id })
  return row && { ...row, content: row.content && readStored(InvoiceContent, row.content) }
}
