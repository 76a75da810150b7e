/** Selects the configured payment provider. */
import type { Config } from '../config.ts'
import { createManualProvider } from '../payments/manual.ts'
import type { PaymentProvider } from '../payments/port.ts'
import { createStripeProvider } from '../payments/stripe.ts'

export function paymentsOf(config: Config): PaymentProvider {
  const { stripeSecretKey: secretKey, stripeWebhookSecret: webhookSecret } = config
  if (secretKey === undefined || webhookSecret === undefined) {
    return createManualProvider(config.paymentInstructions)
  }
  const { stripePublishableKey: publishableKey, stripeApiBase: apiBase } = config
  return createStripeProvider({ secretKey, webhookSecret, publishableKey, apiBase })
}
