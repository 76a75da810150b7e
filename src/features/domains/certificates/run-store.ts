/** Queries of the job that runs orders. */
import type { Db } from '../../../platform/database/connect.ts'
import { type RowOf, sql } from '../../../platform/database/sql.ts'
import { orderColumns, type OrderRow } from './order-store.ts'

const taken = `${orderColumns}, turn AS turn!, expires_at <= now() AS is_over`
// A claim ends with its process, or after a timeout.
const free = `(o.turn IS NULL OR o.turn_until < now() OR NOT EXISTS (
  SELECT FROM nodes n WHERE n.id = o.node AND n.beat_at > now() - interval '15 seconds'))`
const TURN = `interval '5 minutes'`

/** Claims the order, unless another run is active or there is nothing to do. */
export const takeOrder = sql(
  'acme_orders.take',
  `UPDATE acme_orders o SET node = $node?, turn = $turn?, turn_until = now() + ${TURN}
   WHERE workspace_id = $workspaceId AND id = $id AND next_at IS NOT NULL AND ${free}
   RETURNING ${taken}`,
)
export type TakenOrder = RowOf<typeof takeOrder>
export const isOrderDue = sql(
  'acme_orders.is_due',
  `SELECT id FROM acme_orders WHERE workspace_id = $workspaceId AND id = $id
     AND next_at IS NOT NULL`,
)
const write = sql(
  'acme_orders.write',
  `UPDATE acme_orders
   SET status = $status, url = $url?, token = $token?, proof = $proof?, sealed_key = $sealedKey?, looks = $looks, failures = $failures,
       refusals = $refusals, problem = $problem?, next_at = now() + make_interval(secs => $seconds?::float8),
       turn = CASE WHEN $isTurnKept THEN turn END, turn_until = now() + ${TURN},
       ended_at = CASE WHEN $status IN ('issued', 'failed') THEN now() END
   WHERE workspace_id = $workspaceId AND id = $id AND turn = $turn AND ended_at IS NULL
   RETURNING ${taken}`,
)
const renewLater = sql(
  'domain_certificates.renew_later',
  `UPDATE domain_certificates
   SET renew_at = now() + LEAST(interval '1 day',
                                GREATEST(interval '1 hour', (not_after - now()) / 4))
   WHERE workspace_id = $workspaceId AND domain_id = $domainId AND renew_at IS NOT NULL`,
)
/** Orders overdue by a minute that no run has claimed. */
export const findStuckOrders = sql(
  'acme_orders.stuck',
  `SELECT workspace_id, id FROM acme_orders o
   WHERE next_at < now() - interval '1 minute' AND ${free} LIMIT $limit`,
)
/** Continues orders that waited for someone in vain, which ends them. */
export const wakeExpiredOrders = sql(
  'acme_orders.wake_expired',
  `UPDATE acme_orders SET next_at = now()
   WHERE status = 'waiting' AND expires_at <= now() AND next_at IS NULL
   RETURNING workspace_id, id`,
)
export const deleteEndedOrders = sql(
  'acme_orders.forget',
  `DELETE FROM acme_orders WHERE (workspace_id, id) IN (
     SELECT workspace_id, id FROM acme_orders
     WHERE ended_at < now() - make_interval(days => $days) LIMIT $limit)`,
)
const proofOf = sql(
  'acme_orders.proof',
  `SELECT proof FROM acme_orders
   WHERE token = $token AND challenge = 'http-01' AND ended_at IS NULL`,
)

export type OrderKey = Pick<OrderRow, 'workspace_id' | 'id'>

/**
 * Stores the run's result. @returns undefined if the claim was lost
 * @param wait seconds until it continues; null: someone else continues it, or it has ended
 */
export async function writeOrder(
  db: Db,
  order: TakenOrder,
  { wait, keep }: { wait: number | null; keep: boolean },
): Promise<TakenOrder | undefined> {
  const row = await write.first(db, {
    workspaceId: order.workspace_id,
    id: order.id,
    turn: order.turn,
    status: order.status,
    url: order.url,
    token: order.token,
    proof: order.proof,
    sealedKey: order.sealed_key,
    looks: order.looks,
    failures: order.failures,
    problem: order.problem,
    seconds: wait,
    isTurnKept: keep,
    refusals: order.refusals,
  })
  return row
}

/** Postpones the next renewal by a day, or less if the certificate expires soon. */
export async function postponeRenewal(
  db: Db,
  { workspace_id, domain_id }: Pick<OrderRow, 'workspace_id' | 'domain_id'>,
): Promise<void> {
  await renewLater.run(db, { workspaceId: workspace_id, domainId: domain_id })
}

/** The proof for a token of any workspace. */
export async function findProof(db: Db, token: string): Promise<string | undefined> {
  return (await proofOf.first(db, { token }))?.proof ?? undefined
}
