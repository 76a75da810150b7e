/** Operations on usage. */
import { operation, streamOperation } from '../../../context.ts'
import { Page } from '../../common/paging.ts'
import { ExportUsage, ReadUsage, UsagePeriod } from './schema.ts'
import { exportUsage, readUsage } from './usage-report.ts'

const access = ['user', 'platform-key'] as const
const tag = 'Billing'
const permission = 'billing.read'

const message =
  'Hours, days and months are in UTC. Periods without usage are omitted. Counts are up to five seconds late, and belong to the hour in which they were written. Oldest first.'

export const usageOperations = [
  operation({
    id: 'readUsage',
    route: 'GET /workspaces/:id/usage',
    tag,
    summary: 'Read usage',
    description: message,
    access,
    permission,
    query: ReadUsage,
    returns: { 200: Page(UsagePeriod) },
    fails: ['invalid_cursor'],
    run: (context, { query }) => readUsage(context, query),
  }),
  streamOperation({
    id: 'exportUsage',
    route: 'GET /workspaces/:id/usage/export',
    tag,
    summary: 'Export usage',
    description: `The same as a file. ${message}`,
    access,
    permission,
    query: ExportUsage,
    stream: { formats: ['ndjson', 'csv'], filename: 'usage' },
    row: UsagePeriod,
    run: (context, { query, format }) => exportUsage(context, query, format),
  }),
]
