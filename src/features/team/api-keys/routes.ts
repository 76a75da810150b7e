/** The operations on API keys. */
import { operation } from '../../../context.ts'
import { respond, idParam } from '../../../platform/http/operation.ts'
import { Page } from '../../common/paging.ts'
import { createApiKey, getApiKey, listApiKeys, revokeApiKey } from './api-key.ts'
import { updateApiKey } from './api-key-update.ts'
import { ApiKeyView, CreateApiKey, CreatedApiKey, ListApiKeys, UpdateApiKey } from './schema.ts'

const access = ['user', 'platform-key'] as const
const tag = 'API keys'
const workspace = { id: idParam('ws', 'workspace_not_found') }
const key = { ...workspace, key_id: idParam('key', 'api_key_not_found') }

export const apiKeyOperations = [
  operation({
    id: 'createApiKey',
    method: 'POST',
    path: '/workspaces/:id/api-keys',
    tag,
    summary: 'Create an API key',
    description:
      'The plaintext key is returned only once. Platform keys have the rights of an admin and do not expire. Provision keys are accepted only at `/provision/*` and can be restricted.',
    access,
    needsFreshProof: true,
    permission: 'api_keys.write',
    isPlanFree: true,
    params: workspace,
    body: CreateApiKey,
    returns: { 201: CreatedApiKey },
    fails: ['limit_reached'],
    example: { key_kind: 'provision', name: 'Factory line 1' },
    async run(context, { body }) {
      const created = await createApiKey(context, body)
      const location = `/workspaces/${created.workspace_id}/api-keys/${created.id}`
      return respond(201, created, { location, revision: 1 })
    },
  }),
  operation({
    id: 'listApiKeys',
    method: 'GET',
    path: '/workspaces/:id/api-keys',
    tag,
    summary: 'List API keys',
    description: 'Newest first. Revoked keys are included.',
    access,
    permission: 'api_keys.read',
    isPlanFree: true,
    params: workspace,
    query: ListApiKeys,
    returns: { 200: Page(ApiKeyView) },
    fails: ['invalid_cursor'],
    run: async (context, { query }) => respond(200, await listApiKeys(context, query)),
  }),
  operation({
    id: 'getApiKey',
    method: 'GET',
    path: '/workspaces/:id/api-keys/:key_id',
    tag,
    summary: 'Get an API key',
    access,
    permission: 'api_keys.read',
    isPlanFree: true,
    params: key,
    returns: { 200: ApiKeyView },
    fails: ['api_key_not_found'],
    async run(context, { params }) {
      const { view, revision } = await getApiKey(context, params.key_id)
      return respond(200, view, { revision })
    },
  }),
  operation({
    id: 'updateApiKey',
    method: 'PATCH',
    path: '/workspaces/:id/api-keys/:key_id',
    tag,
    summary: 'Change an API key',
    description:
      'Only members in the body change; null removes a restriction. Platform keys have only a name. A new restriction takes effect in every process within a second.',
    access,
    needsFreshProof: true,
    permission: 'api_keys.write',
    isPlanFree: true,
    params: key,
    body: UpdateApiKey,
    returns: { 200: ApiKeyView },
    fails: ['api_key_not_found', 'precondition_failed'],
    example: { name: 'Factory line 2', device_quota: 5000, approval: 'required' },
    async run(context, { params, body }) {
      const { view, revision } = await updateApiKey(context, params.key_id, body)
      return respond(200, view, { revision })
    },
  }),
  operation({
    id: 'revokeApiKey',
    method: 'DELETE',
    path: '/workspaces/:id/api-keys/:key_id',
    tag,
    summary: 'Revoke an API key',
    description:
      'The key is refused from the next request on, by every process within a second. Devices registered with it keep working. Repeating the call succeeds.',
    access,
    permission: 'api_keys.write',
    bucket: 'safety',
    params: key,
    returns: { 204: null },
    fails: ['api_key_not_found', 'precondition_failed'],
    async run(context, { params }) {
      await revokeApiKey(context, params.key_id)
      return respond(204, null)
    },
  }),
]
