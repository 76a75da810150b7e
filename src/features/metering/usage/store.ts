/** Statements that write usage and read it for limits. */
import type { Db } from '../../../platform/database/connect.ts'
import { type RowOf, sql } from '../../../platform/database/sql.ts'

/** Replaces the template id for clients without a template and for API calls. */
export const NO_TEMPLATE = '00000000-0000-0000-0000-000000000000'
/** Stands for the whole workspace, whose peak is not the sum of its templates' peaks. */
export const WHOLE_WORKSPACE = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

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

// Holds a lock on the high-water mark until the commit: closing an hour waits for batches being
// written
// into it, and later counts go to the first open hour. A batch that was already written has no
// effect. Rows are locked in a fixed order, to avoid deadlocks.
const write = sql(
  'usage.write',
  `WITH horizon AS MATERIALIZED (
     SELECT closed_until FROM usage_horizon FOR SHARE
   ), moment AS MATERIALIZED (
     SELECT greatest(date_trunc('hour', clock_timestamp(), 'UTC'), closed_until) AS hour
     FROM horizon
   ), writer AS (
     INSERT INTO usage_writers AS w (node_id, seq, written_at) VALUES ($nodeId, $seq, now())
     ON CONFLICT (node_id) DO UPDATE SET seq = excluded.seq, written_at = excluded.written_at
       WHERE w.seq < excluded.seq
     RETURNING node_id, seq
   ), entries AS (
     INSERT INTO usage_entries (workspace_id, hour, template_id, node_id, seq, ${meters})
     SELECT t.workspace_id, moment.hour, t.template_id, writer.node_id, writer.seq, t.messages,
            t.bytes, t.api_calls, t.connected_devices
     FROM unnest($workspaceIds::uuid[], $templateIds::uuid[], $messages::bigint[], $bytes::bigint[],
       $apiCalls::bigint[], $connectedDevices::bigint[])
       AS t (workspace_id, template_id, ${meters})
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
   ON CONFLICT (workspace_id, month) DO UPDATE SET ${added('m')}`,
)
const monthsOf = sql(
  'usage.months_of',
  `SELECT t.id AS workspace_id!, date_trunc('month', now(), 'UTC') AS month!,
          coalesce(m.messages, 0) AS messages!, coalesce(m.bytes, 0) AS bytes!,
          coalesce(m.api_calls, 0) AS api_calls!,
          coalesce(m.connected_devices, 0) AS connected_devices!, ${leftOfMonth}
   FROM unnest($ids::uuid[]) AS t (id)
   LEFT JOIN usage_months m
     ON m.workspace_id = t.id AND m.month = date_trunc('month', now(), 'UTC')`,
)
/** Currently connected devices over all processes, by template and by workspace. */
export type SampleRow = RowOf<typeof sampleDevices>

export const sampleDevices = sql(
  'usage.sample',
  `SELECT p.workspace_id, count(*) AS devices,
     CASE WHEN grouping(d.template_id) = 1 THEN '${WHOLE_WORKSPACE}'
          ELSE coalesce(d.template_id, '${NO_TEMPLATE}') END AS template_id!
   FROM device_presence p
   JOIN devices d ON d.workspace_id = p.workspace_id AND d.id = p.device_id
   WHERE p.connected
   GROUP BY GROUPING SETS ((p.workspace_id), (p.workspace_id, d.template_id))`,
)
const elsewhere = sql(
  'usage.elsewhere',
  `SELECT count(*) AS devices FROM device_presence
   WHERE workspace_id = $workspaceId AND connected AND node_id <> $nodeId`,
)
const isOnAnotherNode = sql(
  'usage.is_elsewhere',
  `SELECT count(*) AS devices FROM device_presence
   WHERE workspace_id = $workspaceId AND device_id = $deviceId AND connected
     AND node_id <> $nodeId`,
)

/** Writes a batch once: batches of a node that are not newer than its last one are skipped. */
export async function writeUsage(
  db: Db,
  nodeId: string,
  seq: number,
  rows: readonly UsageRow[],
): Promise<void> {
  await write.run(db, {
    nodeId,
    seq,
    workspaceIds: rows.map((row) => row.workspaceId),
    templateIds: rows.map((row) => row.templateId),
    messages: rows.map((row) => row.messages),
    bytes: rows.map((row) => row.bytes),
    apiCalls: rows.map((row) => row.apiCalls),
    connectedDevices: rows.map((row) => row.connectedDevices),
  })
}

/** The current month of each workspace, by the database's clock. */
export type MonthRow = RowOf<typeof monthsOf>

export const findMonths = (db: Db, workspaceIds: readonly string[]): Promise<MonthRow[]> =>
  workspaceIds.length === 0 ? Promise.resolve([]) : monthsOf.rows(db, { ids: workspaceIds })

/** The number of a workspace's devices connected to other processes. */
export const countOnOtherNodes = async (db: Db, workspaceId: string, nodeId: string) =>
  (await elsewhere.one(db, { workspaceId, nodeId })).devices

export async function isConnectedToAnotherNode(
  db: Db,
  workspaceId: string,
  nodeId: string,
  deviceId: string,
): Promise<boolean> {
  const rows = await isOnAnotherNode.rows(db, { workspaceId, nodeId, deviceId })
  return (rows[0]?.devices ?? 0) > 0
}
