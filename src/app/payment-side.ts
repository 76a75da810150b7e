/** Selects the configured payment provider. */
import type { Config } from '../platform/config/config.ts'
import { createManualProvider } from '../adapters/payment-provider/manual.ts'
import type { PaymentProvider } from '../adapters/payment-provider/port.ts'
import { createStripeProvider } from '../adapters/payment-provider/stripe.ts'

export function paymentsOf(config: Config): PaymentProvider {
  const { stripeSecretKey: secretKey, stripeWebhookSecret: webhookSecret } = config
  if (secretKey === undefined || webhookSecret === undefined) {
    return createManualProvider(config.paymentInstructions)
  }
  const { stripePublishableKey: publishableKey, stripeApiBase: apiBase } = config
  return createStripeProvider({ secretKey, webhookSecret, publishableKey, apiBase })
}
