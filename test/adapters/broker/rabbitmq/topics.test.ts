/** Topics that RabbitMQ can't distinguish: nobody gets another's by a dot or an asterisk. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import {
  fromRoutingKey,
  rulesForRoutingKeys,
} from '../../../../src/adapters/broker/rabbitmq/hooks.ts'
import type { TopicRule } from '../../../../src/adapters/broker/port.ts'
import {
  compileRules,
  isTopicFilter,
  mayPublish,
  maySubscribe,
} from '../../../../src/adapters/broker/topics.ts'

const rule = (permission: 'allow' | 'deny', topic: string): TopicRule => ({
  permission,
  topic,
  action: 'pubsub',
})

/** The routing key that the MQTT plugin makes of a topic. */
const toRoutingKey = (topic: string): string => topic.replaceAll('/', '.').replaceAll('+', '*')

const may = (rules: readonly TopicRule[], topic: string): boolean =>
  mayPublish(rulesForRoutingKeys(rules), fromRoutingKey(toRoutingKey(topic)))

describe('topics by way of routing keys', () => {
  test('are granted as on any broker where nothing is odd about them', () => {
    const rules = [rule('deny', 'a/b'), rule('allow', 'a/+'), rule('allow', 'c/#')]
    assert.deepEqual(
      ['a/b', 'a/c', 'a/c/d', 'c', 'c/d/e'].map((topic) => may(rules, topic)),
      [false, true, false, true, true],
    )
  })

  test('with a dot or an asterisk are always refused', () => {
    const rules = [rule('allow', 'a/b.c/x'), rule('allow', 'a/*/x'), rule('allow', 'a/b/c/y')]
    assert.equal(may(rules, 'a/b.c/x'), false)
    assert.equal(may(rules, 'a/b/c/x'), false)
    assert.equal(may(rules, 'a/*/x'), false)
    assert.equal(may(rules, 'a/+/x'), false)
    assert.equal(may(rules, 'a/b/c/y'), true)
  })

  test('are denied by a deny in each of their forms', () => {
    const topics = fc
      .array(fc.constantFrom('a', 'b', 'a.b', '*', 'a*', 'c'), { minLength: 1, maxLength: 4 })
      .map((levels) => levels.join('/'))
    const denies = fc.array(
      topics.map((topic) => rule('deny', topic)),
      { maxLength: 3 },
    )
    fc.assert(
      fc.property(denies, topics, (denied, topic) => {
        const rules = [...denied, rule('allow', '#')]
        const here = mayPublish(compileRules(rules), topic)
        assert.ok(here || !may(rules, topic))
        const wanted = fromRoutingKey(toRoutingKey(topic))
        if (!isTopicFilter(wanted)) return
        const reads = maySubscribe(rulesForRoutingKeys(rules), wanted)
        assert.ok(
          !reads || denied.every((each) => toRoutingKey(each.topic) !== toRoutingKey(topic)),
        )
      }),
      { numRuns: 300 },
    )
  })
})
