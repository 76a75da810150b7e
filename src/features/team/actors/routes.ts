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
      'Returns the names of users, API keys, devices, mobile identities, MQTT principals, templates, groups, jobs, custom fields, domains, webhooks and invitations, so that they can be shown where the audit log, keys, notes, commands and jobs contain ids. Users are found if they are members or have acted in this workspace; names of former members and of revoked keys are kept. Deleted resources are found without a name. Each kind needs the permission to read it, such as `api_keys.read` for keys.',
    access: ['user', 'platform-key'],
    permission: 'members.read',
    isPlanFree: true,
    query: ListActors,
    returns: { 200: ActorList },
    run: (context, { query }) => listActors(context, query.ids),
  }),
]
