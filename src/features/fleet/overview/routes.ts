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
      'Returns the number of devices by status and connection, the number of resources that belong to them, the reasons why devices and logins were refused in the last hour, and the webhooks, rotation campaigns, domains and certificates that need attention. It contains only what the caller may read. Each count stops at 10,000, so the call costs the same in a workspace of any size.',
    access: ['user', 'platform-key'],
    permission: 'devices.read',
    isPlanFree: true,
    returns: { 200: Overview },
    run: (context) => getOverview(context),
  }),
]
