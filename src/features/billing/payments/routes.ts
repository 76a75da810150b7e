/** Operations on payments. */
import { operation, type Services } from '../../../context.ts'
import { respond, idParam, operationOf } from '../../../platform/http/operation.ts'
import { payInvoice } from './invoice-payment.ts'
import { getPayment, listPayments } from './payment.ts'
import {
  ListPayments,
  PayInvoice,
  PaymentPage,
  PaymentResult,
  PaymentView,
  TopUp,
} from './schema.ts'
import { topUp, type TopUpServices } from './top-up.ts'

const topUpOperation = operationOf<Services & TopUpServices>()

const tag = 'Billing'
const readers = ['user', 'platform-key'] as const
const payers = ['user'] as const
const workspace = { id: idParam('ws', 'workspace_not_found') }

export const paymentOperations = [
  operation({
    id: 'payInvoice',
    method: 'POST',
    path: '/workspaces/:id/invoices/:invoice_id/pay',
    tag,
    summary: 'Pay an invoice',
    description:
      'Uses the prepaid balance if it suffices and the request names no payment method; otherwise charges a payment method. Repeating the call is safe: while a payment is in progress it returns its state, and after the invoice is paid it charges nothing. A declined method is not retried for ten seconds. If the operator takes payments manually, the response contains instructions.',
    access: payers,
    permission: 'billing.write',
    // Rows record progress; no transaction is held while calling the provider.
    idempotency: 'own',
    params: { ...workspace, invoice_id: idParam('inv', 'invoice_not_found') },
    body: PayInvoice,
    returns: { 200: PaymentResult },
    fails: ['invoice_not_found', 'invalid_transition', 'payment_method_missing'],
    example: {},
    run: async (context, { params, body }) =>
      respond(200, await payInvoice(context, params.invoice_id, body)),
  }),
  topUpOperation({
    id: 'topUpBalance',
    method: 'POST',
    path: '/workspaces/:id/balance/top-ups',
    tag,
    summary: 'Add to the prepaid balance',
    description:
      'Charges a payment method in the currency of the workspace. Send an `Idempotency-Key`: repeating the request with it returns the state of the same payment and charges nothing more.',
    access: payers,
    permission: 'billing.write',
    idempotency: 'own',
    params: workspace,
    body: TopUp,
    returns: { 201: PaymentResult },
    fails: [
      'payments_by_hand',
      'billing_currency_missing',
      'payment_method_missing',
      'idempotency_key_reused',
      'limit_reached',
    ],
    example: { amount: 5000 },
    async run(context, { body }) {
      const { result, isNew } = await topUp(context, body)
      return respond(201, result, { replayed: !isNew })
    },
  }),
  operation({
    id: 'listPayments',
    method: 'GET',
    path: '/workspaces/:id/payments',
    tag,
    summary: 'List the payments',
    description: 'Newest first.',
    access: readers,
    permission: 'billing.read',
    params: workspace,
    query: ListPayments,
    returns: { 200: PaymentPage },
    fails: ['invalid_cursor'],
    run: async (context, { query }) => respond(200, await listPayments(context, query)),
  }),
  operation({
    id: 'getPayment',
    method: 'GET',
    path: '/workspaces/:id/payments/:payment_id',
    tag,
    summary: 'Get a payment',
    access: readers,
    permission: 'billing.read',
    params: { ...workspace, payment_id: idParam('pay', 'payment_not_found') },
    returns: { 200: PaymentView },
    fails: ['payment_not_found'],
    run: async (context, { params }) => respond(200, await getPayment(context, params.payment_id)),
  }),
]
