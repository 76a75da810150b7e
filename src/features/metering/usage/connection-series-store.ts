/** Queries on connected devices over time. */
import { sql } from '../../../platform/database/sql.ts'
import { WHOLE_WORKSPACE } from './store.ts'

/** Each of the last hours (UTC), the present one last; 0 for hours in which nothing was counted. */
export const findConnectionSeries = sql(
  'usage.connection_series',
  `SELECT e.hour AS starts_at!, coalesce(u.connected_devices, 0) AS connected_devices!
   FROM generate_series(
     date_trunc('hour', now(), 'UTC') - make_interval(hours => $hours::int - 1),
     date_trunc('hour', now(), 'UTC'), interval '1 hour') AS e (hour)
   LEFT JOIN usage_hours u ON u.workspace_id = $workspaceId AND u.hour = e.hour
     AND u.template_id = '${WHOLE_WORKSPACE}'
   ORDER BY e.hour`,
)
