/** Calls of the payment provider within a request, and the meaning of their failures. */
import { Failure } from '../../../platform/errors/errors.ts'
import type { ChargingProvider, PaymentProvider } from '../../../adapters/payment-provider/port.ts'

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
