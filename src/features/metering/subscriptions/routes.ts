/** Operations on a workspace's subscription. */
import type { Services } from '../../../context.ts'
import { respond, idParam, operationOf } from '../../../platform/http/operation.ts'
import { PutSubscription, SubscriptionView } from './schema.ts'
import { getSubscription, putSubscription, type SubscriptionServices } from './subscription.ts'

const subscriptionOperation = operationOf<Services & SubscriptionServices>()

const tag = 'Billing'
const params = { id: idParam('ws', 'workspace_not_found') }

export const subscriptionOperations = [
  subscriptionOperation({
    id: 'getSubscription',
    method: 'GET',
    path: '/workspaces/:id/subscription',
    tag,
    summary: 'Get the subscription',
    description: 'The plan of the workspace, its start, and the billing details.',
    access: ['user', 'platform-key'] as const,
    permission: 'billing.read',
    params,
    returns: { 200: SubscriptionView },
    fails: [],
    async run(context) {
      const { view, revision } = await getSubscription(context)
      return respond(200, view, { revision })
    },
  }),
  subscriptionOperation({
    id: 'putSubscription',
    method: 'PUT',
    path: '/workspaces/:id/subscription',
    tag,
    summary: 'Choose a plan',
    description:
      'Limits take effect immediately. Prices take effect from the start of the current hour (UTC), or of the next hour if the new plan lowers a limit of a plan with prices. A month with several plans is charged by the hour. One change per hour is allowed. The workspace keeps the chosen version of the plan even if the offer changes; choosing the plan again adopts the changes. `billing_details` change only if they are in the body. The operator assigns custom plans.',
    access: ['user'] as const,
    permission: 'billing.write',
    params,
    body: PutSubscription,
    returns: { 200: SubscriptionView },
    fails: ['precondition_failed', 'currency_fixed', 'subscription_just_changed'],
    example: {
      plan_id: 'pay-as-you-go',
      billing_details: { name: 'Acme Sensors GmbH', address: 'Hauptstr. 1\n10115 Berlin' },
    },
    async run(context, { body }) {
      const { view, revision } = await putSubscription(context, body)
      return respond(200, view, { revision })
    },
  }),
]
