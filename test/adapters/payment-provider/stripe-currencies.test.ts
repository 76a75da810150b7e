/** Amounts that Stripe counts otherwise than ISO 4217 does are refused, and not charged wrongly. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createStripeProvider } from '../../../src/adapters/payment-provider/stripe.ts'

const provider = createStripeProvider({
  secretKey: 'sk_test_unused',
  webhookSecret: 'whsec_unused',
  publishableKey: undefined,
  apiBase: 'http://127.0.0.1:9',
})

const refused: readonly (readonly [string, number, string])[] = [
  ['ISK', 500, 'currency_unsupported'],
  ['MGA', 500, 'currency_unsupported'],
  ['UGX', 500, 'currency_unsupported'],
  ['KWD', 5_124, 'amount_unsupported'],
  ['TND', 1, 'amount_unsupported'],
]

for (const [currency, amount, code] of refused) {
  test(`a payment of ${amount} minor units of ${currency} is refused`, async () => {
    const payment = { paymentId: 'pay_x', attempt: 1, amount, currency, description: 'x' }
    const open = async () =>
      provider.openPayment({ ...payment, customerId: 'cus_x', methodId: 'pm_x' })
    await assert.rejects(open, { name: 'ProviderRefusal', code })
  })
}
