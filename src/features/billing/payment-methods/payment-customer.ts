/** The workspace as a customer of the payment provider. */
import type { Db } from '../../../platform/database/connect.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import type { ChargingProvider } from '../../../adapters/payment-provider/port.ts'
import { findCustomerId, saveCustomer } from './store.ts'

/** The provider's id of the workspace, created on first use. */
export async function customerOf(
  db: Db,
  provider: ChargingProvider,
  workspaceId: string,
): Promise<string> {
  const known = await findCustomerId(db, workspaceId, provider.name)
  if (known !== undefined) return known
  const customerId = await provider.createCustomer(formatId('ws', workspaceId))
  await saveCustomer.run(db, { workspaceId, provider: provider.name, customerId })
  return (await findCustomerId(db, workspaceId, provider.name)) ?? customerId
}
