/** What the service says by default about paying is said in the language of the console. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isByDefault } from '../../console/src/pages/billing/how-to-pay.ts'
import { german } from '../../console/src/pages/billing/words.de.ts'
import { createManualProvider } from '../../src/adapters/payment-provider/manual.ts'

test('instructions that the operator has not written are those of the service', () => {
  const { instructions } = createManualProvider(undefined)
  assert.equal(isByDefault(instructions), true)
  assert.equal(instructions in german, true)
  assert.equal(isByDefault(createManualProvider('Transfer it to DE12.').instructions), false)
})
