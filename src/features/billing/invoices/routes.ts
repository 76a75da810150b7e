/** Operations on invoices. */
import type { Services } from '../../../context.ts'
import { operationGroupOf } from '../../../platform/http/operation.ts'
import { getInvoicePdf } from './invoice-pdf.ts'
import { verifyInvoice } from './invoice-verification.ts'
import { getInvoice, type InvoiceServices, listInvoices } from './invoice.ts'
import { InvoicePage, InvoiceView, ListInvoices, Verification } from './schema.ts'

const invoiceOperation = operationGroupOf<Services & InvoiceServices>()({
  tag: 'Billing',
  access: ['user', 'platform-key'],
})

export const invoiceOperations = [
  invoiceOperation({
    id: 'listInvoices',
    route: 'GET /workspaces/:id/invoices',
    summary: 'List invoices',
    description:
      'Newest month first. Each month with a price has one invoice: a draft until the end of the month, then `open`, and then `paid`, `overdue` or `void`.',
    permission: 'billing.read',
    query: ListInvoices,
    returns: { 200: InvoicePage },
    run: (context, { query }) => listInvoices(context, query),
  }),
  invoiceOperation({
    id: 'getInvoice',
    route: 'GET /workspaces/:id/invoices/:invoice_id',
    summary: 'Get an invoice',
    description:
      'As JSON, or with `Accept: application/pdf` as a PDF. A draft is computed on read and contains the cost of the month so far. An issued invoice never changes except for its status.',
    permission: 'billing.read',
    takesPaymentToken: true,
    returns: { 200: InvoiceView },
    document: {
      type: 'application/pdf',
      run: (context, { params: { invoice_id } }) => getInvoicePdf(context, invoice_id),
    },
    run: (context, { params: { invoice_id } }) => getInvoice(context, invoice_id),
  }),
  invoiceOperation({
    id: 'verifyInvoice',
    route: 'GET /workspaces/:id/invoices/:invoice_id/verify',
    summary: 'Verify an invoice',
    description:
      'Recomputes the invoice from the usage ledger and the plans as chosen, and compares it with the issued invoice line by line. A draft is refused with `invalid_transition`.',
    permission: 'billing.read',
    returns: { 200: Verification },
    fails: ['invalid_transition'],
    run: (context, { params: { invoice_id } }) => verifyInvoice(context, invoice_id),
  }),
]
