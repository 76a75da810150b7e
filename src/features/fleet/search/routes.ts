/** The search through a workspace. */
import { operation } from '../../../context.ts'
import { SearchQuery, SearchResult } from './schema.ts'
import { searchWorkspace } from './search.ts'

export const searchOperations = [
  operation({
    id: 'searchWorkspace',
    route: 'GET /workspaces/:id/search',
    tag: 'Workspaces',
    summary: 'Search in a workspace',
    description:
      'Finds devices, device templates, groups, API keys, members, MQTT principals, jobs, domains and webhooks by their ids or names, at most five of each. Kinds that the caller may not read are omitted, and `left_out` names them. The search costs the same in a workspace of any size: of each kind except devices, it examines the newest 1,000. To list all matches, use the filter of a list.',
    access: ['user', 'platform-key'],
    permission: 'workspace.read',
    isPlanFree: true,
    query: SearchQuery,
    returns: { 200: SearchResult },
    run: (context, { query }) => searchWorkspace(context, query.q),
  }),
]
