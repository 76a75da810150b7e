/** Operations on the delivery log. */
import { respond, idParam } from '../../../platform/http/operation.ts'
import { operation } from '../../../context.ts'
import { Page } from '../../common/paging.ts'
import { getDelivery, listDeliveries, redeliver } from './delivery-log.ts'
import { redeliverRange } from './redelivery.ts'
import { DeliveryDetail, DeliveryView, ListDeliveries, Redeliver, Redelivery } from './schema.ts'

const access = ['user', 'platform-key'] as const
const tag = 'Events'
const webhook = {
  id: idParam('ws', 'workspace_not_found'),
  webhook_id: idParam('whk', 'webhook_not_found'),
}
const delivery = { ...webhook, delivery_id: idParam('dlv', 'webhook_delivery_not_found') }

export const webhookDeliveryOperations = [
  operation({
    id: 'listWebhookDeliveries',
    method: 'GET',
    path: '/workspaces/:id/webhooks/:webhook_id/deliveries',
    tag,
    summary: 'List deliveries of a webhook',
    description:
      'Completed and waiting deliveries, newest first. `status=dead` lists dead letters. Events without an attempt are only in the feed.',
    access,
    permission: 'events.read',
    params: webhook,
    query: ListDeliveries,
    returns: { 200: Page(DeliveryView) },
    mayHoldSecrets: true,
    fails: ['webhook_not_found', 'invalid_cursor'],
    run: async (context, { params, query }) =>
      respond(200, await listDeliveries(context, params.webhook_id, query)),
  }),
  operation({
    id: 'getWebhookDelivery',
    method: 'GET',
    path: '/workspaces/:id/webhooks/:webhook_id/deliveries/:delivery_id',
    tag,
    summary: 'Get a delivery of a webhook',
    access,
    permission: 'events.read',
    params: delivery,
    returns: { 200: DeliveryDetail },
    mayHoldSecrets: true,
    fails: ['webhook_not_found', 'webhook_delivery_not_found'],
    run: async (context, { params }) =>
      respond(200, await getDelivery(context, params.webhook_id, params.delivery_id)),
  }),
  operation({
    id: 'redeliverWebhookDelivery',
    method: 'POST',
    path: '/workspaces/:id/webhooks/:webhook_id/deliveries/:delivery_id/redeliver',
    tag,
    summary: 'Redeliver a delivery',
    description:
      'Retries it immediately, whether it was delivered, is waiting or is a dead letter, with the full retry schedule. The `webhook-id` stays the same.',
    access,
    permission: 'webhooks.write',
    params: delivery,
    returns: { 202: DeliveryView },
    fails: ['webhook_not_found', 'webhook_delivery_not_found', 'webhook_disabled', 'events_gone'],
    run: async (context, { params }) =>
      respond(202, await redeliver(context, params.webhook_id, params.delivery_id)),
  }),
  operation({
    id: 'redeliverWebhookEvents',
    method: 'POST',
    path: '/workspaces/:id/webhooks/:webhook_id/redeliver',
    tag,
    summary: 'Redeliver a range of events',
    description:
      'Redelivers past events of that time range, in the background and in order per device. With `status` `dead` only dead letters, otherwise all events of its types, including events from before its creation.',
    access,
    permission: 'webhooks.write',
    params: webhook,
    body: Redeliver,
    returns: { 202: Redelivery },
    fails: ['webhook_not_found', 'webhook_disabled'],
    example: { after: '2026-11-20T00:00:00.000Z', status: 'dead' },
    run: async (context, { params, body }) =>
      respond(202, await redeliverRange(context, params.webhook_id, body)),
  }),
]
