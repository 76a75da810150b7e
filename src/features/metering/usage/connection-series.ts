/** How many devices were connected over time: for everyone who may see who is connected now. */
import type { Context } from '../../../context.ts'
import { invalid } from '../../../platform/errors/errors.ts'
import { timestamp } from '../../common/shapes.ts'
import {
  findConnectionSeries,
  findConnectionSteps,
  STEP_MINUTES,
} from './connection-series-store.ts'
import { type ConnectionSeries, HOURS_OF_STEPS, type ReadConnectionSeries } from './schema.ts'

export async function readConnectionSeries(
  { db, workspaceId }: Context,
  { hours, step }: ReadConnectionSeries,
): Promise<ConnectionSeries> {
  if (step === 'five_minutes' && hours > HOURS_OF_STEPS) {
    throw invalid('/query/hours', `is at most ${HOURS_OF_STEPS} for steps of five minutes`)
  }
  const rows =
    step === 'hour'
      ? await findConnectionSeries.rows(db, { workspaceId, hours })
      : await findConnectionSteps.rows(db, { workspaceId, steps: (hours * 60) / STEP_MINUTES })
  return {
    items: rows.map(({ starts_at: startsAt, connected_devices }) => ({
      starts_at: timestamp(startsAt),
      connected_devices,
    })),
  }
}
