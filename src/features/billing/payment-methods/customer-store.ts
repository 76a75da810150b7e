/** Queries on workspaces as customers of the payment provider. */
import { type Db, statement } from '../../../platform/database/connect.ts'

const findCustomer = statement(
  'payment_customers.find',
  'SELECT customer_id FROM payment_customers WHERE workspace_id = $1 AND provider = $2',
)
const insertCustomer = statement(
  'payment_customers.insert',
  `INSERT INTO payment_customers (workspace_id, provider, customer_id) VALUES ($1, $2, $3)
   ON CONFLICT (workspace_id, provider) DO NOTHING`,
)
const byCustomer = statement(
  'payment_customers.by_customer',
  'SELECT workspace_id FROM payment_customers WHERE provider = $1 AND customer_id = $2',
)

export async function findCustomerId(
  db: Db,
  workspaceId: string,
  provider: string,
): Promise<string | undefined> {
  const [row] = await db.query<{ customer_id: string }>(findCustomer, [workspaceId, provider])
  return row?.customer_id
}

/** The first one is kept. */
export async function saveCustomer(
  db: Db,
  customer: { workspaceId: string; provider: string; customerId: string },
): Promise<void> {
  await db.query(insertCustomer, [customer.workspaceId, customer.provider, customer.customerId])
}

/** @returns the workspace of a customer */
export async function findByCustomer(
  db: Db,
  provider: string,
  customerId: string,
): Promise<string | undefined> {
  const rows = await db.query<{ workspace_id: string }>(byCustomer, [provider, customerId])
  return rows[0]?.workspace_id
}
