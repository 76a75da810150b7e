/** Operations on the delivery log. */
import { operationGroup } from '../../../context.ts'
import { Page } from '../../common/paging.ts'
import { getDelivery, listDeliveries, redeliver } from './delivery-log.ts'
import { redeliverRange } from './redelivery.ts'
import {
  DeliveryDetail,
  DeliveryView,
  ListDeliveries,
  Redeliver,
  RedeliverQuery,
  Redelivery,
} from './schema.ts'

const operation = operationGroup({ tag: 'Events', access: ['user', 'platform-key'] })

export const webhookDeliveryOperations = [
  operation({
    id: 'listWebhookDeliveries',
    route: 'GET /workspaces/:id/webhooks/:webhook_id/deliveries',
    summary: 'List deliveries of a webhook',
    description:
      'Completed and waiting deliveries, newest first. `status=dead` lists dead letters. Events without an attempt are only in the feed.',
    permission: 'events.read',
    query: ListDeliveries,
    returns: { 200: Page(DeliveryView) },
    mayHoldSecrets: true,
    fails: ['webhook_not_found'],
    run: (context, { params, query }) => listDeliveries(context, params.webhook_id, query),
  }),
  operation({
    id: 'getWebhookDelivery',
    route: 'GET /workspaces/:id/webhooks/:webhook_id/deliveries/:delivery_id',
    summary: 'Get a delivery of a webhook',
    permission: 'events.read',
    returns: { 200: DeliveryDetail },
    mayHoldSecrets: true,
    fails: ['webhook_not_found', 'webhook_delivery_not_found'],
    run: (context, { params }) => getDelivery(context, params.webhook_id, params.delivery_id),
  }),
  operation({
    id: 'redeliverWebhookDelivery',
    route: 'POST /workspaces/:id/webhooks/:webhook_id/deliveries/:delivery_id/redeliver',
    summary: 'Redeliver a delivery',
    description:
      'Retries it immediately, whether it was delivered, is waiting or is a dead letter, with the full retry schedule. The `webhook-id` stays the same.',
    permission: 'webhooks.write',
    returns: { 202: DeliveryView },
    fails: ['webhook_not_found', 'webhook_delivery_not_found', 'webhook_disabled', 'events_gone'],
    run: (context, { params }) => redeliver(context, params.webhook_id, params.delivery_id),
  }),
  operation({
    id: 'redeliverWebhookEvents',
    route: 'POST /workspaces/:id/webhooks/:webhook_id/redeliver',
    summary: 'Redeliver a range of events',
    description:
      'Redelivers past events of that time range, in the background and in order per device. With `status` `dead` only dead letters, otherwise all events of its types, including events from before its creation. With `dry_run` it only counts them.',
    permission: 'webhooks.write',
    query: RedeliverQuery,
    body: Redeliver,
    returns: { 202: Redelivery },
    fails: ['webhook_not_found', 'webhook_disabled'],
    example: { after: '2026-11-20T00:00:00.000Z', status: 'dead' },
    run: (context, { params, query, body }) =>
      redeliverRange(context, params.webhook_id, body, query.dry_run ?? false),
  }),
]
