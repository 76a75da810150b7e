/** The amounts of an invoice, anyone who changes plans how often. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  amountsOf,
  type UsedTerm,
} from '../../../../src/features/billing/invoices/invoice-lines.ts'
import type { Plan } from '../../../../src/features/common/plan-shapes.ts'
import { HOUR_MS } from '../../../../src/platform/lib/time.ts'
import { divideHalfUp } from '../../../../src/platform/lib/currency.ts'

const month = { from: Date.UTC(2028, 1), to: Date.UTC(2028, 2) }
const HOURS = (month.to - month.from) / HOUR_MS

const planOf = (base_amount: number, included: number): Plan => ({
  id: 'small',
  name: 'Small',
  kind: 'pay_as_you_go',
  currency: 'JPY',
  base_amount,
  limits: {},
  prices: [{ meter: 'messages', unit: 1_000, amount: 1, included }],
})

/** Changed at these hours, with so many messages in each part. */
function termsOf(plan: Plan, changes: readonly number[], messages: number): UsedTerm[] {
  const edges = [0, ...new Set(changes.toSorted((a, b) => a - b)), HOURS]
  return edges.slice(1).map((end, index) => ({
    plan,
    from: month.from + (edges[index] as number) * HOUR_MS,
    to: month.from + end * HOUR_MS,
    use: { connected_devices: 0, messages, bytes: 0, api_calls: 0 },
  }))
}

const sumOf = (terms: UsedTerm[], meter: string, member: 'amount' | 'included'): number =>
  amountsOf(terms, month, undefined)
    .lines.filter((line) => line.meter === meter)
    .reduce((sum, line) => sum + line[member], 0)

const everyHour = Array.from({ length: HOURS - 1 }, (_, hour) => hour + 1)

test('a plan that is changed every hour costs no less than one that stays', () => {
  // Each hour by itself would be less than half of the minor unit.
  const terms = termsOf(planOf(300, 0), everyHour, 499)
  assert.equal(sumOf(terms, 'base', 'amount'), 300)
  assert.equal(sumOf(terms, 'messages', 'amount'), divideHalfUp(499n * BigInt(HOURS), 1_000n))
})

test('an invoice issued with lines rounded individually is recomputed in the same way', () => {
  const { lines } = amountsOf(termsOf(planOf(300, 0), everyHour, 499), month, undefined, false)
  assert.ok(lines.every(({ amount }) => amount === 0))
})

test('a month in several parts has the same cost and quantity as a whole month', () => {
  const hours = fc.array(fc.integer({ min: 1, max: HOURS - 1 }), { maxLength: 60 })
  const amounts = fc.integer({ min: 1, max: 1_000_000 })
  fc.assert(
    fc.property(hours, amounts, amounts, amounts, (changes, base, included, messages) => {
      const terms = termsOf(planOf(base, included), changes, messages)
      assert.equal(sumOf(terms, 'base', 'amount'), base)
      assert.equal(sumOf(terms, 'messages', 'included'), included)
      const { lines } = amountsOf(terms, month, undefined)
      assert.ok(lines.every(({ amount }) => amount >= 0))
    }),
    { numRuns: 50 },
  )
})
