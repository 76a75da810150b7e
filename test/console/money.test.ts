/** Amounts of money as people read and type them, and the price of a plan. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { minorOf, monthlyPrice, moneyText } from '../../console/src/api/money.ts'
import { meters, priceText } from '../../console/src/pages/usage/meter-labels.ts'
import type { Plan } from '../../src/features/common/plan-shapes.ts'
import { amountsOf } from '../../src/features/billing/invoices/invoice-lines.ts'
import { examplePlans } from '../support/plans.ts'
import { randomFrom } from '../support/random.ts'

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

test('the included part of a peak is no quantity of a month', () => {
  const [, example] = examplePlans().plans
  assert.ok(example)
  const textOf = (meter: string): string | undefined =>
    meters
      .map((words) => (words.meter === meter ? priceText(example, words) : undefined))
      .find(Boolean)
  assert.equal(textOf('connected_devices'), '25 included, then €0.15 a month each')
  assert.match(String(textOf('messages')), /a month included, then €/)
})

test('a month costs its base and the usage beyond the included quantity', () => {
  const [, plan] = examplePlans().plans
  assert.ok(plan)
  const nothing = { connected_devices: 0, messages: 0, bytes: 0, api_calls: 0 }
  assert.equal(monthlyPrice(plan, nothing), 900)
  assert.equal(monthlyPrice(plan, { ...nothing, messages: 1_200_000 }), 900 + 200)
  assert.equal(monthlyPrice(plan, { ...nothing, connected_devices: 27 }), 900 + 30)
})

test('a price that is shown before a plan is chosen is what the invoice of that month says', () => {
  const month = { from: Date.UTC(2026, 9), to: Date.UTC(2026, 10) }
  const random = randomFrom(15)
  const upTo = (digits: number): number => Math.floor(random() * 10 ** Math.ceil(random() * digits))
  const meters = ['connected_devices', 'messages', 'bytes', 'api_calls'] as const
  const [, example] = examplePlans().plans
  assert.ok(example)
  for (let round = 0; round < 500; round += 1) {
    const prices = meters.map((meter) => ({
      meter,
      unit: 10_000 + upTo(9),
      amount: upTo(7),
      included: upTo(8),
    }))
    const plan: Plan = { ...example, base_amount: upTo(6), prices }
    const use = {
      connected_devices: upTo(7),
      messages: upTo(12),
      bytes: upTo(12),
      api_calls: upTo(12),
    }
    const { subtotal } = amountsOf([{ plan, ...month, use }], month, undefined)
    assert.equal(monthlyPrice(plan, use), subtotal, JSON.stringify({ prices, use }))
  }
})
