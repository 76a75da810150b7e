/** Statements that prune the delivery log. */
import { type Db, statement } from '../../../platform/database/connect.ts'

export interface LogPlace {
  workspace_id: string
  webhook_id: string
  /** Whether the webhook still exists. */
  is_there: boolean
}

const next = statement(
  'webhook_deliveries.next_webhook',
  `SELECT d.workspace_id, d.webhook_id, EXISTS (
     SELECT FROM webhooks w WHERE w.workspace_id = d.workspace_id AND w.id = d.webhook_id
   ) AS is_there
   FROM webhook_deliveries d WHERE (d.workspace_id, d.webhook_id) > ($1, $2)
   ORDER BY d.workspace_id, d.webhook_id LIMIT 1`,
)
// Ids grow with time; waiting deliveries and dead letters that can still be sent are kept.
const remove = statement(
  'webhook_deliveries.remove_old',
  `WITH old AS (
     SELECT id FROM webhook_deliveries
     WHERE workspace_id = $1 AND webhook_id = $2
       AND (NOT $3 OR id < $4 AND (status = 'delivered' OR status = 'dead' AND id < $5))
     ORDER BY id LIMIT $6
   )
   DELETE FROM webhook_deliveries d USING old
   WHERE d.workspace_id = $1 AND d.webhook_id = $2 AND d.id = old.id RETURNING 1`,
)

const NIL = '00000000-0000-0000-0000-000000000000'

/** The next webhook with deliveries; it may have been deleted. */
export async function nextWithDeliveries(
  db: Db,
  after: LogPlace | undefined,
): Promise<LogPlace | undefined> {
  const { workspace_id = NIL, webhook_id = NIL } = after ?? {}
  return (await db.query<LogPlace>(next, [workspace_id, webhook_id]))[0]
}

/** @returns the number deleted */
export async function removeDeliveries(
  db: Db,
  { workspace_id, webhook_id, is_there }: LogPlace,
  { before, deadBefore }: { before: string; deadBefore: string },
  limit: number,
): Promise<number> {
  const values = [workspace_id, webhook_id, is_there, before, deadBefore, limit]
  return (await db.query(remove, values)).length
}
