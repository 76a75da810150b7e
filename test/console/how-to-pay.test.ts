/** Default texts of the service about paying appear in the language of the console. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isByDefault } from '../../console/src/pages/billing/how-to-pay.ts'
import { german } from '../../console/src/pages/billing/translations.de.ts'
import { paymentsOf } from '../../src/app/billing.ts'
import { readConfig } from '../../src/platform/config/config.ts'

function instructionsOf(env: Record<string, string>): string {
  const payments = paymentsOf(readConfig(env))
  assert.equal(payments.kind, 'manual')
  return payments.instructions
}

test('instructions that the operator has not written are those of the service', () => {
  const instructions = instructionsOf({})
  assert.equal(isByDefault(instructions), true)
  assert.equal(instructions in german, true)
  const own = instructionsOf({ MOORING_PAYMENT_INSTRUCTIONS: 'Transfer it to DE12.' })
  assert.equal(isByDefault(own), false)
})
