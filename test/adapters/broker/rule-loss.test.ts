/** Whether other rules take something away, against every topic and filter of a small world. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { TopicRule } from '../../../src/adapters/broker/port.ts'
import { keepsAll } from '../../../src/adapters/broker/rule-loss.ts'
import {
  compileRules,
  mayPublish,
  mayReceive,
  maySubscribe,
} from '../../../src/adapters/broker/topics.ts'
import { losesBy, mayNarrow } from '../../../src/features/mqtt/rule-narrowing/narrowing.ts'
import { newUuid } from '../../../src/platform/lib/ids.ts'

const LEVELS = ['a', 'b', 'c']
const wordsOf = (letters: readonly string[], length: number): string[] =>
  length === 0
    ? ['s']
    : wordsOf(letters, length - 1).flatMap((word) => letters.map((letter) => `${word}/${letter}`))
const TOPICS = [0, 1, 2, 3].flatMap((length) => wordsOf(LEVELS, length))
const FILTERS = [0, 1, 2].flatMap((length) =>
  wordsOf([...LEVELS, '+'], length).flatMap((word) => [word, `${word}/#`]),
)

const ruleIn = (levels: readonly string[], first: string) =>
  fc.record({
    action: fc.constantFrom<TopicRule['action']>('publish', 'subscribe', 'pubsub'),
    permission: fc.constantFrom<TopicRule['permission']>('allow', 'allow', 'deny'),
    topic: fc
      .tuple(fc.array(fc.constantFrom(...levels), { maxLength: 3 }), fc.boolean())
      .map(([rest, isDeep]) => [first, ...rest, ...(isDeep ? ['#'] : [])].join('/')),
  })
const rulesIn = (levels: readonly string[], first = 's') =>
  fc.array(ruleIn(levels, first), { maxLength: 4 })
const anyRules = rulesIn(['a', 'b', '+'])

/** Something that the rules of before let happen, and those of after don't. */
function lost(before: readonly TopicRule[], after: readonly TopicRule[]): string | undefined {
  const [old, now] = [compileRules(before), compileRules(after)]
  return (
    TOPICS.find((topic) => mayPublish(old, topic) && !mayPublish(now, topic)) ??
    TOPICS.find((topic) => mayReceive(old, topic) && !mayReceive(now, topic)) ??
    FILTERS.find((filter) => maySubscribe(old, filter) && !maySubscribe(now, filter))
  )
}

test('rules that are reported as kept are kept, for all topics and filters', () => {
  let kept = 0
  fc.assert(
    fc.property(anyRules, anyRules, anyRules, (before, more, others) => {
      // Near to what was, and far from it.
      for (const after of [[...more, ...before], [...before.slice(1), ...more], others]) {
        if (!keepsAll(before, after)) continue
        assert.equal(lost(before, after), undefined)
        if (lost(before, []) !== undefined) kept += 1
      }
    }),
    { numRuns: 2_000 },
  )
  assert.ok(kept > 500, `only ${kept}`)
})

test('a kept rule is also kept behind other kept rules', () => {
  fc.assert(
    fc.property(anyRules, anyRules, anyRules, (first, before, after) => {
      if (!keepsAll(before, after)) return
      assert.equal(lost([...first, ...before], [...first, ...after]), undefined)
    }),
    { numRuns: 3_000 },
  )
})

test('more allow rules, reordered allow rules and a removed deny rule take no rights', () => {
  const allows = anyRules.map((rules) => rules.filter(({ permission }) => permission === 'allow'))
  fc.assert(
    fc.property(anyRules, allows, (rules, more) => {
      assert.ok(keepsAll(rules, [...more, ...rules]))
      assert.ok(keepsAll(rules, [...rules, ...more]))
      const open = rules.filter(({ permission }) => permission === 'allow')
      assert.ok(keepsAll(rules, open))
      assert.ok(keepsAll(open, open.toReversed()))
    }),
  )
})

test('an existing deny rule takes no rights, and a new one does', () => {
  const [deny, allow] = [
    { action: 'subscribe', permission: 'deny', topic: 's/x/#' },
    { action: 'subscribe', permission: 'allow', topic: 's/#' },
  ] as const
  const narrower = { ...deny, topic: 's/x/y' }
  assert.ok(keepsAll([deny, allow], [narrower, allow]))
  assert.equal(keepsAll([narrower, allow], [deny, allow]), false)
  assert.equal(keepsAll([allow, deny], [deny, allow]), false)
})

test('a change by which no device can lose rights takes none, whatever the names', () => {
  const written = rulesIn(['{device_key}', 'a', 'b'], '{slug}')
  const id = newUuid()
  fc.assert(
    fc.property(written, written, fc.constantFrom('a', 'b', 'z'), (before, after, device_key) => {
      const narrowing = { before, after }
      if (!mayNarrow(narrowing))
        assert.equal(losesBy(narrowing, { id, slug: 's', device_key }), false)
    }),
    { numRuns: 3_000 },
  )
})

test('a device named like a level of a rule may be the only one that loses rights', () => {
  const own = { action: 'publish', permission: 'allow', topic: '{slug}/{device_key}/x' } as const
  const deny = { action: 'publish', permission: 'deny', topic: '{slug}/gate/x' } as const
  const narrowing = { before: [own], after: [deny, own] }
  assert.ok(mayNarrow(narrowing))
  const loses = (device_key: string) => losesBy(narrowing, { id: newUuid(), slug: 's', device_key })
  assert.deepEqual(['gate', 'pump'].map(loses), [true, false])
})

test('rules of a template that are empty are the default ones', () => {
  assert.equal(mayNarrow({ before: null, after: [] }), false)
  const one = { action: 'publish', permission: 'allow', topic: '{slug}/{device_key}/x' } as const
  assert.ok(mayNarrow({ before: [], after: [one] }))
})
