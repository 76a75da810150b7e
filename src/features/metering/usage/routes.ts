/** Operations on usage. */
import { operation, streamOperation } from '../../../context.ts'
import { respond, idParam } from '../../../platform/http/operation.ts'
import { Page } from '../../common/paging.ts'
import { ExportUsage, ReadUsage, UsagePeriod } from './schema.ts'
import { exportUsage, readUsage } from './usage-report.ts'

const access = ['user', 'platform-key'] as const
const tag = 'Billing'
const permission = 'billing.read'
const params = { id: idParam('ws', 'workspace_not_found') }

const message =
  'Hours, days and months are in UTC. Periods without usage are omitted. Counts are up to five seconds late, and belong to the hour in which they were written. Oldest first.'

export const usageOperations = [
  operation({
    id: 'readUsage',
    method: 'GET',
    path: '/workspaces/:id/usage',
    tag,
    summary: 'Read usage',
    description: message,
    access,
    permission,
    params,
    query: ReadUsage,
    returns: { 200: Page(UsagePeriod) },
    fails: ['invalid_cursor'],
    run: async (context, { query }) => respond(200, await readUsage(context, query)),
  }),
  streamOperation({
    id: 'exportUsage',
    path: '/workspaces/:id/usage/export',
    tag,
    summary: 'Export usage',
    description: `The same as a file. ${message}`,
    access,
    permission,
    params,
    query: ExportUsage,
    stream: { formats: ['ndjson', 'csv'], filename: 'usage' },
    row: UsagePeriod,
    fails: [],
    run: (context, { query, format }) => exportUsage(context, query, format),
  }),
]
