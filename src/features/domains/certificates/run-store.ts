/** Queries of the job that runs orders. */
import { type Db, statement } from '../../../platform/database/connect.ts'
import { orderColumns, type OrderRow } from './order-store.ts'

/** An order claimed by one run. */
export interface TakenOrder extends OrderRow {
  turn: string
  is_over: boolean
}

const taken = `${orderColumns}, turn, expires_at <= now() AS is_over`
// A claim ends with its process, or after a timeout.
const free = `(o.turn IS NULL OR o.turn_until < now() OR NOT EXISTS (
  SELECT FROM nodes n WHERE n.id = o.node AND n.beat_at > now() - interval '15 seconds'))`
const TURN = `interval '5 minutes'`

const take = statement(
  'acme_orders.take',
  `UPDATE acme_orders o SET node = $3, turn = $4, turn_until = now() + ${TURN}
   WHERE workspace_id = $1 AND id = $2 AND next_at IS NOT NULL AND ${free} RETURNING ${taken}`,
)
const isDue = statement(
  'acme_orders.is_due',
  `SELECT id FROM acme_orders WHERE workspace_id = $1 AND id = $2 AND next_at IS NOT NULL`,
)
const write = statement(
  'acme_orders.write',
  `UPDATE acme_orders
   SET status = $4, url = $5, token = $6, proof = $7, sealed_key = $8, looks = $9, failures = $10,
       refusals = $14, problem = $11, next_at = now() + make_interval(secs => $12::float8),
       turn = CASE WHEN $13 THEN turn END, turn_until = now() + ${TURN},
       ended_at = CASE WHEN $4 IN ('issued', 'failed') THEN now() END
   WHERE workspace_id = $1 AND id = $2 AND turn = $3 AND ended_at IS NULL RETURNING ${taken}`,
)
const renewLater = statement(
  'domain_certificates.renew_later',
  `UPDATE domain_certificates
   SET renew_at = now() + LEAST(interval '1 day',
                                GREATEST(interval '1 hour', (not_after - now()) / 4))
   WHERE workspace_id = $1 AND domain_id = $2 AND renew_at IS NOT NULL`,
)
const stuck = statement(
  'acme_orders.stuck',
  `SELECT workspace_id, id FROM acme_orders o
   WHERE next_at < now() - interval '1 minute' AND ${free} LIMIT $1`,
)
const wakeExpired = statement(
  'acme_orders.wake_expired',
  `UPDATE acme_orders SET next_at = now()
   WHERE status = 'waiting' AND expires_at <= now() AND next_at IS NULL
   RETURNING workspace_id, id`,
)
const forget = statement(
  'acme_orders.forget',
  `DELETE FROM acme_orders WHERE (workspace_id, id) IN (
     SELECT workspace_id, id FROM acme_orders
     WHERE ended_at < now() - make_interval(days => $1) LIMIT $2)`,
)
const proofOf = statement(
  'acme_orders.proof',
  `SELECT proof FROM acme_orders
   WHERE token = $1 AND challenge = 'http-01' AND ended_at IS NULL`,
)

export type OrderKey = Pick<OrderRow, 'workspace_id' | 'id'>

/** Claims the order, unless another run is active or there is nothing to do. */
export async function takeOrder(
  db: Db,
  { workspace_id, id }: OrderKey,
  { nodeId, turn }: { nodeId: string; turn: string },
): Promise<TakenOrder | undefined> {
  return (await db.query<TakenOrder>(take, [workspace_id, id, nodeId, turn]))[0]
}

export async function isOrderDue(db: Db, { workspace_id, id }: OrderKey): Promise<boolean> {
  return (await db.query(isDue, [workspace_id, id])).length > 0
}

/**
 * Stores the run's result. @returns undefined if the claim was lost
 * @param wait seconds until it continues; null: someone else continues it, or it has ended
 */
export async function writeOrder(
  db: Db,
  order: TakenOrder,
  { wait, keep }: { wait: number | null; keep: boolean },
): Promise<TakenOrder | undefined> {
  const [row] = await db.query<TakenOrder>(write, [
    order.workspace_id,
    order.id,
    order.turn,
    order.status,
    order.url,
    order.token,
    order.proof,
    order.sealed_key,
    order.looks,
    order.failures,
    order.problem,
    wait,
    keep,
    order.refusals,
  ])
  return row
}

/** Postpones the next renewal by a day, or less if the certificate expires soon. */
export async function putOffRenewal(
  db: Db,
  { workspace_id, domain_id }: Pick<OrderRow, 'workspace_id' | 'domain_id'>,
): Promise<void> {
  await db.query(renewLater, [workspace_id, domain_id])
}

/** Orders overdue by a minute that no run has claimed. */
export const findStuckOrders = (db: Db, most: number): Promise<OrderKey[]> =>
  db.query(stuck, [most])

/** Continues orders that waited for someone in vain, which ends them. */
export const wakeExpiredOrders = (db: Db): Promise<OrderKey[]> => db.query(wakeExpired, [])

export async function deleteEndedOrders(db: Db, days: number, most: number): Promise<void> {
  await db.query(forget, [days, most])
}

/** The proof for a token of any workspace. */
export async function findProof(db: Db, token: string): Promise<string | undefined> {
  return (await db.query<{ proof: string | null }>(proofOf, [token]))[0]?.proof ?? undefined
}
