/** Reads invoices; the current month's draft is computed on read. */
import type { Context } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { found } from '../../../platform/errors/errors.ts'
import { HOUR_MS } from '../../../platform/lib/time.ts'
import { currencyExponent } from '../../../platform/lib/currency.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { listFiltered } from '../../common/filtered-list.ts'
import { readerOf } from '../../common/resource.ts'
import { timestamp } from '../../common/shapes.ts'
import {
  type BillingServices,
  findSubscription,
} from '../../metering/subscriptions/subscription-lock.ts'
import { usageSoFar } from '../../metering/usage/usage-report.ts'
import { findName } from '../../workspaces/lifecycle/workspace.ts'
import { computeInvoice } from './invoice-computing.ts'
import { dueOf, numberText, saidBy, summaryOf, viewOf } from './invoice-view.ts'
import { invoiceFields, type InvoiceView, type ListInvoices } from './schema.ts'
import * as store from './store.ts'

export type InvoiceServices = BillingServices

/** @throws Failure invalid_request, invalid_cursor */
export const listInvoices = (context: Context, query: ListInvoices) =>
  listFiltered(context, query, {
    name: 'invoices',
    fields: invoiceFields,
    conditions: { status: query.status },
    pageOf: store.pageOfInvoices,
    view: summaryOf,
  })

export const readInvoice = readerOf(store.findInvoice, 'invoice_not_found')

/** The draft as if issued now, up to the start of the next hour. */
async function computeDraft(
  { db, billing, clock }: Context & InvoiceServices,
  row: store.InvoiceRow,
): Promise<InvoiceView> {
  const { workspace_id: workspaceId, period_start: from, period_end: to } = row
  const computing = {
    workspaceId,
    month: { from, to },
    until: Math.ceil(clock.now() / HOUR_MS) * HOUR_MS,
    subscription: await findSubscription.first(db, { workspaceId }),
    workspace: await findName(db, workspaceId),
  }
  return viewOf(row, await computeInvoice(db, billing, computing, usageSoFar))
}

/** @throws Failure invoice_not_found */
export async function getInvoice(
  context: Context & InvoiceServices,
  invoiceId: string,
): Promise<InvoiceView> {
  const row = await readInvoice(context.db, context, invoiceId)
  const said = saidBy(row)
  return said === undefined ? computeDraft(context, row) : viewOf(row, said)
}

/** The installation's next invoice after a number, for the operator. */
export async function issuedAfter(db: Db, number: number) {
  const row = await store.findAfterNumber.first(db, { number })
  if (row === undefined) return undefined
  const { workspace_id: workspaceId, id: invoiceId } = row
  return { workspaceId, invoiceId, number: row.number, name: numberText(row.number) }
}

/** The installation's issued invoices by number, for the operator. */
export async function pageOfIssued(
  db: Db,
  { after, isAll, limit = 500 }: { after: number; isAll: boolean; limit?: number },
) {
  const rows = await store.pageOfNumbers.rows(db, { after, isAll, limit })
  return rows.map(({ status, ...row }) => {
    if (status === 'draft') throw new Error('a draft has no number')
    const amountDue = dueOf({ ...row, status })
    const total = row.total ?? 0
    return {
      counted: row.number,
      number: numberText(row.number),
      workspace: row.slug,
      workspace_id: formatId('ws', row.workspace_id),
      is_deleted: row.is_deleted,
      customer: row.customer ?? '',
      status,
      issued_at: timestamp(row.issued_at ?? 0),
      due_at: timestamp(row.due_at ?? 0),
      currency: row.currency,
      exponent: currencyExponent(row.currency),
      // For paid and void invoices the total.
      amount: amountDue || total,
      total,
      amount_due: amountDue,
    }
  })
}

/**
 * An issued invoice, for the operator, including those of deleted workspaces.
 * @throws Failure invoice_not_found
 */
export async function readIssued(
  db: Db,
  workspaceId: string,
  invoiceId: string,
): Promise<InvoiceView> {
  const row = await readInvoice(db, { workspaceId }, invoiceId)
  return viewOf(row, found(saidBy(row), 'invoice_not_found'))
}

export async function findIssued(db: Db, number: number) {
  const invoice = await issuedAfter(db, number - 1)
  return invoice?.number === number ? invoice : undefined
}
