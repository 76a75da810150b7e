/** A grant in EMQX's words: EMQX, which reads it in its own way, allows nothing beyond it. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { emqxRulesOf } from '../../../../src/adapters/broker/emqx/rules.ts'
import type { TopicRule } from '../../../../src/adapters/broker/port.ts'
import {
  compileRules,
  DEFAULT_DEVICE_RULES,
  isTopicFilter,
  mayPublish,
  maySubscribe,
} from '../../../../src/adapters/broker/topics.ts'
import { decideByRules, isWellFormed } from './model.ts'

const rule = (permission: 'allow' | 'deny', action: TopicRule['action'], topic: string) => ({
  permission,
  action,
  topic,
})
const allow = (topic: string, action: TopicRule['action'] = 'subscribe'): TopicRule =>
  rule('allow', action, topic)
const deny = (topic: string, action: TopicRule['action'] = 'subscribe'): TopicRule =>
  rule('deny', action, topic)

/** Everything of up to four levels that can be asked for with these. */
const words = ['a', 'b', 'c', '+', '#']
const asked = [1, 2, 3, 4]
  .reduce<string[][]>(
    (all) => [
      ...all,
      (all.at(-1) ?? ['']).flatMap((head) => words.map((word) => `${head}/${word}`)),
    ],
    [],
  )
  .flat()
  .map((text) => text.slice(1))
  .filter(isTopicFilter)

/** @returns whether EMQX and the grant say the same of all that can be asked. */
function comparisonOf(rules: readonly TopicRule[]): { isSame: boolean } {
  const emqx = emqxRulesOf(rules)
  const compiled = compileRules(rules)
  let isSame = true
  for (const topic of asked) {
    for (const action of ['publish', 'subscribe'] as const) {
      if (!isWellFormed(action, topic)) continue
      const here =
        action === 'publish' ? mayPublish(compiled, topic) : maySubscribe(compiled, topic)
      const there = decideByRules(emqx.rules, action, topic)
      assert.notEqual(there, undefined)
      assert.ok(here || !there, `EMQX would allow to ${action} ${topic}: ${JSON.stringify(rules)}`)
      isSame &&= here === there
    }
  }
  return { isSame: isSame || emqx.leftOut.length > 0 }
}

const filters = fc
  .array(fc.constantFrom('a', 'b', 'c', '+'), { minLength: 1, maxLength: 4 })
  .chain((levels) => fc.constantFrom(levels.join('/'), [...levels.slice(0, 3), '#'].join('/'), '#'))

const rulesLists = fc.array(
  fc.record({
    permission: fc.constantFrom<TopicRule['permission']>('allow', 'deny'),
    action: fc.constantFrom<TopicRule['action']>('publish', 'subscribe', 'pubsub'),
    topic: filters,
  }),
  { maxLength: 6 },
)

describe('the rules for EMQX', () => {
  test('allow exactly what the grant allows, unless a rule is left out', () => {
    fc.assert(
      fc.property(rulesLists, (rules) => comparisonOf(rules).isSame),
      { numRuns: Number(process.env['MOORING_TEST_RUNS'] ?? 100) },
    )
  })

  test('end with a rule that denies everything, without superusers', () => {
    const { rules, leftOut } = emqxRulesOf(
      DEFAULT_DEVICE_RULES.map((each) => ({ ...each, topic: 'a/b' })),
    )
    assert.deepEqual(rules.at(-1), { permission: 'deny', action: 'all', topic: '#' })
    assert.deepEqual(leftOut, [])
  })

  test('say the same for wildcards that EMQX compares in its own way', () => {
    const exact: readonly (readonly TopicRule[])[] = [
      [allow('a/#')],
      [allow('a/+')],
      [allow('a/+/#')],
      [allow('a/+'), allow('a/#')],
      [allow('+/a')],
      [deny('a/b'), allow('a/#')],
      [deny('a/b/c'), allow('a/+/c')],
      [deny('a/b'), allow('a/+')],
      [deny('a/#'), allow('a/b')],
    ]
    for (const rules of exact) {
      assert.deepEqual([comparisonOf(rules).isSame, emqxRulesOf(rules).leftOut], [true, []])
    }
  })

  test('leave out an allow that would grant more there', () => {
    const inexact: readonly (readonly TopicRule[])[] = [
      [allow('+/+')],
      [deny('a/+/c'), allow('a/#')],
      [deny('a/b/#'), allow('a/#')],
      [allow('a/b'), deny('a/#'), allow('#')],
      [deny('a/1/2/3/4/5/6'), allow('a/#')],
    ]
    for (const rules of inexact) {
      comparisonOf(rules)
      assert.deepEqual(emqxRulesOf(rules).leftOut, [rules.at(-1)])
    }
  })

  test('take no text for one of the variables of EMQX', () => {
    const odd = ['${clientid}/a', 'a/${username}/b', 'a/%c', 'a/%u/b']
    for (const topic of odd) {
      const { rules } = emqxRulesOf([allow(topic, 'publish')])
      assert.equal(decideByRules(rules, 'publish', topic), true, topic)
      assert.equal(decideByRules(rules, 'publish', 'dev_1/a'), false)
      assert.deepEqual(emqxRulesOf([allow(`${topic}/#`)]).leftOut.length, 1)
    }
    // A topic that can't be denied is not allowed either.
    for (const action of ['publish', 'subscribe'] as const) {
      const { rules } = emqxRulesOf([deny('a/${clientid}/#', action), allow('a/#', action)])
      assert.equal(decideByRules(rules, action, 'a/b'), false)
    }
    for (const topic of ['eq a', 'eq eq a', 'eq ']) {
      assert.equal(
        decideByRules(emqxRulesOf([allow(topic, 'pubsub')]).rules, 'publish', 'a'),
        false,
      )
    }
  })

  test('keep the trees of the broker itself closed', () => {
    const { rules } = emqxRulesOf([allow('#', 'pubsub'), allow('+/x', 'pubsub')])
    for (const topic of ['$SYS/brokers', '$delayed/1/a', '$CONTROL/x', '$queue/a', '$SYS/#']) {
      assert.equal(decideByRules(rules, 'subscribe', topic), false, topic)
      assert.equal(decideByRules(rules, 'publish', topic), false, topic)
    }
  })
})
