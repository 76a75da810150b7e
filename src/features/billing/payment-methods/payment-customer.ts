/** The workspace as a customer of the payment provider. */
import type { Db } from '../../../platform/database/connect.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import type { ChargingProvider } from '../../../adapters/payment-provider/port.ts'
import { findCustomer, saveCustomer } from './store.ts'

/** The provider's id of the workspace, created on first use. */
export async function customerOf(
  db: Db,
  provider: ChargingProvider,
  workspaceId: string,
): Promise<string> {
  const key = { workspaceId, provider: provider.name }
  const known = await findCustomer.first(db, key)
  if (known !== undefined) return known.customer_id
  const customerId = await provider.createCustomer(formatId('ws', workspaceId))
  await saveCustomer.run(db, { ...key, customerId })
  return (await findCustomer.first(db, key))?.customer_id ?? customerId
}
