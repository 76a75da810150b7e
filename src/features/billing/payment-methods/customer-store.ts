/** Queries on workspaces as customers of the payment provider. */
import type { Db } from '../../../platform/database/connect.ts'
import { sql } from '../../../platform/database/sql.ts'

const findCustomer = sql(
  'payment_customers.find',
  `SELECT customer_id FROM payment_customers WHERE workspace_id = $workspaceId
     AND provider = $provider`,
)
/** The first one is kept. */
export const saveCustomer = sql(
  'payment_customers.insert',
  `INSERT INTO payment_customers (workspace_id, provider, customer_id)
     VALUES ($workspaceId, $provider, $customerId)
   ON CONFLICT (workspace_id, provider) DO NOTHING`,
)
const byCustomer = sql(
  'payment_customers.by_customer',
  `SELECT workspace_id FROM payment_customers WHERE provider = $provider
     AND customer_id = $customerId`,
)

export async function findCustomerId(
  db: Db,
  workspaceId: string,
  provider: string,
): Promise<string | undefined> {
  const row = await findCustomer.first(db, { workspaceId, provider })
  return row?.customer_id
}

/** @returns the workspace of a customer */
export async function findByCustomer(
  db: Db,
  provider: string,
  customerId: string,
): Promise<string | undefined> {
  const rows = await byCustomer.rows(db, { provider, customerId })
  return rows[0]?.workspace_id
}
