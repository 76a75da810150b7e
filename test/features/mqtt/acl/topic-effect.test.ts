/**
 * The rights that a change of topic rules takes and gives, against every topic of a small world.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TopicRule } from '../../../../src/adapters/broker/port.ts'
import {
  compileRules,
  covers,
  matches,
  mayPublish,
  mayReceive,
  maySubscribe,
} from '../../../../src/adapters/broker/topics.ts'
import { topicEffect } from '../../../../src/features/mqtt/acl/topic-effect.ts'
import { randomFrom } from '../../../support/random.ts'

const rule = (text: string): TopicRule => {
  const [permission, action, topic] = text.split(' ') as [
    TopicRule['permission'],
    TopicRule['action'],
    string,
  ]
  return { action, topic: `{slug}/${topic}`, permission }
}
const rules = (...texts: string[]): TopicRule[] => texts.map(rule)
const received = (list: { action: string; topic: string }[]): string[] =>
  list.map(({ action, topic }) => `${action} ${topic.replace('{slug}/', '')}`)

function effect(before: TopicRule[], after: TopicRule[]) {
  const { gained, lost, is_complete } = topicEffect(before, after)
  assert.equal(is_complete, true)
  return { gained: received(gained), lost: received(lost) }
}

test('lost and gained topics are named by the rules themselves', () => {
  const base = rules('allow publish {device_key}/state', 'allow subscribe {device_key}/cmd/#')
  assert.deepEqual(effect(base, base), { gained: [], lost: [] })
  assert.deepEqual(effect(base, [...base, rule('allow pubsub shared')]), {
    gained: ['publish shared', 'subscribe shared'],
    lost: [],
  })
  assert.deepEqual(effect(base, base.slice(1)), {
    gained: [],
    lost: ['publish {device_key}/state'],
  })
})

test('the order of rules counts, and a rule that changes nothing is no change', () => {
  const [deny, allow] = rules('deny publish a', 'allow publish a') as [TopicRule, TopicRule]
  assert.deepEqual(effect([allow, deny], [deny, allow]), { gained: [], lost: ['publish a'] })
  assert.deepEqual(effect([allow], [allow, deny]), { gained: [], lost: [] })
  assert.deepEqual(
    effect(rules('allow subscribe #'), rules('allow subscribe #', 'deny subscribe a')),
    {
      gained: [],
      lost: [],
    },
  )
})

test('a deny inside of a filter takes the topic, and the filter as a whole', () => {
  const before = rules('allow subscribe cmd/#')
  const after = rules('deny subscribe cmd/secret', 'allow subscribe cmd/#')
  const both = ['subscribe cmd/#', 'subscribe cmd/secret']
  assert.deepEqual(effect(before, after), { gained: [], lost: both })
  assert.deepEqual(effect(after, before), { gained: both, lost: [] })
})

test('the intersection of two filters is listed where no filter names it', () => {
  const before = rules('allow subscribe +/x', 'allow subscribe y/+')
  const after = rules('allow subscribe +/x', 'deny subscribe y/x', 'allow subscribe y/+')
  assert.deepEqual(effect(before, after).lost, ['subscribe y/+'])
  const crossed = effect(
    rules('deny subscribe +/x', 'allow subscribe y/+'),
    rules('allow subscribe y/+'),
  )
  assert.deepEqual(crossed.gained, ['subscribe y/+', 'subscribe y/x'])
})

test('without rules a client may do nothing', () => {
  const only = rules('allow pubsub {device_key}/telemetry')
  const both = ['publish {device_key}/telemetry', 'subscribe {device_key}/telemetry']
  assert.deepEqual(effect([], only), { gained: both, lost: [] })
  assert.deepEqual(effect(only, []), { gained: [], lost: both })
})

/** Every topic of up to three levels below the first; `z` is a level that no rule names. */
const world = ['a', 'b', 'z'].flatMap((one) => [
  `{slug}/${one}`,
  ...['a', 'b', 'z'].flatMap((two) => [
    `{slug}/${one}/${two}`,
    ...['a', 'b', 'z'].map((three) => `{slug}/${one}/${two}/${three}`),
  ]),
])
world.push('{slug}/z/z/z/z', '{slug}/a/z/z/z', '{slug}/b/z/z/z')

test('every lost topic of random rules is listed, and no kept one', () => {
  const random = randomFrom(7)
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  const randomRule = (): TopicRule => {
    const action = pick(['publish', 'subscribe', 'pubsub'] as const)
    const names = action === 'subscribe' ? ['a', 'b', '+', '+'] : ['a', 'b']
    const levels = Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(names))
    if (action === 'subscribe' && random() < 0.3) levels.push('#')
    return rule(`${pick(['allow', 'allow', 'deny'])} ${action} ${levels.join('/')}`)
  }
  const randomRules = (): TopicRule[] =>
    Array.from({ length: 1 + Math.floor(random() * 6) }, randomRule)
  for (let round = 0; round < 500; round += 1) {
    const [before, after] = [randomRules(), randomRules()]
    const { lost } = topicEffect(before, after)
    const [old, now] = [compileRules(before), compileRules(after)]
    const said = JSON.stringify({ before, after, lost })
    const gone = {
      publish: world.filter((topic) => mayPublish(old, topic) && !mayPublish(now, topic)),
      subscribe: world.filter((topic) => mayReceive(old, topic) && !mayReceive(now, topic)),
    }
    for (const action of ['publish', 'subscribe'] as const) {
      const entries = lost.filter((entry) => entry.action === action).map(({ topic }) => topic)
      for (const topic of gone[action]) {
        assert.ok(
          entries.some((entry) => matches(entry, topic)),
          `${action} ${topic} is not reported: ${said}`,
        )
      }
      for (const entry of entries) {
        const isWhole =
          action === 'subscribe' && maySubscribe(old, entry) && !maySubscribe(now, entry)
        const hasTopic = gone[action].some((topic) => covers(entry, topic))
        assert.ok(isWhole || hasTopic, `${action} ${entry} is reported without effect: ${said}`)
      }
    }
  }
})

test('filters with too much in common are reported as such', () => {
  // Any of them have something in common, which are 4,095 patterns.
  const many = Array.from({ length: 12 }, (_none, index) => {
    const levels = Array.from({ length: 12 }, (_each, level) => (level === index ? 'x' : '+'))
    return rule(`allow subscribe ${levels.join('/')}`)
  })
  const { lost, is_complete } = topicEffect(many, rules('allow publish x'))
  assert.equal(is_complete, false)
  assert.equal(lost.length, many.length)
})
