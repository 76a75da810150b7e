/** Queries on connected devices over time. */
import type { Db } from '../../../platform/database/connect.ts'
import { sql } from '../../../platform/database/sql.ts'
import { type SampleRow, WHOLE_WORKSPACE } from './store.ts'

/** Each of the last hours (UTC), the present one last; 0 for hours in which nothing was counted. */
export const findConnectionSeries = sql('usage.connection_series')`
  SELECT e.hour AS starts_at!, coalesce(u.connected_devices, 0) AS connected_devices!
  FROM generate_series(
    date_trunc('hour', now(), 'UTC') - make_interval(hours => $hours::int - 1),
    date_trunc('hour', now(), 'UTC'), interval '1 hour') AS e (hour)
  LEFT JOIN usage_hours u ON u.workspace_id = $workspaceId AND u.hour = e.hour
    AND u.template_id = '${WHOLE_WORKSPACE}'
  ORDER BY e.hour`

/** The time between samples. */
export const STEP_MINUTES = 5
const STEP = `interval '${STEP_MINUTES} minutes'`
const present = `date_bin(${STEP}, now(), '2000-01-01Z')`

/** Each of the last steps, as `findConnectionSeries` does with hours. */
export const findConnectionSteps = sql('usage.connection_steps')`
  SELECT e.at AS starts_at!, coalesce(s.connected_devices, 0) AS connected_devices!
  FROM generate_series(${present} - ($steps::int - 1) * ${STEP}, ${present}, ${STEP}) AS e (at)
  LEFT JOIN connected_samples s ON s.workspace_id = $workspaceId AND s.starts_at = e.at
  ORDER BY e.at`
// A step has one row for each workspace with connected devices, written again only if more are
// connected later in it.
const keepSamples = sql('usage.keep_samples')`
  INSERT INTO connected_samples AS s (workspace_id, starts_at, connected_devices)
  SELECT t.workspace_id, ${present}, t.devices
  FROM unnest($workspaceIds::uuid[], $devices::bigint[]) AS t (workspace_id, devices)
  ORDER BY t.workspace_id
  ON CONFLICT (workspace_id, starts_at) DO UPDATE
    SET connected_devices = excluded.connected_devices
    WHERE s.connected_devices < excluded.connected_devices`
/** Rows that no series shows any more. */
export const deleteOldSamples = sql('usage.delete_old_samples')`
  DELETE FROM connected_samples WHERE starts_at < now() - interval '25 hours'`

/** Keeps the counts of whole workspaces. */
export async function writeSamples(db: Db, rows: readonly SampleRow[]): Promise<void> {
  const whole = rows.filter(({ template_id }) => template_id === WHOLE_WORKSPACE)
  if (whole.length === 0) return
  await keepSamples.run(db, {
    workspaceIds: whole.map(({ workspace_id }) => workspace_id),
    devices: whole.map(({ devices }) => devices),
  })
}
