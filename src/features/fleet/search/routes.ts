/** The search through a workspace. */
import { operation } from '../../../context.ts'
import { idParam, respond } from '../../../platform/http/operation.ts'
import { SearchQuery, SearchResult } from './schema.ts'
import { searchWorkspace } from './search.ts'

export const searchOperations = [
  operation({
    id: 'searchWorkspace',
    method: 'GET',
    path: '/workspaces/:id/search',
    tag: 'Workspaces',
    summary: 'Search in a workspace',
    description:
      'Devices, device templates, groups, API keys, members, MQTT principals, jobs, domains and webhooks by their ids or names, at most five of each. Kinds that the caller may not read are left out, and named by `left_out`. It costs the same in a workspace of any size: of everything but devices, the newest 1,000 are examined. To list all that match, use the filter of a list.',
    access: ['user', 'platform-key'],
    permission: 'workspace.read',
    isPlanFree: true,
    params: { id: idParam('ws', 'workspace_not_found') },
    query: SearchQuery,
    returns: { 200: SearchResult },
    fails: [],
    run: async (context, { query }) => respond(200, await searchWorkspace(context, query.q)),
  }),
]
