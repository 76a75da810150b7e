/** Queries on payment methods, their setups and customers. */
import type { Db } from '../../../platform/database/connect.ts'
import { type RowOf, sql } from '../../../platform/database/sql.ts'

export type MethodRow = RowOf<typeof findMethod>

const columns = `workspace_id, id, provider, status, setup_id, provider_id, brand, last4, exp_month,
  exp_year, is_default, created_by, revision, created_at`

// Serializes changes of a workspace's methods.
export const lockMethods = sql('payment_methods.lock_workspace')`
  SELECT id FROM workspaces WHERE id = $id FOR NO KEY UPDATE`
export const countMethods = sql('payment_methods.count')`
  SELECT count(*) FILTER (WHERE status = 'active') AS active,
         count(*) FILTER (WHERE status = 'pending') AS pending
  FROM payment_methods WHERE workspace_id = $workspaceId AND status IN ('active', 'pending')`
export const insertMethod = sql('payment_methods.insert')`
  INSERT INTO payment_methods (workspace_id, id, provider, created_by)
  VALUES ($workspaceId, $id, $provider, $createdBy)
  RETURNING ${columns}`
export const bindSetup = sql('payment_methods.bind_setup')`
  UPDATE payment_methods SET setup_id = $setupId WHERE workspace_id = $workspaceId AND id = $id`
export const listMethods = sql('payment_methods.list')`
  SELECT ${columns} FROM payment_methods
  WHERE workspace_id = $workspaceId AND status = 'active' ORDER BY created_at, id`
/** One that can be charged. */
export const findMethod = sql('payment_methods.find')`
  SELECT ${columns} FROM payment_methods
  WHERE workspace_id = $workspaceId AND id = $id AND status = 'active'`
/** Including methods being set up and removed ones. */
export const findAnyMethod = sql('payment_methods.find_any')`
  SELECT ${columns} FROM payment_methods WHERE workspace_id = $workspaceId AND id = $id`
export const findDefaultMethod = sql('payment_methods.find_default')`
  SELECT ${columns} FROM payment_methods WHERE workspace_id = $workspaceId AND is_default`
export const lockMethod = sql('payment_methods.lock')`
  SELECT ${columns} FROM payment_methods
  WHERE workspace_id = $workspaceId AND id = $id AND status = 'active' FOR UPDATE`
const undefault = sql('payment_methods.undefault')`
  UPDATE payment_methods SET is_default = false, revision = revision + 1, updated_at = now()
  WHERE workspace_id = $workspaceId AND is_default`
const makeDefault = sql('payment_methods.make_default')`
  UPDATE payment_methods SET is_default = true, revision = revision + 1, updated_at = now()
  WHERE workspace_id = $workspaceId AND id = $id RETURNING ${columns}`
export const markDetached = sql('payment_methods.detach')`
  UPDATE payment_methods
  SET status = 'detached', is_default = false, revision = revision + 1, updated_at = now()
  WHERE workspace_id = $workspaceId AND id = $id`
export const updateCardOf = sql('payment_methods.update_card')`
  UPDATE payment_methods
  SET brand = $brand, last4 = $last4, exp_month = $expMonth, exp_year = $expYear,
    revision = revision + 1,
      updated_at = now()
  WHERE workspace_id = $workspaceId AND id = $id`
/** Under `lockMethods`. Without a result if it is no longer pending. */
export const activateMethod = sql('payment_methods.activate')`
  UPDATE payment_methods
  SET status = 'active', provider_id = $providerId, brand = $brand, last4 = $last4,
    exp_month = $expMonth, exp_year = $expYear,
      revision = revision + 1, updated_at = now(),
      is_default = NOT EXISTS (
        SELECT FROM payment_methods WHERE workspace_id = $workspaceId AND is_default)
  WHERE workspace_id = $workspaceId AND id = $id AND status = 'pending' RETURNING ${columns}`
/** @returns whether it was pending */
export const abandonMethod = sql('payment_methods.abandon')`
  UPDATE payment_methods SET status = 'abandoned', revision = revision + 1, updated_at = now()
  WHERE workspace_id = $workspaceId AND id = $id AND status = 'pending' RETURNING id`
/** Searches all workspaces. */
export const findBySetup = sql('payment_methods.by_setup')`
  SELECT workspace_id, id FROM payment_methods
  WHERE provider = $provider AND setup_id = $setupId AND status = 'pending'`
// After a minute, then doubling up to an hour.
/** Due setups, each handed to one caller. */
export const takeDueSetups = sql('payment_methods.due')`
  UPDATE payment_methods m
  SET checks = m.checks + 1,
      check_at = now() + least(interval '1 minute' * 2 ^ least(m.checks + 1, 6),
                               interval '1 hour')
  FROM (SELECT workspace_id, id FROM payment_methods
        WHERE status = 'pending' AND check_at <= now()
        ORDER BY check_at LIMIT $limit FOR UPDATE SKIP LOCKED) AS hit
  WHERE m.workspace_id = hit.workspace_id AND m.id = hit.id
  RETURNING m.workspace_id, m.id, m.created_at < now() - interval '1 day' AS is_old!`

/** Under `lockMethods`. */
export async function setDefault(trx: Db, workspaceId: string, id: string): Promise<MethodRow> {
  await undefault.run(trx, { workspaceId })
  return makeDefault.one(trx, { workspaceId, id })
}

// Queries on workspaces as customers of the payment provider.

export const findCustomer = sql('payment_customers.find')`
  SELECT customer_id FROM payment_customers WHERE workspace_id = $workspaceId
    AND provider = $provider`
/** The first one is kept. */
export const saveCustomer = sql('payment_customers.insert')`
  INSERT INTO payment_customers (workspace_id, provider, customer_id)
  VALUES ($workspaceId, $provider, $customerId)
  ON CONFLICT (workspace_id, provider) DO NOTHING`
export const findByCustomer = sql('payment_customers.by_customer')`
  SELECT workspace_id FROM payment_customers WHERE provider = $provider
    AND customer_id = $customerId`
