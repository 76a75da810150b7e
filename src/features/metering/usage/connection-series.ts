/** How many devices were connected, hour by hour: for everyone who may see who is connected now. */
import type { Context } from '../../../context.ts'
import { timestamp } from '../../common/shapes.ts'
import { findConnectionSeries } from './connection-series-store.ts'
import type { ConnectionSeries, ReadConnectionSeries } from './schema.ts'

export async function readConnectionSeries(
  { db, workspaceId }: Context,
  { hours }: ReadConnectionSeries,
): Promise<ConnectionSeries> {
  const rows = await findConnectionSeries.rows(db, { workspaceId, hours })
  return {
    items: rows.map(({ starts_at: startsAt, connected_devices }) => ({
      starts_at: timestamp(startsAt),
      connected_devices,
    })),
  }
}
