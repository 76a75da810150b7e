/** Calls of the payment provider: the workspace as its customer, and the meaning of failures. */
import type { Db } from '../../../platform/database/connect.ts'
import { Failure } from '../../../platform/errors/errors.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import type { ChargingProvider, PaymentProvider } from '../../../adapters/payment-provider/port.ts'
import { findCustomer, saveCustomer } from './store.ts'

/** @throws Failure payments_by_hand */
export function requireCharging(provider: PaymentProvider): ChargingProvider {
  if (provider.kind === 'charging') return provider
  throw new Failure('payments_by_hand', { detail: provider.instructions })
}

const RETRY_AFTER_SECONDS = 10

/** @throws Failure payment_provider_unavailable; the provider's message is only logged */
export async function throughProvider<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (cause) {
    if (cause instanceof Failure) throw cause
    throw new Failure('payment_provider_unavailable', {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      cause,
    })
  }
}

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
