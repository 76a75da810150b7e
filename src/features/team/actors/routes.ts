/** The names of those who act, and of what they act on. */
import { operation } from '../../../context.ts'
import { listActors } from './actor.ts'
import { ActorList, ListActors } from './schema.ts'

export const actorOperations = [
  operation({
    id: 'listActors',
    route: 'GET /workspaces/:id/actors',
    tag: 'Workspaces',
    summary: 'Get names by ids',
    description:
      'For showing names where the audit log, keys, notes, commands and jobs have ids: of users, API keys, devices, mobile identities, MQTT principals, templates, groups, jobs, custom fields, domains, webhooks and invitations. A user is found who is a member, or who has acted in this workspace: the name stays when the person leaves, or a key is revoked. What was deleted is found without a name. Names of each kind need the permission to read it, such as `api_keys.read` for keys.',
    access: ['user', 'platform-key'],
    permission: 'members.read',
    isPlanFree: true,
    query: ListActors,
    returns: { 200: ActorList },
    run: (context, { query }) => listActors(context, query.ids),
  }),
]
