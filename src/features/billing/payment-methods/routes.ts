/** Operations on payment methods. */
import { operationGroup } from '../../../context.ts'
import { listPaymentMethods, makeDefault, removePaymentMethod } from './payment-method.ts'
import { beginSetup } from './method-setup.ts'
import * as schema from './schema.ts'

const operation = operationGroup({ tag: 'Billing', access: ['user'] })

const path = '/workspaces/:id/payment-methods'

export const paymentMethodOperations = [
  operation({
    id: 'listPaymentMethods',
    route: `GET ${path}`,
    summary: 'List the payment methods',
    description:
      'Oldest first. A method is listed once its setup has succeeded. Where the operator takes payments manually there are none, and `instructions` says how to pay.',
    access: ['user', 'platform-key'] as const,
    permission: 'billing.read',
    takesPaymentToken: true,
    returns: { 200: schema.PaymentMethodList },
    run: (context) => listPaymentMethods(context),
  }),
  operation({
    id: 'createPaymentMethod',
    route: `POST ${path}`,
    summary: 'Set up a payment method',
    description:
      "Returns the parameters for the payment provider's form in the browser, in which the payer enters a card. The card number never reaches this service. The method is listed when the provider confirms it. The first method becomes the default. An unfinished setup expires after a day.",
    permission: 'billing.write',
    takesPaymentToken: true,
    // The created setup is useless until a card is entered.
    idempotency: 'own',
    returns: { 201: schema.PaymentMethodSetup },
    fails: ['payments_by_hand', 'limit_reached', 'payment_provider_unavailable'],
    run: (context) => beginSetup(context),
  }),
  operation({
    id: 'updatePaymentMethod',
    route: `PATCH ${path}/:method_id`,
    summary: 'Make a payment method the default',
    permission: 'billing.write',
    body: schema.UpdatePaymentMethod,
    returns: { 200: schema.PaymentMethodView },
    fails: ['payment_method_not_found', 'precondition_failed'],
    example: { is_default: true },
    run: (context, { params }) => makeDefault(context, params.method_id),
  }),
  operation({
    id: 'deletePaymentMethod',
    route: `DELETE ${path}/:method_id`,
    summary: 'Remove a payment method',
    description:
      'The method is no longer charged. Payments in progress continue. If it was the default, no other method replaces it.',
    permission: 'billing.write',
    bucket: 'safety',
    returns: { 204: null },
    fails: ['payment_method_not_found', 'precondition_failed'],
    run: (context, { params }) => removePaymentMethod(context, params.method_id),
  }),
]
