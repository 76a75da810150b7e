/** Queries on certificate orders for requests. */
import { type Db, statement } from '../../../platform/database/connect.ts'

export interface OrderRow {
  workspace_id: string
  id: string
  domain_id: string
  name: string
  challenge: 'http-01' | 'dns-01'
  is_renewal: boolean
  status: 'ordering' | 'waiting' | 'validating' | 'finalizing' | 'issued' | 'failed' | 'cancelled'
  url: string | null
  token: string | null
  proof: string | null
  sealed_key: Buffer | null
  looks: number
  failures: number
  refusals: number
  next_at: number | null
  problem: string | null
  created_by: string
  expires_at: number
  created_at: number
  ended_at: number | null
}

export const orderColumns = `workspace_id, id, domain_id, name, challenge, is_renewal, status, url,
  token, proof, sealed_key, looks, failures, refusals, next_at, problem, created_by, expires_at, created_at,
  ended_at`

const cancel = statement(
  'acme_orders.cancel',
  `UPDATE acme_orders SET status = 'cancelled', ended_at = now(), next_at = NULL, token = NULL,
     sealed_key = NULL
   WHERE workspace_id = $1 AND domain_id = $2 AND ended_at IS NULL`,
)
const insert = statement(
  'acme_orders.insert',
  `INSERT INTO acme_orders (workspace_id, id, domain_id, name, challenge, is_renewal, created_by,
                            expires_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, now() + make_interval(secs => $8))
   ON CONFLICT (workspace_id, domain_id) WHERE ended_at IS NULL DO NOTHING
   RETURNING ${orderColumns}`,
)
const latest = statement(
  'acme_orders.latest',
  `SELECT ${orderColumns} FROM acme_orders WHERE workspace_id = $1 AND domain_id = $2
   ORDER BY created_at DESC, id DESC LIMIT 1`,
)
const lockLatest = statement('acme_orders.lock_latest', `${latest.text} FOR UPDATE`)
const go = statement(
  'acme_orders.continue',
  `UPDATE acme_orders SET status = 'validating', next_at = now(), looks = 0, failures = 0
   WHERE workspace_id = $1 AND id = $2 AND status = 'waiting' RETURNING ${orderColumns}`,
)
// Serializes orders of a workspace, so that the limit holds.
const lockWorkspace = statement(
  'acme_orders.lock_workspace',
  'SELECT id FROM workspaces WHERE id = $1 FOR NO KEY UPDATE',
)
const countToday = statement(
  'acme_orders.count_today',
  `SELECT count(*) AS orders,
          extract(epoch FROM min(created_at) + interval '1 day' - now()) AS reset_seconds
   FROM acme_orders
   WHERE workspace_id = $1 AND NOT is_renewal AND created_at > now() - interval '1 day'`,
)

/** Cancels an order in progress; its run can write nothing any more. */
export async function cancelOrders(db: Db, workspaceId: string, domainId: string): Promise<void> {
  await db.query(cancel, [workspaceId, domainId])
}

export interface NewOrder {
  workspaceId: string
  id: string
  domainId: string
  name: string
  challenge: 'http-01' | 'dns-01'
  isRenewal: boolean
  createdBy: string
  lifeSeconds: number
}

/** @returns undefined if the domain has an order in progress */
export async function insertOrder(db: Db, order: NewOrder): Promise<OrderRow | undefined> {
  const { workspaceId, id, domainId, name, challenge, isRenewal, createdBy, lifeSeconds } = order
  const values = [workspaceId, id, domainId, name, challenge, isRenewal, createdBy, lifeSeconds]
  return (await db.query<OrderRow>(insert, values))[0]
}

export async function findLatestOrder(
  db: Db,
  workspaceId: string,
  domainId: string,
): Promise<OrderRow | undefined> {
  return (await db.query<OrderRow>(latest, [workspaceId, domainId]))[0]
}

export async function lockLatestOrder(
  db: Db,
  workspaceId: string,
  domainId: string,
): Promise<OrderRow | undefined> {
  return (await db.query<OrderRow>(lockLatest, [workspaceId, domainId]))[0]
}

/** From `waiting` to `validating`. */
export async function continueOrder(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<OrderRow | undefined> {
  return (await db.query<OrderRow>(go, [workspaceId, id]))[0]
}

/** Orders of the last 24 hours, and seconds until the oldest no longer counts. */
export async function countOrdersOfDay(
  db: Db,
  workspaceId: string,
): Promise<{ orders: number; resetSeconds: number }> {
  await db.query(lockWorkspace, [workspaceId])
  const [row] = await db.query<{ orders: number; reset_seconds: string | null }>(countToday, [
    workspaceId,
  ])
  return { orders: row?.orders ?? 0, resetSeconds: Math.ceil(Number(row?.reset_seconds ?? 0)) }
}
