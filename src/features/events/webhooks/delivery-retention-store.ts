/** Statements that prune the delivery log. */
import type { Db } from '../../../platform/database/connect.ts'
import { type RowOf, sql } from '../../../platform/database/sql.ts'

export type LogPlace = RowOf<typeof next>

const next = sql(
  'webhook_deliveries.next_webhook',
  `SELECT d.workspace_id, d.webhook_id, EXISTS (
     SELECT FROM webhooks w WHERE w.workspace_id = d.workspace_id AND w.id = d.webhook_id
   ) AS is_there!
   FROM webhook_deliveries d WHERE (d.workspace_id, d.webhook_id) > ($afterWorkspace, $afterWebhook)
   ORDER BY d.workspace_id, d.webhook_id LIMIT 1`,
)
// Ids grow with time; waiting deliveries and dead letters that can still be sent are kept.
const remove = sql(
  'webhook_deliveries.remove_old',
  `WITH old AS (
     SELECT id FROM webhook_deliveries
     WHERE workspace_id = $workspaceId AND webhook_id = $webhookId
       AND (NOT $exists OR id < $before
         AND (status = 'delivered' OR status = 'dead' AND id < $deadBefore))
     ORDER BY id LIMIT $limit
   )
   DELETE FROM webhook_deliveries d USING old
   WHERE d.workspace_id = $workspaceId AND d.webhook_id = $webhookId AND d.id = old.id RETURNING 1`,
)

const NIL = '00000000-0000-0000-0000-000000000000'

/** The next webhook with deliveries; it may have been deleted. */
export async function nextWithDeliveries(
  db: Db,
  after: LogPlace | undefined,
): Promise<LogPlace | undefined> {
  const { workspace_id = NIL, webhook_id = NIL } = after ?? {}
  return next.first(db, { afterWorkspace: workspace_id, afterWebhook: webhook_id })
}

/** @returns the number deleted */
export async function removeDeliveries(
  db: Db,
  { workspace_id, webhook_id, is_there }: LogPlace,
  { before, deadBefore }: { before: string; deadBefore: string },
  limit: number,
): Promise<number> {
  return (
    await remove.rows(db, {
      workspaceId: workspace_id,
      webhookId: webhook_id,
      exists: is_there,
      before,
      deadBefore,
      limit,
    })
  ).length
}
