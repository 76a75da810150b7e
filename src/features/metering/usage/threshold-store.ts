/** Queries on usage warnings. */
import { type Db, statement } from '../../../platform/database/connect.ts'
import type { MonthRow } from './store.ts'

export interface WatchedMonth extends Omit<MonthRow, 'left_s'> {
  /** Warnings already given, as `<meter> <threshold>`. */
  given: string[]
}

const months = statement(
  'usage.watched_months',
  `SELECT m.workspace_id, m.month, m.messages, m.bytes, m.api_calls, m.connected_devices,
     ARRAY(SELECT t.meter || ' ' || t.threshold FROM usage_thresholds t
           WHERE t.workspace_id = m.workspace_id AND t.month = m.month) AS given
   FROM usage_months m
   WHERE m.month = date_trunc('month', now(), 'UTC') AND m.workspace_id > $1
   ORDER BY m.workspace_id LIMIT $2`,
)
const insert = statement(
  'usage.insert_thresholds',
  `INSERT INTO usage_thresholds (workspace_id, month, meter, threshold)
   SELECT $1, to_timestamp($2 / 1000.0), meter, threshold
   FROM unnest($3::text[], $4::smallint[]) AS t (meter, threshold)
   ON CONFLICT ON CONSTRAINT usage_thresholds_once DO NOTHING RETURNING meter, threshold`,
)
const owners = statement(
  'usage.owners',
  `SELECT u.email, w.name FROM memberships m
   JOIN users u ON u.id = m.user_id
   JOIN workspaces w ON w.id = m.workspace_id
   WHERE m.workspace_id = $1 AND m.role = 'owner' AND u.status = 'active'`,
)

/** The current month of workspaces, by id. */
export const monthsAfter = (db: Db, workspaceId: string, limit: number): Promise<WatchedMonth[]> =>
  db.query(months, [workspaceId, limit])

export interface Threshold {
  meter: string
  threshold: number
}

/** @returns those that were not written before */
export const insertThresholds = (
  trx: Db,
  { workspace_id, month }: Pick<MonthRow, 'workspace_id' | 'month'>,
  rows: readonly Threshold[],
): Promise<Threshold[]> =>
  trx.query(insert, [
    workspace_id,
    month,
    rows.map(({ meter }) => meter),
    rows.map(({ threshold }) => threshold),
  ])

/** Addresses of a workspace's owners, with its name. */
export const findOwners = (
  trx: Db,
  workspaceId: string,
): Promise<{ email: string; name: string }[]> => trx.query(owners, [workspaceId])
