/** The names of those who act. */
import { operation } from '../../../context.ts'
import { idParam, respond } from '../../../platform/http/operation.ts'
import { listActors } from './actor.ts'
import { ActorList, ListActors } from './schema.ts'

export const actorOperations = [
  operation({
    id: 'listActors',
    method: 'GET',
    path: '/workspaces/:id/actors',
    tag: 'Workspaces',
    summary: 'Get the names of users and keys by their ids',
    description:
      'For showing names where the audit log, keys, notes, commands and jobs have ids. A user is found who is a member, or who has acted in this workspace: the name stays when the person leaves, or the key is revoked. A person who has deleted their account is found without a name. Names of keys need `api_keys.read`.',
    access: ['user', 'platform-key'],
    permission: 'members.read',
    isPlanFree: true,
    params: { id: idParam('ws', 'workspace_not_found') },
    query: ListActors,
    returns: { 200: ActorList },
    fails: [],
    run: async (context, { query }) => respond(200, await listActors(context, query.ids)),
  }),
]
