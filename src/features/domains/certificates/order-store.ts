/** Queries on certificate orders for requests. */
import type { Db } from '../../../platform/database/connect.ts'
import { type RowOf, sql } from '../../../platform/database/sql.ts'

export type OrderRow = RowOf<typeof insertOrder>

export const orderColumns = `workspace_id, id, domain_id, name, challenge, is_renewal, status, url,
  token, proof, sealed_key, looks, failures, refusals, next_at, problem, created_by, expires_at, created_at,
  ended_at`

/** Cancels an order in progress; its run can write nothing any more. */
export const cancelOrders = sql(
  'acme_orders.cancel',
  `UPDATE acme_orders SET status = 'cancelled', ended_at = now(), next_at = NULL, token = NULL,
     sealed_key = NULL
   WHERE workspace_id = $workspaceId AND domain_id = $domainId AND ended_at IS NULL`,
)
/** @returns undefined if the domain has an order in progress */
export const insertOrder = sql(
  'acme_orders.insert',
  `INSERT INTO acme_orders (workspace_id, id, domain_id, name, challenge, is_renewal, created_by,
                            expires_at)
   VALUES ($workspaceId, $id, $domainId, $name, $challenge, $isRenewal, $createdBy,
     now() + make_interval(secs => $expiresAt))
   ON CONFLICT (workspace_id, domain_id) WHERE ended_at IS NULL DO NOTHING
   RETURNING ${orderColumns}`,
)
export const findLatestOrder = sql(
  'acme_orders.latest',
  `SELECT ${orderColumns} FROM acme_orders WHERE workspace_id = $workspaceId
     AND domain_id = $domainId
   ORDER BY created_at DESC, id DESC LIMIT 1`,
)
export const lockLatestOrder = sql(
  'acme_orders.lock_latest',
  `${findLatestOrder.source} FOR UPDATE`,
)
/** From `waiting` to `validating`. */
export const continueOrder = sql(
  'acme_orders.continue',
  `UPDATE acme_orders SET status = 'validating', next_at = now(), looks = 0, failures = 0
   WHERE workspace_id = $workspaceId AND id = $id AND status = 'waiting' RETURNING ${orderColumns}`,
)
// Serializes orders of a workspace, so that the limit holds.
const lockWorkspace = sql(
  'acme_orders.lock_workspace',
  'SELECT id FROM workspaces WHERE id = $id FOR NO KEY UPDATE',
)
const countToday = sql(
  'acme_orders.count_today',
  `SELECT count(*) AS orders,
          extract(epoch FROM min(created_at) + interval '1 day' - now()) AS reset_seconds
   FROM acme_orders
   WHERE workspace_id = $workspaceId AND NOT is_renewal AND created_at > now() - interval '1 day'`,
)

/** Orders of the last 24 hours, and seconds until the oldest no longer counts. */
export async function countOrdersOfDay(
  db: Db,
  workspaceId: string,
): Promise<{ orders: number; resetSeconds: number }> {
  await lockWorkspace.run(db, { id: workspaceId })
  const row = await countToday.first(db, { workspaceId })
  return { orders: row?.orders ?? 0, resetSeconds: Math.ceil(Number(row?.reset_seconds ?? 0)) }
}
