/** Operations on payment methods. */
import { operation } from '../../../context.ts'
import { respond, idParam } from '../../../platform/http/operation.ts'
import { listPaymentMethods, makeDefault, removePaymentMethod } from './payment-method.ts'
import { beginSetup } from './method-setup.ts'
import {
  PaymentMethodList,
  PaymentMethodSetup,
  PaymentMethodView,
  UpdatePaymentMethod,
} from './schema.ts'

const tag = 'Billing'
const path = '/workspaces/:id/payment-methods'
const workspace = { id: idParam('ws', 'workspace_not_found') }
const method = { ...workspace, method_id: idParam('pm', 'payment_method_not_found') }

export const paymentMethodOperations = [
  operation({
    id: 'listPaymentMethods',
    method: 'GET',
    path,
    tag,
    summary: 'List the payment methods',
    description: 'Oldest first. A method is listed once its setup has succeeded.',
    access: ['user', 'platform-key'] as const,
    permission: 'billing.read',
    params: workspace,
    returns: { 200: PaymentMethodList },
    fails: [],
    run: async (context) => respond(200, await listPaymentMethods(context)),
  }),
  operation({
    id: 'createPaymentMethod',
    method: 'POST',
    path,
    tag,
    summary: 'Set up a payment method',
    description:
      "Returns the parameters for the payment provider's form in the browser, in which the payer enters a card. The card number never reaches this service. The method is listed when the provider confirms it. The first method becomes the default. An unfinished setup expires after a day.",
    access: ['user'] as const,
    permission: 'billing.write',
    // The created setup is useless until a card is entered.
    idempotency: 'own',
    params: workspace,
    returns: { 201: PaymentMethodSetup },
    fails: ['payments_by_hand', 'limit_reached', 'payment_provider_unavailable'],
    run: async (context) => respond(201, await beginSetup(context)),
  }),
  operation({
    id: 'updatePaymentMethod',
    method: 'PATCH',
    path: `${path}/:method_id`,
    tag,
    summary: 'Make a payment method the default',
    access: ['user'] as const,
    permission: 'billing.write',
    params: method,
    body: UpdatePaymentMethod,
    returns: { 200: PaymentMethodView },
    fails: ['payment_method_not_found', 'precondition_failed'],
    example: { is_default: true },
    async run(context, { params }) {
      const { view, revision } = await makeDefault(context, params.method_id)
      return respond(200, view, { revision })
    },
  }),
  operation({
    id: 'deletePaymentMethod',
    method: 'DELETE',
    path: `${path}/:method_id`,
    tag,
    summary: 'Remove a payment method',
    description:
      'The method is no longer charged. Payments in progress continue. If it was the default, no other method replaces it.',
    access: ['user'] as const,
    permission: 'billing.write',
    bucket: 'safety',
    params: method,
    returns: { 204: null },
    fails: ['payment_method_not_found', 'precondition_failed'],
    async run(context, { params }) {
      await removePaymentMethod(context, params.method_id)
      return respond(204, null)
    },
  }),
]
