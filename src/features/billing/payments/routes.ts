/** Operations on payments. */
import { operationGroup, type Services } from '../../../context.ts'
import { CONSOLE_BASE, operationOf } from '../../../platform/http/operation.ts'
import { respond } from '../../../platform/http/reply.ts'
import { payInvoice } from './invoice-payment.ts'
import { createPaymentToken, getPayment, listPayments } from './payment.ts'
import * as schema from './schema.ts'
import { topUp, type TopUpServices } from './top-up.ts'

const operation = operationGroup({ tag: 'Billing', access: ['user', 'platform-key'] })

const topUpOperation = operationOf<Services & TopUpServices>()

const payers = ['user'] as const

export const paymentOperations = [
  operation({
    id: 'payInvoice',
    route: 'POST /workspaces/:id/invoices/:invoice_id/pay',
    summary: 'Pay an invoice',
    description:
      'Uses the prepaid balance if it suffices and the request names no payment method; otherwise charges a payment method. Repeating the call is safe: while a payment is in progress it returns its state, and after the invoice is paid it charges nothing. A declined method is not retried for ten seconds. If the operator takes payments manually, the response contains instructions.',
    access: payers,
    permission: 'billing.write',
    takesPaymentToken: true,
    // Rows record progress; no transaction is held while calling the provider.
    idempotency: 'own',
    body: schema.PayInvoice,
    returns: { 200: schema.PaymentResult },
    fails: ['invoice_not_found', 'invalid_transition', 'payment_method_missing'],
    example: {},
    run: (context, { params, body }) => payInvoice(context, params.invoice_id, body),
  }),
  topUpOperation({
    id: 'topUpBalance',
    route: 'POST /workspaces/:id/balance/top-ups',
    tag: 'Billing',
    summary: 'Add to the prepaid balance',
    description:
      'Charges a payment method in the currency of the workspace. Send an `Idempotency-Key`: repeating the request with it returns the state of the same payment and charges nothing more.',
    access: payers,
    permission: 'billing.write',
    takesPaymentToken: true,
    idempotency: 'own',
    body: schema.TopUp,
    returns: { 201: schema.PaymentResult },
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
    route: 'GET /workspaces/:id/payments',
    summary: 'List the payments',
    description: 'Newest first.',
    permission: 'billing.read',
    query: schema.ListPayments,
    returns: { 200: schema.PaymentPage },
    run: (context, { query }) => listPayments(context, query),
  }),
  operation({
    id: 'getPayment',
    route: 'GET /workspaces/:id/payments/:payment_id',
    summary: 'Get a payment',
    permission: 'billing.read',
    takesPaymentToken: true,
    returns: { 200: schema.PaymentView },
    fails: ['payment_not_found'],
    run: (context, { params }) => getPayment(context, params.payment_id),
  }),
  operation({
    id: 'createPaymentToken',
    route: 'POST /workspaces/:id/payment-tokens',
    base: CONSOLE_BASE,
    access: payers,
    permission: 'billing.write',
    idempotency: 'own',
    returns: { 201: schema.PaymentToken },
    fails: ['payments_by_hand'],
    run: (context) => createPaymentToken(context),
  }),
]
