/** Operations on webhooks. */
import type { Services } from '../../../context.ts'
import { respond, idParam, operationOf } from '../../../platform/http/operation.ts'
import { Page } from '../../common/paging.ts'
import {
  CreateWebhook,
  ListWebhooks,
  RotateSecret,
  TestResult,
  UpdateWebhook,
  WebhookView,
  WebhookWithSecret,
} from './schema.ts'
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

const operation = operationOf<Services & WebhookServices>()

const access = ['user', 'platform-key'] as const
const tag = 'Events'
const workspace = { id: idParam('ws', 'workspace_not_found') }
const webhook = { ...workspace, webhook_id: idParam('whk', 'webhook_not_found') }

export const webhookOperations = [
  operation({
    id: 'createWebhook',
    method: 'POST',
    path: '/workspaces/:id/webhooks',
    tag,
    summary: 'Create a webhook',
    description:
      'Sends new events to the URL, signed with the secret. The secret is returned only once.',
    access,
    permission: 'webhooks.write',
    params: workspace,
    body: CreateWebhook,
    returns: { 201: WebhookWithSecret },
    fails: ['limit_reached'],
    example: { url: 'https://hooks.example.com/mooring', types: ['device.*'] },
    async run(context, { body }) {
      const created = await createWebhook(context, body)
      const location = `/workspaces/${created.workspace_id}/webhooks/${created.id}`
      return respond(201, created, { location, revision: 1 })
    },
  }),
  operation({
    id: 'listWebhooks',
    method: 'GET',
    path: '/workspaces/:id/webhooks',
    tag,
    summary: 'List webhooks',
    description: 'Newest first.',
    access,
    permission: 'events.read',
    isPlanFree: true,
    params: workspace,
    query: ListWebhooks,
    returns: { 200: Page(WebhookView) },
    mayHoldSecrets: true,
    fails: ['invalid_cursor'],
    run: async (context, { query }) => respond(200, await listWebhooks(context, query)),
  }),
  operation({
    id: 'getWebhook',
    method: 'GET',
    path: '/workspaces/:id/webhooks/:webhook_id',
    tag,
    summary: 'Get a webhook',
    access,
    permission: 'events.read',
    isPlanFree: true,
    params: webhook,
    returns: { 200: WebhookView },
    mayHoldSecrets: true,
    fails: ['webhook_not_found'],
    async run(context, { params }) {
      const { view, revision } = await getWebhook(context, params.webhook_id)
      return respond(200, view, { revision })
    },
  }),
  operation({
    id: 'updateWebhook',
    method: 'PATCH',
    path: '/workspaces/:id/webhooks/:webhook_id',
    tag,
    summary: 'Change a webhook',
    description:
      'Only members in the body change. When enabled again, delivery continues where it ' +
      'stopped.',
    access,
    permission: 'webhooks.write',
    isPlanFree: true,
    params: webhook,
    body: UpdateWebhook,
    returns: { 200: WebhookView },
    fails: ['webhook_not_found', 'precondition_failed'],
    example: { types: ['device.*', 'claim.*'], status: 'enabled' },
    async run(context, { params, body }) {
      const { view, revision } = await updateWebhook(context, params.webhook_id, body)
      return respond(200, view, { revision })
    },
  }),
  operation({
    id: 'rotateWebhookSecret',
    method: 'POST',
    path: '/workspaces/:id/webhooks/:webhook_id/rotate-secret',
    tag,
    summary: 'Rotate the secret of a webhook',
    description:
      'Deliveries are also signed with the previous secret until the overlap ends, so that receivers refuse none.',
    access,
    permission: 'webhooks.write',
    bucket: 'safety',
    params: webhook,
    body: RotateSecret,
    returns: { 200: WebhookWithSecret },
    fails: ['webhook_not_found', 'precondition_failed'],
    example: { overlap_s: 86_400 },
    async run(context, { params, body }) {
      const overlap = body.overlap_s ?? 86_400
      const { view, revision } = await rotateWebhookSecret(context, params.webhook_id, overlap)
      return respond(200, view, { revision })
    },
  }),
  operation({
    id: 'testWebhook',
    method: 'POST',
    path: '/workspaces/:id/webhooks/:webhook_id/test',
    tag,
    summary: 'Test a webhook',
    description:
      'Sends a `webhook.test` immediately, signed like every event, and returns the result. There is one attempt, even if the webhook is disabled.',
    access,
    permission: 'webhooks.write',
    idempotency: 'own',
    params: webhook,
    returns: { 200: TestResult },
    fails: ['webhook_not_found'],
    run: async (context, { params }) => respond(200, await testWebhook(context, params.webhook_id)),
  }),
  operation({
    id: 'deleteWebhook',
    method: 'DELETE',
    path: '/workspaces/:id/webhooks/:webhook_id',
    tag,
    summary: 'Delete a webhook',
    access,
    permission: 'webhooks.write',
    bucket: 'safety',
    params: webhook,
    returns: { 204: null },
    fails: ['webhook_not_found', 'precondition_failed'],
    async run(context, { params }) {
      await deleteWebhook(context, params.webhook_id)
      return respond(204, null)
    },
  }),
]
