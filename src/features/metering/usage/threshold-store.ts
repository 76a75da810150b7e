/** Queries on usage warnings. */
import type { Db } from '../../../platform/database/connect.ts'
import { type RowOf, sql } from '../../../platform/database/sql.ts'

/** The current month of workspaces, by id. */
export const monthsAfter = sql(
  'usage.watched_months',
  `SELECT m.workspace_id, m.month, m.messages, m.bytes, m.api_calls, m.connected_devices,
     ARRAY(SELECT t.meter || ' ' || t.threshold FROM usage_thresholds t
           WHERE t.workspace_id = m.workspace_id AND t.month = m.month) AS given!
   FROM usage_months m
   WHERE m.month = date_trunc('month', now(), 'UTC') AND m.workspace_id > $workspaceId
   ORDER BY m.workspace_id LIMIT $limit`,
)
export type WatchedMonth = RowOf<typeof monthsAfter>

const insert = sql(
  'usage.insert_thresholds',
  `INSERT INTO usage_thresholds (workspace_id, month, meter, threshold)
   SELECT $workspaceId, to_timestamp($month / 1000.0), meter, threshold
   FROM unnest($meters::text[], $thresholds::smallint[]) AS t (meter, threshold)
   ON CONFLICT ON CONSTRAINT usage_thresholds_once DO NOTHING RETURNING meter, threshold`,
)
/** Addresses of a workspace's owners, with its name. */
export const findOwners = sql(
  'usage.owners',
  `SELECT u.email, w.name FROM memberships m
   JOIN users u ON u.id = m.user_id
   JOIN workspaces w ON w.id = m.workspace_id
   WHERE m.workspace_id = $workspaceId AND m.role = 'owner' AND u.status = 'active'`,
)

export type Threshold = RowOf<typeof insert>

/** @returns those that were not written before */
export const insertThresholds = (
  trx: Db,
  { workspace_id, month }: Pick<WatchedMonth, 'workspace_id' | 'month'>,
  rows: readonly Threshold[],
): Promise<Threshold[]> =>
  insert.rows(trx, {
    workspaceId: workspace_id,
    month,
    meters: rows.map(({ meter }) => meter),
    thresholds: rows.map(({ threshold }) => threshold),
  })
