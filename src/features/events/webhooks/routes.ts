/** Operations on webhooks. */
import type { Services } from '../../../context.ts'
import { operationGroupOf } from '../../../platform/http/operation.ts'
import { Page } from '../../common/paging.ts'
import * as schema from './schema.ts'
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateWebhookSecret,
  updateWebhook,
  type WebhookServices,
} from './webhook.ts'
import { testWebhook } from './webhook-test.ts'

const operation = operationGroupOf<Services & WebhookServices>()({
  tag: 'Events',
  access: ['user', 'platform-key'],
})

export const webhookOperations = [
  operation({
    id: 'createWebhook',
    route: 'POST /workspaces/:id/webhooks',
    summary: 'Create a webhook',
    description:
      'Sends new events to the URL, signed with the secret. The secret is returned only once.',
    permission: 'webhooks.write',
    body: schema.CreateWebhook,
    returns: { 201: schema.WebhookWithSecret },
    fails: ['limit_reached'],
    example: { url: 'https://hooks.example.com/mooring', types: ['device.*'] },
    created: { location: '/workspaces/{workspace_id}/webhooks/{id}', revision: 1 },
    run: (context, { body }) => createWebhook(context, body),
  }),
  operation({
    id: 'listWebhooks',
    route: 'GET /workspaces/:id/webhooks',
    summary: 'List webhooks',
    description: 'Newest first.',
    permission: 'events.read',
    isPlanFree: true,
    query: schema.ListWebhooks,
    returns: { 200: Page(schema.WebhookView) },
    mayHoldSecrets: true,
    run: (context, { query }) => listWebhooks(context, query),
  }),
  operation({
    id: 'getWebhook',
    route: 'GET /workspaces/:id/webhooks/:webhook_id',
    summary: 'Get a webhook',
    permission: 'events.read',
    isPlanFree: true,
    returns: { 200: schema.WebhookView },
    mayHoldSecrets: true,
    fails: ['webhook_not_found'],
    run: (context, { params }) => getWebhook(context, params.webhook_id),
  }),
  operation({
    id: 'updateWebhook',
    route: 'PATCH /workspaces/:id/webhooks/:webhook_id',
    summary: 'Change a webhook',
    description:
      'Only members in the body change. When the webhook is enabled again, delivery continues where it stopped.',
    permission: 'webhooks.write',
    isPlanFree: true,
    body: schema.UpdateWebhook,
    returns: { 200: schema.WebhookView },
    fails: ['webhook_not_found', 'precondition_failed'],
    example: { types: ['device.*', 'claim.*'], status: 'enabled' },
    run: (context, { params, body }) => updateWebhook(context, params.webhook_id, body),
  }),
  operation({
    id: 'rotateWebhookSecret',
    route: 'POST /workspaces/:id/webhooks/:webhook_id/rotate-secret',
    summary: 'Rotate the secret of a webhook',
    description:
      'Deliveries are also signed with the previous secret until the overlap ends, so that receivers refuse none.',
    permission: 'webhooks.write',
    bucket: 'safety',
    body: schema.RotateSecret,
    returns: { 200: schema.WebhookWithSecret },
    fails: ['webhook_not_found', 'precondition_failed'],
    example: { overlap_s: 86_400 },
    run(context, { params, body }) {
      const overlap = body.overlap_s ?? 86_400
      return rotateWebhookSecret(context, params.webhook_id, overlap)
    },
  }),
  operation({
    id: 'testWebhook',
    route: 'POST /workspaces/:id/webhooks/:webhook_id/test',
    summary: 'Test a webhook',
    description:
      'Sends a `webhook.test` immediately, signed like every event, and returns the result. There is one attempt, even if the webhook is disabled.',
    permission: 'webhooks.write',
    idempotency: 'own',
    returns: { 200: schema.TestResult },
    fails: ['webhook_not_found'],
    run: (context, { params }) => testWebhook(context, params.webhook_id),
  }),
  operation({
    id: 'deleteWebhook',
    route: 'DELETE /workspaces/:id/webhooks/:webhook_id',
    summary: 'Delete a webhook',
    permission: 'webhooks.write',
    bucket: 'safety',
    returns: { 204: null },
    fails: ['webhook_not_found', 'precondition_failed'],
    run: (context, { params }) => deleteWebhook(context, params.webhook_id),
  }),
]
