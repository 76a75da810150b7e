/** Amounts of money as people read and type them, and the price of a plan. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { minorOf, monthlyPrice, moneyText } from '../../console/src/api/money.ts'
import { examplePlans } from '../support/plans.ts'

test('amounts have the digits of their currency', () => {
  assert.equal(moneyText(1_309, 'EUR'), '€13.09')
  assert.equal(moneyText(1_309, 'JPY'), '¥1,309')
  assert.equal(moneyText(1_309, 'BHD'), 'BHD\u00a01.309')
  assert.equal(minorOf('13.09', 'EUR'), 1_309)
  assert.equal(minorOf('13,9', 'EUR'), 1_390)
  assert.equal(minorOf('13', 'JPY'), 13)
  for (const text of ['', '13.', '1.234', '-3', '1e3', 'x']) {
    assert.equal(minorOf(text, 'EUR'), undefined, text)
  }
})

test('a month costs its base, and what is beyond what is included', () => {
  const [, plan] = examplePlans().plans
  assert.ok(plan)
  const nothing = { connected_devices: 0, messages: 0, bytes: 0, api_calls: 0 }
  assert.equal(monthlyPrice(plan, nothing), 900)
  assert.equal(monthlyPrice(plan, { ...nothing, messages: 1_200_000 }), 900 + 200)
  assert.equal(monthlyPrice(plan, { ...nothing, connected_devices: 27 }), 900 + 30)
})
