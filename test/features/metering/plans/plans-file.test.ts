/** The plans file: valid contents, and the words of refusals. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readPlans } from '../../../../src/app/billing.ts'
import { examplePlans, plansFile } from '../../../support/plans.ts'

type Json = Record<string, unknown>

/** The example with something else in it. */
function changed(change: (file: Json, plans: Json[]) => void): unknown {
  const file = examplePlans() as unknown as Json
  change(file, file.plans as Json[])
  return file
}

const second = (fields: Json) => changed((_file, plans) => Object.assign(plans[1] as Json, fields))

const price = { meter: 'messages', unit: 1_000, amount: 1, included: 0 }

const wrong: readonly (readonly [string, unknown, RegExp])[] = [
  ['no JSON', '{', /is not JSON/],
  ['no plans', { plans: [] }, /\/plans must have at least 1 item/],
  ['another member', changed((file) => (file.colour = 1)), /\/colour is unknown/],
  ['a plan with another member', second({ colour: 1 }), /\/plans\/1\/colour is unknown/],
  [
    'a limit that is unknown',
    second({ limits: { cats: 1 } }),
    /\/plans\/1\/limits\/cats is unknown/,
  ],
  ['a float', second({ base_amount: 1.5 }), /\/plans\/1\/base_amount must be an integer/],
  ['a negative amount', second({ base_amount: -1 }), /\/plans\/1\/base_amount must be at least 0/],
  [
    'a currency in small letters',
    second({ currency: 'eur' }),
    /\/plans\/1\/currency must be three capital/,
  ],
  ['a currency that is none', second({ currency: 'ABC' }), /\/plans\/1\/currency must be a curr/],
  [
    'an id with a space',
    second({ id: 'my plan' }),
    /\/plans\/1\/id must be 2 to 40 lower-case letters/,
  ],
  ['an id twice', second({ id: 'free' }), /\/plans\/1\/id is the one of another plan/],
  ['a step of nothing', second({ prices: [{ ...price, unit: 0 }] }), /\/plans\/1\/prices\/0\/unit/],
  ['a meter twice', second({ prices: [price, price] }), /\/plans\/1\/prices\/1\/meter has a price/],
  ['a free plan that costs', second({ kind: 'free' }), /\/plans\/1\/base_amount must be 0/],
  [
    'a default that is unknown',
    changed((file) => (file.default_plan = 'x1')),
    /\/default_plan must/,
  ],
  [
    'a default that costs',
    changed((file) => (file.default_plan = 'pay-as-you-go')),
    /\/default_plan must be a plan of the kind free/,
  ],
]

describe('the plans file', () => {
  test('is not needed', () => assert.equal(readPlans(undefined), undefined))

  test('of the examples is right, and has one plan of each kind', () => {
    const kinds = readPlans(plansFile())?.plans.map(({ kind }) => kind)
    assert.deepEqual(kinds, ['free', 'pay_as_you_go', 'custom'])
  })

  test('that is not there is refused', () => {
    assert.throws(() => readPlans('/nonexistent.json'), /MOORING_PLANS_FILE names a file that can/)
  })

  for (const [what, file, words] of wrong) {
    test(`with ${what} is refused, naming the place`, () => {
      assert.throws(() => readPlans(plansFile(file)), { name: 'ConfigError', message: words })
    })
  }
})
