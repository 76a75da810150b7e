/** Operations on usage. */
import { operation, streamOperation } from '../../../context.ts'
import { Page } from '../../common/paging.ts'
import * as schema from './schema.ts'
import { readConnectionSeries, exportUsage, readUsage } from './usage-report.ts'

const access = ['user', 'platform-key'] as const
const tag = 'Billing'
const permission = 'billing.read'

const message =
  'Hours, days and months are in UTC. Periods without usage are omitted. Counts are written every five seconds, and belong to the hour in which they were written. Oldest first.'

export const usageOperations = [
  operation({
    id: 'readUsage',
    route: 'GET /workspaces/:id/usage',
    tag,
    summary: 'Read usage',
    description: message,
    access,
    permission,
    query: schema.ReadUsage,
    returns: { 200: Page(schema.UsagePeriod) },
    run: (context, { query }) => readUsage(context, query),
  }),
  streamOperation({
    id: 'exportUsage',
    route: 'GET /workspaces/:id/usage/export',
    tag,
    summary: 'Export usage',
    description: `Returns the usage as a file. ${message}`,
    access,
    permission,
    query: schema.ExportUsage,
    stream: { formats: ['ndjson', 'csv'], filename: 'usage' },
    row: schema.UsagePeriod,
    run: (context, { query, format }) => exportUsage(context, query, format),
  }),
  operation({
    id: 'readConnectionSeries',
    route: 'GET /workspaces/:id/mqtt/connections/series',
    tag: 'MQTT',
    summary: 'Read how many devices were connected',
    description:
      'Returns the number of connected devices by the hour, or every five minutes for the last day. Periods without connected devices are 0, as are periods that are no longer kept. Devices are counted each half minute; a period of five minutes, also the current one, has the highest of these counts.',
    access,
    permission: 'mqtt.read',
    query: schema.ReadConnectionSeries,
    returns: { 200: schema.ConnectionSeries },
    run: (context, { query }) => readConnectionSeries(context, query),
  }),
]
