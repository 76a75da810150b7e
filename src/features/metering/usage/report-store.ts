/** Queries on usage reports. */
import type { Db } from '../../../platform/database/connect.ts'
import { type RowOf, sql } from '../../../platform/database/sql.ts'
import { meters, WHOLE_WORKSPACE } from './store.ts'

export type PeriodRow = RowOf<typeof findPeriods>

export type Granularity = 'hour' | 'day' | 'month'

// A workspace's peak has its own row, as its templates' peaks occur at other times.
export const findPeriods = sql(
  'usage.periods',
  `WITH placed AS (
     SELECT date_trunc($granularity, hour AT TIME ZONE 'UTC') AS period,
       CASE WHEN $byTemplate THEN template_id ELSE '${WHOLE_WORKSPACE}' END AS place,
       messages, bytes, api_calls,
       CASE WHEN $byTemplate OR template_id = '${WHOLE_WORKSPACE}' THEN connected_devices ELSE 0 END
         AS connected_devices
     FROM (
       SELECT hour, template_id, ${meters} FROM usage_hours WHERE workspace_id = $workspaceId
       UNION ALL
       SELECT day, template_id, ${meters} FROM usage_days WHERE workspace_id = $workspaceId
         AND $granularity <> 'hour'
     ) AS used (hour)
     WHERE hour >= greatest($from::timestamptz, $afterTime::timestamptz) AND hour < $to
       AND NOT ($byTemplate AND template_id = '${WHOLE_WORKSPACE}')
   ), summed AS (
     SELECT period, place, sum(messages)::bigint AS messages, sum(bytes)::bigint AS bytes,
       sum(api_calls)::bigint AS api_calls, max(connected_devices) AS connected_devices
     FROM placed GROUP BY period, place
     HAVING (period, place) > ($afterTime::timestamptz AT TIME ZONE 'UTC', $afterTemplate::uuid)
     ORDER BY period, place LIMIT $limit
   )
   SELECT period AT TIME ZONE 'UTC' AS starts_at!, e.ends_at AS ends_at!, place AS template_id!,
          messages AS messages!, bytes AS bytes!, api_calls AS api_calls!,
          connected_devices AS connected_devices!, e.ends_at <= h.closed_until AS is_closed!
   FROM summed CROSS JOIN usage_horizon h
   CROSS JOIN LATERAL (
     SELECT (period + ('1 ' || $granularity)::interval) AT TIME ZONE 'UTC' AS ends_at) e
   ORDER BY period, place`,
)
/** @param from @param to RFC 3339 */
export const sumBetween = sql(
  'usage.between',
  `SELECT coalesce(sum(messages), 0)::bigint AS messages!,
          coalesce(sum(bytes), 0)::bigint AS bytes!,
          coalesce(sum(api_calls), 0)::bigint AS api_calls!,
          coalesce(max(connected_devices) FILTER (WHERE template_id = '${WHOLE_WORKSPACE}'), 0)
            AS connected_devices!
   FROM (
     SELECT hour, template_id, ${meters} FROM usage_hours WHERE workspace_id = $workspaceId
     UNION ALL SELECT day, template_id, ${meters} FROM usage_days WHERE workspace_id = $workspaceId
   ) AS used (hour) WHERE hour >= $from AND hour < $to`,
)
// Waits for batches being written into the hours to close.
const close = sql(
  'usage.close',
  `UPDATE usage_horizon SET closed_until = to_close.until
   FROM (SELECT date_trunc('hour', least($until::timestamptz, now()), 'UTC') AS until) AS to_close
   WHERE closed_until < to_close.until`,
)
/** Closes hours that ended so many seconds ago. */
export const closeOverHours = sql(
  'usage.close_over',
  `UPDATE usage_horizon SET closed_until = over.until
   FROM (SELECT date_trunc('hour', now() - make_interval(secs => $seconds), 'UTC') AS until) AS over
   WHERE closed_until < over.until`,
)
const isClosed = sql(
  'usage.is_closed',
  'SELECT closed_until >= $until AS closed! FROM usage_horizon',
)

/** Closes hours that end by then. @param until RFC 3339 */
export async function closeUntil(db: Db, until: string): Promise<void> {
  const row = await isClosed.first(db, { until })
  if (row?.closed !== true) await close.rows(db, { until })
}
