/** Operations on invoices. */
import type { Services } from '../../../context.ts'
import { respond, idParam, operationOf } from '../../../platform/http/operation.ts'
import { getInvoicePdf } from './invoice-pdf.ts'
import { verifyInvoice } from './invoice-verification.ts'
import { getInvoice, type InvoiceServices, listInvoices } from './invoice.ts'
import { InvoicePage, InvoiceView, ListInvoices, Verification } from './schema.ts'

const invoiceOperation = operationOf<Services & InvoiceServices>()

const access = ['user', 'platform-key'] as const
const tag = 'Billing'
const params = { id: idParam('ws', 'workspace_not_found') }
const ofInvoice = { ...params, invoice_id: idParam('inv', 'invoice_not_found') }

export const invoiceOperations = [
  invoiceOperation({
    id: 'listInvoices',
    method: 'GET',
    path: '/workspaces/:id/invoices',
    tag,
    summary: 'List invoices',
    description:
      'Newest month first. Each month with a price has one invoice: a draft until the end of the month, then `open`, and then `paid`, `overdue` or `void`.',
    access,
    permission: 'billing.read',
    params,
    query: ListInvoices,
    returns: { 200: InvoicePage },
    fails: ['invalid_cursor'],
    run: async (context, { query }) => respond(200, await listInvoices(context, query)),
  }),
  invoiceOperation({
    id: 'getInvoice',
    method: 'GET',
    path: '/workspaces/:id/invoices/:invoice_id',
    tag,
    summary: 'Get an invoice',
    description:
      'As JSON, or with `Accept: application/pdf` as a PDF. A draft is computed on read and contains the cost of the month so far. An issued invoice never changes except for its status.',
    access,
    permission: 'billing.read',
    params: ofInvoice,
    returns: { 200: InvoiceView },
    fails: [],
    document: {
      type: 'application/pdf',
      run: (context, { params: { invoice_id } }) => getInvoicePdf(context, invoice_id),
    },
    run: async (context, { params: { invoice_id } }) =>
      respond(200, await getInvoice(context, invoice_id)),
  }),
  invoiceOperation({
    id: 'verifyInvoice',
    method: 'GET',
    path: '/workspaces/:id/invoices/:invoice_id/verify',
    tag,
    summary: 'Verify an invoice',
    description:
      'Recomputes the invoice from the usage ledger and the plans as chosen, and compares it with the issued invoice line by line. A draft is refused with `invalid_transition`.',
    access,
    permission: 'billing.read',
    params: ofInvoice,
    returns: { 200: Verification },
    fails: ['invalid_transition'],
    run: async (context, { params: { invoice_id } }) =>
      respond(200, await verifyInvoice(context, invoice_id)),
  }),
]
