/** Statements that write usage and read it for limits. */
import type { Db } from '../../../platform/database/connect.ts'
import { type RowOf, sql, unnested } from '../../../platform/database/sql.ts'
import { MAX_UUID, NIL_UUID } from '../../../platform/lib/ids.ts'

/** Replaces the template id for clients without a template and for API calls. */
export const NO_TEMPLATE = NIL_UUID
/** Stands for the whole workspace, whose peak is not the sum of its templates' peaks. */
export const WHOLE_WORKSPACE = MAX_UUID

/** Usage of one template of a workspace since the previous batch. */
export interface UsageRow {
  workspaceId: string
  templateId: string
  messages: number
  bytes: number
  apiCalls: number
  /** A peak; 0: nothing new. */
  connectedDevices: number
}

/** Adds the inserted values to the existing row. */
export const added = (of: string): string =>
  `messages = ${of}.messages + excluded.messages, bytes = ${of}.bytes + excluded.bytes,
   api_calls = ${of}.api_calls + excluded.api_calls,
   connected_devices = greatest(${of}.connected_devices, excluded.connected_devices)`

/** The metered columns. */
export const meters = 'messages, bytes, api_calls, connected_devices'
/** The columns aggregated over several rows. */
export const summed = `sum(messages)::bigint AS messages, sum(bytes)::bigint AS bytes,
  sum(api_calls)::bigint AS api_calls, max(connected_devices) AS connected_devices`

const leftOfMonth = `ceil(extract(epoch FROM
  (date_trunc('month', now() AT TIME ZONE 'UTC') + interval '1 month') AT TIME ZONE 'UTC' - now()
  ))::int AS left_s!`

// Holds a lock on the high-water mark until the commit: closing an hour waits for batches that are
// being written into it, and later counts go to the first open hour. A batch that was already
// written has no effect. Rows are locked in a fixed order, to avoid deadlocks.
/** Writes a batch once: batches of a node that are not newer than its last one are skipped. */
export const writeUsage = sql('usage.write')`
  WITH high_water AS MATERIALIZED (
    SELECT closed_until FROM usage_horizon FOR SHARE
  ), moment AS MATERIALIZED (
    SELECT greatest(date_trunc('hour', clock_timestamp(), 'UTC'), closed_until) AS hour
    FROM high_water
  ), writer AS (
    INSERT INTO usage_writers AS w (node_id, seq, written_at) VALUES ($nodeId, $seq, now())
    ON CONFLICT (node_id) DO UPDATE SET seq = excluded.seq, written_at = excluded.written_at
      WHERE w.seq < excluded.seq
    RETURNING node_id, seq
  ), entries AS (
    INSERT INTO usage_entries (workspace_id, hour, template_id, node_id, seq, ${meters})
    SELECT t.workspace_id, moment.hour, t.template_id, writer.node_id, writer.seq, t.messages,
           t.bytes, t.api_calls, t.connected_devices
    FROM ${unnested(
      't',
      `workspaceId uuid, templateId uuid, messages bigint, bytes bigint, apiCalls bigint,
       connectedDevices bigint`,
    )}
    JOIN workspaces ON workspaces.id = t.workspace_id
    CROSS JOIN moment CROSS JOIN writer
    RETURNING *
  ), hours AS (
    INSERT INTO usage_hours AS h (workspace_id, hour, template_id, ${meters})
    SELECT workspace_id, hour, template_id, ${meters} FROM entries
    ORDER BY workspace_id, template_id
    ON CONFLICT (workspace_id, hour, template_id) DO UPDATE SET ${added('h')}
  )
  INSERT INTO usage_months AS m (workspace_id, month, ${meters})
  SELECT workspace_id, date_trunc('month', hour, 'UTC'), sum(messages), sum(bytes),
         sum(api_calls), coalesce(max(connected_devices)
           FILTER (WHERE template_id = '${WHOLE_WORKSPACE}'), 0)
  FROM entries GROUP BY workspace_id, hour ORDER BY workspace_id
  ON CONFLICT (workspace_id, month) DO UPDATE SET ${added('m')}`
/** The current month of each workspace, by the database's clock. */
export const findMonths = sql('usage.months_of')`
  SELECT t.id AS workspace_id!, date_trunc('month', now(), 'UTC') AS month!,
         coalesce(m.messages, 0) AS messages!, coalesce(m.bytes, 0) AS bytes!,
         coalesce(m.api_calls, 0) AS api_calls!,
         coalesce(m.connected_devices, 0) AS connected_devices!, ${leftOfMonth}
  FROM unnest($ids::uuid[]) AS t (id)
  LEFT JOIN usage_months m
    ON m.workspace_id = t.id AND m.month = date_trunc('month', now(), 'UTC')`
/** Currently connected devices over all processes, by template and by workspace. */
export type SampleRow = RowOf<typeof sampleDevices>

export const sampleDevices = sql('usage.sample')`
  SELECT p.workspace_id, count(*) AS devices,
    CASE WHEN grouping(d.template_id) = 1 THEN '${WHOLE_WORKSPACE}'
         ELSE coalesce(d.template_id, '${NO_TEMPLATE}') END AS template_id!
  FROM device_presence p
  JOIN devices d ON d.workspace_id = p.workspace_id AND d.id = p.device_id
  WHERE p.connected
  GROUP BY GROUPING SETS ((p.workspace_id), (p.workspace_id, d.template_id))`
/** How many of a workspace's devices are connected to other processes. */
export const countOnOtherNodes = sql('usage.on_other_nodes')`
  SELECT count(*) AS devices FROM device_presence
  WHERE workspace_id = $workspaceId AND connected AND node_id <> $nodeId`
export const isOnAnotherNode = sql('usage.is_on_other_node')`
  SELECT device_id FROM device_presence
  WHERE workspace_id = $workspaceId AND device_id = $deviceId AND connected
    AND node_id <> $nodeId`

// Queries that merge old hours into days, in the sums and in the ledger.

/** Replaces the process id in merged ledger entries. */
export const FOLDED = NIL_UUID
/** Sequence number of an entry for a whole day. */
export const WHOLE_DAY = 1

const oldest = (days: string): string =>
  `date_trunc('day', now() - make_interval(days => ${days}), 'UTC')`

/** Workspaces that have hours older than so many days, by id. */
export const findWithOldHours = sql('usage.with_old_hours')`
  SELECT w.id FROM workspaces w
  WHERE w.id > $after AND EXISTS (
    SELECT FROM usage_hours h WHERE h.workspace_id = w.id AND h.hour < ${oldest('$days')})
  ORDER BY w.id LIMIT $limit`
// Blocks recomputation of the sums.
const hold = sql('usage.hold_shared')`SELECT FROM usage_horizon FOR SHARE`
// Keeps folding and making days apart: the latter would not see entries that are just being folded,
// and leave them behind. Statements of their own, since the snapshot must come after the lock.
const LOCK = 1_634_890_611
const keepEntries = sql('usage.keep_entries')`SELECT pg_advisory_xact_lock_shared(${LOCK})`
/** Locks the entries for folding, until the commit: no days are made of them meanwhile. */
export const lockEntries = sql('usage.take_entries')`SELECT pg_advisory_xact_lock(${LOCK})`
const uneven = sql('usage.uneven_days')`
  SELECT DISTINCT date_trunc('day', at, 'UTC') AS day! FROM (
    SELECT starts_at AS at FROM subscription_terms WHERE workspace_id = $workspaceId
    UNION ALL
    SELECT period_start FROM invoices WHERE workspace_id = $workspaceId
    UNION ALL
    SELECT billed_from FROM subscriptions WHERE workspace_id = $workspaceId
      AND isfinite(billed_from)
    UNION ALL
    SELECT to_timestamp(edge.ms::float8 / 1000)
    FROM invoices i CROSS JOIN LATERAL jsonb_array_elements(i.content->'terms') AS term
    CROSS JOIN LATERAL (VALUES (term->>'from'), (term->>'to')) AS edge (ms)
    WHERE i.workspace_id = $workspaceId
  ) AS edges WHERE at <> date_trunc('day', at, 'UTC')`
const nextSpan = sql('usage.next_span')`
  SELECT first AS from!, least(first + make_interval(days => $span), ${oldest('$days')}) AS to!
  FROM (
    SELECT date_trunc('day', min(hour), 'UTC') AS first FROM usage_hours
    WHERE workspace_id = $workspaceId AND hour < ${oldest('$days')}
      AND NOT (date_trunc('day', hour, 'UTC') = ANY ($without::timestamptz[]))
  ) AS found WHERE first IS NOT NULL`
const span = `workspace_id = $workspaceId AND hour >= $from AND hour < $to
  AND NOT (date_trunc('day', hour, 'UTC') = ANY ($without::timestamptz[]))`
const rollHours = sql('usage.roll_hours')`
  WITH gone AS (
    DELETE FROM usage_hours WHERE ${span} RETURNING *
  )
  INSERT INTO usage_days AS d (workspace_id, day, template_id, ${meters})
  SELECT workspace_id, date_trunc('day', hour, 'UTC'), template_id, ${summed}
  FROM gone GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
  ON CONFLICT (workspace_id, day, template_id) DO UPDATE SET ${added('d')}`
const rollEntries = sql('usage.roll_entries')`
  WITH gone AS (
    DELETE FROM usage_entries
    WHERE ${span} AND NOT (node_id = '${FOLDED}' AND seq = ${WHOLE_DAY}) RETURNING *
  )
  INSERT INTO usage_entries AS e (workspace_id, hour, template_id, node_id, seq, ${meters})
  SELECT workspace_id, date_trunc('day', hour, 'UTC'), template_id, '${FOLDED}', ${WHOLE_DAY},
         ${summed}
  FROM gone GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
  ON CONFLICT (workspace_id, hour, template_id, node_id, seq) DO UPDATE SET ${added('e')}`

const rfc3339 = (ms: number): string => new Date(ms).toISOString()

/**
 * Merges a workspace's next old hours into days.
 * @param days their age
 * @param maxSpan days to merge at once
 * @returns false if nothing is left to do
 */
export async function rollSpan(
  trx: Db,
  workspaceId: string,
  days: number,
  maxSpan: number,
): Promise<boolean> {
  await hold.run(trx)
  await keepEntries.run(trx)
  const rows = await uneven.rows(trx, { workspaceId })
  const kept = rows.map(({ day }) => rfc3339(day))
  const next = await nextSpan.first(trx, { workspaceId, days, without: kept, span: maxSpan })
  if (next === undefined) return false
  const rolled = { workspaceId, from: rfc3339(next.from), to: rfc3339(next.to), without: kept }
  await rollHours.run(trx, rolled)
  await rollEntries.run(trx, rolled)
  return true
}

// Queries on usage warnings.

/** The current month of workspaces, by id. */
export const monthsAfter = sql('usage.watched_months')`
  SELECT m.workspace_id, m.month, m.messages, m.bytes, m.api_calls, m.connected_devices,
    ARRAY(SELECT t.meter || ' ' || t.threshold FROM usage_thresholds t
          WHERE t.workspace_id = m.workspace_id AND t.month = m.month) AS given!
  FROM usage_months m
  WHERE m.month = date_trunc('month', now(), 'UTC') AND m.workspace_id > $workspaceId
  ORDER BY m.workspace_id LIMIT $limit`
export type WatchedMonth = RowOf<typeof monthsAfter>

/** @returns those that were not written before */
export const insertThresholds = sql('usage.insert_thresholds')`
  INSERT INTO usage_thresholds (workspace_id, month, meter, threshold)
  SELECT $workspaceId, to_timestamp($month / 1000.0), meter, threshold
  FROM unnest($meter::text[], $threshold::smallint[]) AS t (meter, threshold)
  ON CONFLICT ON CONSTRAINT usage_thresholds_once DO NOTHING RETURNING meter, threshold`
/** Addresses of a workspace's owners, with its name. */
export const findOwners = sql('usage.owners')`
  SELECT u.email, w.name FROM memberships m
  JOIN users u ON u.id = m.user_id
  JOIN workspaces w ON w.id = m.workspace_id
  WHERE m.workspace_id = $workspaceId AND m.role = 'owner' AND u.status = 'active'`

export type Threshold = RowOf<typeof insertThresholds>

// Queries on usage reports.

export type PeriodRow = RowOf<typeof findPeriods>

export type Granularity = 'hour' | 'day' | 'month'

// A workspace's peak has its own row, as its templates' peaks occur at other times.
export const findPeriods = sql('usage.periods')`
  WITH placed AS (
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
  ORDER BY period, place`
/** @param from @param to RFC 3339 */
export const sumBetween = sql('usage.between')`
  SELECT coalesce(sum(messages), 0)::bigint AS messages!,
         coalesce(sum(bytes), 0)::bigint AS bytes!,
         coalesce(sum(api_calls), 0)::bigint AS api_calls!,
         coalesce(max(connected_devices) FILTER (WHERE template_id = '${WHOLE_WORKSPACE}'), 0)
           AS connected_devices!
  FROM (
    SELECT hour, template_id, ${meters} FROM usage_hours WHERE workspace_id = $workspaceId
    UNION ALL SELECT day, template_id, ${meters} FROM usage_days WHERE workspace_id = $workspaceId
  ) AS used (hour) WHERE hour >= $from AND hour < $to`
// Waits for batches being written into the hours to close.
const close = sql('usage.close')`
  UPDATE usage_horizon SET closed_until = to_close.until
  FROM (SELECT date_trunc('hour', least($until::timestamptz, now()), 'UTC') AS until) AS to_close
  WHERE closed_until < to_close.until`
/** Closes hours that ended so many seconds ago. */
export const closeOverHours = sql('usage.close_over')`
  UPDATE usage_horizon SET closed_until = over.until
  FROM (SELECT date_trunc('hour', now() - make_interval(secs => $seconds), 'UTC') AS until) AS over
  WHERE closed_until < over.until`
const isClosed = sql('usage.is_closed')`SELECT closed_until >= $until AS closed! FROM usage_horizon`

/** Closes hours that end by then. @param until RFC 3339 */
export async function closeUntil(db: Db, until: string): Promise<void> {
  const row = await isClosed.first(db, { until })
  if (row?.closed !== true) await close.rows(db, { until })
}
