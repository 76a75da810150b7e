/** The rules that do nothing, against every topic and every filter of a small world. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { TopicRule } from '../../../../src/adapters/broker/port.ts'
import { compileRules, decidingRule } from '../../../../src/adapters/broker/topics.ts'
import { analyseRules } from '../../../../src/features/mqtt/acl/rule-analysis.ts'

const rule = (text: string): TopicRule => {
  const [permission, action, topic] = text.split(' ') as [
    TopicRule['permission'],
    TopicRule['action'],
    string,
  ]
  return { action, topic: `s/${topic}`, permission }
}
/** `kind place actions by`, for short. */
const received = (...texts: string[]): string[] =>
  analyseRules(texts.map(rule)).map(
    ({ kind, rule: place, actions, by }) => `${kind} ${place} ${actions.join()} [${by.join()}]`,
  )

test('a rule behind one that covers it is unreachable', () => {
  assert.deepEqual(received('allow publish a', 'deny publish a'), ['unreachable 1 publish [0]'])
  assert.deepEqual(received('allow subscribe #', 'allow subscribe a/+'), [
    'unreachable 1 subscribe [0]',
  ])
  assert.deepEqual(received('deny subscribe a/#', 'allow subscribe a/b', 'allow subscribe #'), [
    'unreachable 1 subscribe [0]',
  ])
  assert.deepEqual(received('deny publish a', 'allow pubsub a', 'allow publish a'), [
    'unreachable 1 publish [0]',
    'unreachable 2 publish [0]',
  ])
  assert.deepEqual(received('allow publish a', 'allow publish b', 'allow subscribe a'), [])
})

test('a rule that several cover together is unreachable because of all of them', () => {
  const whole = ['deny subscribe a', 'deny subscribe a/+/#']
  assert.deepEqual(received(...whole, 'allow subscribe a/#', 'allow subscribe #'), [
    'unreachable 2 subscribe [0,1]',
  ])
  assert.deepEqual(received(...whole, 'deny subscribe a/#', 'allow subscribe #').slice(-1), [
    'unreachable 2 subscribe [0,1]',
  ])
  // Neither of the first two lets the whole of it be subscribed to.
  assert.deepEqual(received('allow subscribe a', 'allow subscribe a/+/#', 'allow subscribe a/#'), [
    'redundant 0 subscribe [2]',
    'redundant 1 subscribe [2]',
  ])
})

test('a deny behind an allow of all its topics is shadowed: it refuses wider filters only', () => {
  assert.deepEqual(received('allow subscribe a/#', 'deny subscribe a/b', 'allow subscribe #'), [
    'shadowed 1 subscribe [0]',
  ])
})

test('a rule without effect on any decision is redundant', () => {
  assert.deepEqual(received('allow subscribe a/b', 'deny subscribe c', 'allow subscribe a/+'), [
    'redundant 0 subscribe [2]',
    'redundant 1 subscribe []',
  ])
  assert.deepEqual(
    received('allow subscribe a/b', 'deny subscribe +/b', 'allow subscribe a/+'),
    [],
    'a rule between them has another effect',
  )
  assert.deepEqual(received('allow pubsub a', 'allow subscribe a'), ['unreachable 1 subscribe [0]'])
  assert.deepEqual(
    received('allow pubsub a', 'allow subscribe #'),
    [],
    'the rule is needed for publishing',
  )
})

const LEVELS = ['a', 'b', 'c']
const wordsOf = (letters: readonly string[], length: number): string[] =>
  length === 0
    ? ['s']
    : wordsOf(letters, length - 1).flatMap((word) => letters.map((letter) => `${word}/${letter}`))
/** No rule names `c`, nor reaches the fourth level but with `#`. */
const TOPICS = [0, 1, 2, 3].flatMap((length) => wordsOf(LEVELS, length))
const FILTERS = [0, 1, 2, 3].flatMap((length) =>
  wordsOf([...LEVELS, '+'], length).flatMap((filter) => [filter, `${filter}/#`]),
)
FILTERS.push('#', '+/a', '+/+/b', '+/#', '+/a/#', '+')

const questions = [
  ...TOPICS.map((topic) => ['publish', topic] as const),
  ...TOPICS.map((topic) => ['receive', topic] as const),
  ...FILTERS.map((filter) => ['subscribe', filter] as const),
]

const filter = fc
  .tuple(fc.array(fc.constantFrom('a', 'b', '+'), { maxLength: 2 }), fc.boolean())
  .map(([levels, all]) => ['s', ...levels, ...(all ? ['#'] : [])].join('/'))
const rules: fc.Arbitrary<TopicRule[]> = fc.array(
  fc.record({
    action: fc.constantFrom('subscribe', 'subscribe', 'publish', 'pubsub'),
    topic: filter,
    permission: fc.constantFrom('allow', 'deny'),
  }),
  { maxLength: 7 },
)

const kindsOf = (action: string): 'publish' | 'subscribe' =>
  action === 'publish' ? 'publish' : 'subscribe'

test('an unreachable rule never decides, an ineffective one is reported, and neither is missed', () => {
  let unreachable = 0
  fc.assert(
    fc.property(rules, (list) => {
      const compiled = compileRules(list)
      const findings = analyseRules(list)
      const decides = new Set<string>()
      const decidesTopic = new Set<string>()
      for (const [action, topic] of questions) {
        const decider = decidingRule(compiled, action, topic)
        if (decider === undefined) continue
        const key = `${list.indexOf(decider)} ${kindsOf(action)}`
        decides.add(key)
        if (action !== 'subscribe') decidesTopic.add(key)
      }
      for (const { kind, rule: place, actions, by } of findings) {
        for (const action of actions) {
          const key = `${place} ${action}`
          if (kind === 'unreachable') assert.ok(!decides.has(key), key)
          if (kind === 'shadowed') assert.ok(!decidesTopic.has(key), key)
        }
        if (kind !== 'redundant') assert.ok(by.length > 0 && by.every((other) => other < place))
      }
      const named = new Set(
        findings.flatMap(({ rule: place, actions }) =>
          actions.map((action) => `${place} ${action}`),
        ),
      )
      unreachable += findings.filter(({ kind }) => kind === 'unreachable').length
      for (const [place, { action, permission }] of list.entries()) {
        for (const one of ['publish', 'subscribe'] as const) {
          if (action !== one && action !== 'pubsub') continue
          const key = `${place} ${one}`
          const isIdle = permission === 'deny' ? !decidesTopic.has(key) : !decides.has(key)
          if (isIdle) assert.ok(named.has(key), `${key} is not reported`)
        }
      }
    }),
    { numRuns: 400 },
  )
  assert.ok(unreachable > 100, `only ${unreachable}`)
})

test('all that is unreachable or redundant can go at once, and nothing is decided differently', () => {
  let gone = 0
  fc.assert(
    fc.property(rules, fc.nat(7), (list, fixed) => {
      const idle = new Map<number, number>()
      const count = Math.max(0, list.length - (fixed % 4))
      for (const { kind, rule: place, actions } of analyseRules(list, count)) {
        assert.ok(place < count)
        if (kind !== 'shadowed') idle.set(place, (idle.get(place) ?? 0) + actions.length)
      }
      const rest = list.filter(
        ({ action }, place) => (idle.get(place) ?? 0) < (action === 'pubsub' ? 2 : 1),
      )
      gone += list.length - rest.length
      const [before, after] = [compileRules(list), compileRules(rest)]
      for (const [action, topic] of questions) {
        assert.equal(
          decidingRule(before, action, topic)?.permission === 'allow',
          decidingRule(after, action, topic)?.permission === 'allow',
          `${action} ${topic}`,
        )
      }
    }),
    { numRuns: 400 },
  )
  assert.ok(gone > 100, `only ${gone}`)
})
