/** Who a workspace is at the provider of payments. */
import type { Db } from '../../database/connect.ts'
import { formatId } from '../../lib/ids.ts'
import type { ChargingProvider } from '../../payments/port.ts'
import { findCustomerId, saveCustomer } from './customer-store.ts'

/** The provider's id of the workspace; made when it is first asked for, and then the same. */
export async function customerOf(
  db: Db,
  provider: ChargingProvider,
  workspaceId: string,
): Promise<string> {
  const known = await findCustomerId(db, workspaceId, provider.name)
  if (known !== undefined) return known
  const customerId = await provider.createCustomer(formatId('ws', workspaceId))
  await saveCustomer(db, { workspaceId, provider: provider.name, customerId })
  return (await findCustomerId(db, workspaceId, provider.name)) ?? customerId
}
