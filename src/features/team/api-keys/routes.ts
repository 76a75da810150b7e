/** The operations on API keys. */
import { operationGroup } from '../../../context.ts'
import { Page } from '../../common/paging.ts'
import { createApiKey, getApiKey, listApiKeys, revokeApiKey } from './api-key.ts'
import { updateApiKey } from './api-key-update.ts'
import { ApiKeyView, CreateApiKey, CreatedApiKey, ListApiKeys, UpdateApiKey } from './schema.ts'

const operation = operationGroup({ tag: 'API keys', access: ['user', 'platform-key'] })

export const apiKeyOperations = [
  operation({
    id: 'createApiKey',
    route: 'POST /workspaces/:id/api-keys',
    summary: 'Create an API key',
    description:
      'The plaintext key is returned only once. Platform keys have the rights of an admin and do not expire. Provision keys are accepted only at `/provision/*` and can be restricted.',
    needsFreshProof: true,
    permission: 'api_keys.write',
    isPlanFree: true,
    body: CreateApiKey,
    returns: { 201: CreatedApiKey },
    fails: ['limit_reached'],
    example: { key_kind: 'provision', name: 'Factory line 1' },
    created: { location: '/workspaces/{workspace_id}/api-keys/{id}', revision: 1 },
    run: (context, { body }) => createApiKey(context, body),
  }),
  operation({
    id: 'listApiKeys',
    route: 'GET /workspaces/:id/api-keys',
    summary: 'List API keys',
    description: 'Newest first. Revoked keys are included.',
    permission: 'api_keys.read',
    isPlanFree: true,
    query: ListApiKeys,
    returns: { 200: Page(ApiKeyView) },
    run: (context, { query }) => listApiKeys(context, query),
  }),
  operation({
    id: 'getApiKey',
    route: 'GET /workspaces/:id/api-keys/:key_id',
    summary: 'Get an API key',
    permission: 'api_keys.read',
    isPlanFree: true,
    returns: { 200: ApiKeyView },
    fails: ['api_key_not_found'],
    run: (context, { params }) => getApiKey(context, params.key_id),
  }),
  operation({
    id: 'updateApiKey',
    route: 'PATCH /workspaces/:id/api-keys/:key_id',
    summary: 'Change an API key',
    description:
      'Only members in the body change; null removes a restriction. Platform keys have only a name. A new restriction takes effect in every process within a second.',
    needsFreshProof: true,
    permission: 'api_keys.write',
    isPlanFree: true,
    body: UpdateApiKey,
    returns: { 200: ApiKeyView },
    fails: ['api_key_not_found', 'precondition_failed'],
    example: { name: 'Factory line 2', device_quota: 5000, approval: 'required' },
    run: (context, { params, body }) => updateApiKey(context, params.key_id, body),
  }),
  operation({
    id: 'revokeApiKey',
    route: 'DELETE /workspaces/:id/api-keys/:key_id',
    summary: 'Revoke an API key',
    description:
      'The key is refused from the next request on, by every process within a second. Devices registered with it keep working. Repeating the call succeeds.',
    permission: 'api_keys.write',
    bucket: 'safety',
    returns: { 204: null },
    fails: ['api_key_not_found', 'precondition_failed'],
    run: (context, { params }) => revokeApiKey(context, params.key_id),
  }),
]
