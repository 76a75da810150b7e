/** Operations on a workspace's subscription. */
import type { Services } from '../../../context.ts'
import { operationOf } from '../../../platform/http/operation.ts'
import { PutSubscription, SubscriptionView } from './schema.ts'
import { getSubscription, putSubscription, type SubscriptionServices } from './subscription.ts'

const subscriptionOperation = operationOf<Services & SubscriptionServices>()

export const subscriptionOperations = [
  subscriptionOperation({
    id: 'getSubscription',
    route: 'GET /workspaces/:id/subscription',
    tag: 'Billing',
    summary: 'Get the subscription',
    description: 'The plan of the workspace, its start, and the billing details.',
    access: ['user', 'platform-key'],
    permission: 'billing.read',
    returns: { 200: SubscriptionView },
    run: (context) => getSubscription(context),
  }),
  subscriptionOperation({
    id: 'putSubscription',
    route: 'PUT /workspaces/:id/subscription',
    tag: 'Billing',
    summary: 'Choose a plan',
    description:
      'Limits take effect immediately. Prices take effect from the start of the current hour (UTC), or of the next hour if the new plan lowers a limit of a plan with prices. A month with several plans is charged by the hour. One change per hour is allowed. The workspace keeps the chosen version of the plan even if the offer changes; choosing the plan again adopts the changes. `billing_details` change only if they are in the body. The operator assigns custom plans.',
    access: ['user'],
    permission: 'billing.write',
    body: PutSubscription,
    returns: { 200: SubscriptionView },
    fails: ['precondition_failed', 'currency_fixed', 'subscription_just_changed'],
    example: {
      plan_id: 'pay-as-you-go',
      billing_details: { name: 'Acme Sensors GmbH', address: 'Hauptstr. 1\n10115 Berlin' },
    },
    run: (context, { body }) => putSubscription(context, body),
  }),
]
