/** Queries on usage reports. */
import { type Db, statement } from '../../../platform/database/connect.ts'
import { meters, WHOLE_WORKSPACE } from './store.ts'

export type Granularity = 'hour' | 'day' | 'month'

export interface PeriodRow {
  /** Milliseconds since the epoch, UTC; the end is exclusive. */
  starts_at: number
  ends_at: number
  template_id: string
  messages: number
  bytes: number
  api_calls: number
  connected_devices: number
  is_closed: boolean
}

export interface PeriodRequest {
  granularity: Granularity
  byTemplate: boolean
  /** RFC 3339; hours from `from` until before `to`. */
  from: string
  to: string
  after: { startsAt: string; templateId: string }
  limit: number
}

// A workspace's peak has its own row, as its templates' peaks occur at other times.
const periods = statement(
  'usage.periods',
  `WITH placed AS (
     SELECT date_trunc($2, hour AT TIME ZONE 'UTC') AS period,
       CASE WHEN $3 THEN template_id ELSE '${WHOLE_WORKSPACE}' END AS place,
       messages, bytes, api_calls,
       CASE WHEN $3 OR template_id = '${WHOLE_WORKSPACE}' THEN connected_devices ELSE 0 END
         AS connected_devices
     FROM (
       SELECT hour, template_id, ${meters} FROM usage_hours WHERE workspace_id = $1
       UNION ALL
       SELECT day, template_id, ${meters} FROM usage_days WHERE workspace_id = $1 AND $2 <> 'hour'
     ) AS used (hour)
     WHERE hour >= greatest($4::timestamptz, $6::timestamptz) AND hour < $5
       AND NOT ($3 AND template_id = '${WHOLE_WORKSPACE}')
   ), summed AS (
     SELECT period, place, sum(messages)::bigint AS messages, sum(bytes)::bigint AS bytes,
       sum(api_calls)::bigint AS api_calls, max(connected_devices) AS connected_devices
     FROM placed GROUP BY period, place
     HAVING (period, place) > ($6::timestamptz AT TIME ZONE 'UTC', $7::uuid)
     ORDER BY period, place LIMIT $8
   )
   SELECT period AT TIME ZONE 'UTC' AS starts_at, e.ends_at, place AS template_id, messages, bytes,
          api_calls, connected_devices, e.ends_at <= h.closed_until AS is_closed
   FROM summed CROSS JOIN usage_horizon h
   CROSS JOIN LATERAL (
     SELECT (period + ('1 ' || $2)::interval) AT TIME ZONE 'UTC' AS ends_at) e
   ORDER BY period, place`,
)
const between = statement(
  'usage.between',
  `SELECT coalesce(sum(messages), 0)::bigint AS messages, coalesce(sum(bytes), 0)::bigint AS bytes,
          coalesce(sum(api_calls), 0)::bigint AS api_calls,
          coalesce(max(connected_devices) FILTER (WHERE template_id = '${WHOLE_WORKSPACE}'), 0)
            AS connected_devices
   FROM (
     SELECT hour, template_id, ${meters} FROM usage_hours WHERE workspace_id = $1
     UNION ALL SELECT day, template_id, ${meters} FROM usage_days WHERE workspace_id = $1
   ) AS used (hour) WHERE hour >= $2 AND hour < $3`,
)
// Waits for batches being written into the hours to close.
const close = statement(
  'usage.close',
  `UPDATE usage_horizon SET closed_until = to_close.until
   FROM (SELECT date_trunc('hour', least($1::timestamptz, now()), 'UTC') AS until) AS to_close
   WHERE closed_until < to_close.until`,
)
const closeOver = statement(
  'usage.close_over',
  `UPDATE usage_horizon SET closed_until = over.until
   FROM (SELECT date_trunc('hour', now() - make_interval(secs => $1), 'UTC') AS until) AS over
   WHERE closed_until < over.until`,
)
const isClosed = statement(
  'usage.is_closed',
  'SELECT closed_until >= $1 AS closed FROM usage_horizon',
)

export const findPeriods = (
  db: Db,
  workspaceId: string,
  { granularity, byTemplate, from, to, after, limit }: PeriodRequest,
): Promise<PeriodRow[]> =>
  db.query(periods, [
    workspaceId,
    granularity,
    byTemplate,
    from,
    to,
    after.startsAt,
    after.templateId,
    limit,
  ])

export type SumRow = Pick<PeriodRow, 'messages' | 'bytes' | 'api_calls' | 'connected_devices'>

/** @param from @param to RFC 3339 */
export const sumBetween = async (
  db: Db,
  workspaceId: string,
  from: string,
  to: string,
): Promise<SumRow> => (await db.query<SumRow>(between, [workspaceId, from, to]))[0] as SumRow

/** Closes hours that end by then. @param until RFC 3339 */
export async function closeUntil(db: Db, until: string): Promise<void> {
  const [row] = await db.query<{ closed: boolean }>(isClosed, [until])
  if (row?.closed !== true) await db.query(close, [until])
}

/** Closes hours that ended so many seconds ago. */
export async function closeOverHours(db: Db, seconds: number): Promise<void> {
  await db.query(closeOver, [seconds])
}
