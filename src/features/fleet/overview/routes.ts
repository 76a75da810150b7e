/** The overview of a workspace. */
import { operation } from '../../../context.ts'
import { getOverview } from './overview.ts'
import { Overview } from './schema.ts'

export const overviewOperations = [
  operation({
    id: 'getOverview',
    route: 'GET /workspaces/:id/overview',
    tag: 'Workspaces',
    summary: 'Get an overview of a workspace',
    description:
      'How many devices there are, by their status and connection, how many of what belongs to them, why devices and logins were refused in the last hour, and which webhooks, rotation campaigns, domains and certificates need attention, as far as the caller may read them. Each count stops at 10,000, so that the call costs the same in a workspace of any size.',
    access: ['user', 'platform-key'],
    permission: 'devices.read',
    isPlanFree: true,
    returns: { 200: Overview },
    run: (context) => getOverview(context),
  }),
]
