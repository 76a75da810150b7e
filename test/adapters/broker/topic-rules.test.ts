/** The decision of a grant's rules about a topic, checked against a slow reference. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as fc from 'fast-check'
import type { TopicRule } from '../../../src/adapters/broker/port.ts'
import {
  compiledOnce,
  compileRules,
  decidingRule,
  DEFAULT_DEVICE_RULES,
  isTopicFilter,
  isTopicName,
  matches,
  mayPublish,
  mayReceive,
  maySubscribe,
  topicFiller,
  type TopicVariables,
} from '../../../src/adapters/broker/topics.ts'
import { ALL_TOPICS, filters, referenceMatches } from './reference-topics.ts'

const rules: fc.Arbitrary<TopicRule[]> = fc.array(
  fc.record({
    action: fc.constantFrom('publish', 'subscribe', 'pubsub'),
    topic: filters,
    permission: fc.constantFrom('allow', 'deny'),
  }),
  { maxLength: 6 },
)

/** The first matching rule decides about one topic, by the reference. */
function referenceDecision(list: TopicRule[], action: 'publish' | 'subscribe', topic: string) {
  if (topic.startsWith('$')) return false
  const rule = list.find(
    (rule) =>
      (rule.action === action || rule.action === 'pubsub') && referenceMatches(rule.topic, topic),
  )
  return rule?.permission === 'allow'
}

describe('rules', () => {
  it('decide about a message by the first that matches, and deny without one', () => {
    fc.assert(
      fc.property(rules, (list) => {
        const compiled = compileRules(list)
        for (const topic of ALL_TOPICS) {
          assert.equal(mayPublish(compiled, topic), referenceDecision(list, 'publish', topic))
          assert.equal(mayReceive(compiled, topic), referenceDecision(list, 'subscribe', topic))
        }
      }),
      { numRuns: 100 },
    )
  })

  it('name the one that decides, as it is written in the list', () => {
    const [own, none, wide] = [
      { action: 'publish', topic: 'ws/a', permission: 'allow' },
      { action: 'pubsub', topic: 'ws/secret/#', permission: 'deny' },
      { action: 'pubsub', topic: 'ws/#', permission: 'allow' },
    ] as const satisfies TopicRule[]
    const list = [own, none, wide]
    const compiled = compiledOnce(list)
    assert.equal(compiledOnce(list), compiled)
    const decide = (action: 'publish' | 'subscribe' | 'receive', topic: string) =>
      decidingRule(compiled, action, topic)
    assert.equal(decide('publish', 'ws/a'), own)
    assert.equal(decide('receive', 'ws/a'), wide)
    assert.equal(decide('publish', 'ws/secret/x'), none)
    assert.equal(decide('subscribe', 'ws/secret'), none)
    assert.equal(decide('subscribe', 'ws/+'), none)
    assert.equal(decide('subscribe', 'ws/b/#'), wide)
    for (const topic of ['other', '$SYS/x', '+/a']) {
      assert.equal(decide('publish', topic), undefined, topic)
      assert.equal(decide('subscribe', topic), undefined, topic)
    }
  })

  it('grant a subscription only where each of its topics may be received', () => {
    let granted = 0
    fc.assert(
      fc.property(rules, filters, fc.boolean(), (list, filter, shared) => {
        const compiled = compileRules(list)
        const requested = shared ? `$share/group/${filter}` : filter
        if (!maySubscribe(compiled, requested)) return
        granted += 1
        for (const topic of ALL_TOPICS.filter((topic) => referenceMatches(filter, topic))) {
          assert.equal(mayReceive(compiled, topic), true, `${requested} brings ${topic}`)
        }
      }),
      { numRuns: 3_000 },
    )
    assert.ok(granted > 50, `only ${granted} were granted`)
  })

  it('never allow a denied topic, however the request is encoded', () => {
    const compiled = compileRules([
      { action: 'pubsub', topic: 'ws/secret/#', permission: 'deny' },
      { action: 'pubsub', topic: 'ws/#', permission: 'allow' },
    ])
    const variants = ['ws/secret', 'ws/secret/', 'ws/secret/x', 'ws/secret//x']
    for (const topic of variants) assert.equal(mayPublish(compiled, topic), false, topic)
    for (const wide of ['ws/secret/#', 'ws/secret/+', 'ws/+', 'ws/#', '+/secret', '#', '+/#']) {
      assert.equal(maySubscribe(compiled, wide), false, wide)
      assert.equal(maySubscribe(compiled, `$share/g/${wide}`), false, `shared ${wide}`)
    }
    assert.equal(maySubscribe(compiled, 'ws/open/#'), true)
    assert.equal(mayPublish(compiled, 'ws/secrets'), true)
  })

  it('let an allow before a deny stand', () => {
    const compiled = compileRules([
      { action: 'subscribe', topic: 'ws/a/b', permission: 'allow' },
      { action: 'subscribe', topic: 'ws/a/#', permission: 'deny' },
      { action: 'subscribe', topic: 'ws/#', permission: 'allow' },
    ])
    assert.equal(maySubscribe(compiled, 'ws/a/b'), true)
    assert.equal(maySubscribe(compiled, 'ws/a/+'), false)
    assert.equal(maySubscribe(compiled, 'ws/c/+'), true)
  })

  it('never reach topics of the broker', () => {
    const compiled = compileRules([{ action: 'pubsub', topic: '#', permission: 'allow' }])
    for (const topic of ['$SYS/a', '$share/g/a', '$']) {
      assert.equal(mayPublish(compiled, topic), false, topic)
      assert.equal(mayReceive(compiled, topic), false, topic)
    }
    for (const filter of ['$SYS/#', '$share/g/$SYS/#', '$SYS/+']) {
      assert.equal(maySubscribe(compiled, filter), false, filter)
    }
    assert.equal(maySubscribe(compiled, '#'), true)
  })

  it('with a malformed topic are refused as a whole', () => {
    for (const topic of ['', 'a/#/b', 'a+', 'a\0']) {
      assert.throws(() => compileRules([{ action: 'publish', topic, permission: 'deny' }]))
    }
  })
})

describe('filling a topic', () => {
  const fillTopic = (template: string, values: TopicVariables) => topicFiller(values)(template)
  const variables = { slug: 'acme', device_key: 'sn-1', device_id: 'dev_1' }

  it('puts the values in, and nothing but the three variables', () => {
    assert.equal(fillTopic('{slug}/{device_key}/x/{device_id}/#', variables), 'acme/sn-1/x/dev_1/#')
    for (const wrong of ['{other}', '{}', '{slug', 'slug}', '{{slug}}', '{toString}', '{ slug }']) {
      assert.throws(() => fillTopic(wrong, variables), wrong)
    }
  })

  it('refuses every value that could be more than one literal level', () => {
    const hostile = ['', '/', 'a/b', '+', '#', 'a+', '\0', '\n', '\u0085', '\u2028', '\uFEFF']
    for (const value of [...hostile, '\uFFFD', '\uD800', '\u007F']) {
      for (const name of ['slug', 'device_key', 'device_id'] as const) {
        assert.throws(() => fillTopic(`x/{${name}}`, { ...variables, [name]: value }))
      }
    }
    assert.throws(() => fillTopic('{slug}/x', { ...variables, slug: '$SYS' }))
    assert.throws(() => fillTopic('$share/g/{slug}', variables))
  })

  it('fills exactly the topics that are well-formed afterwards', () => {
    const part = fc.constantFrom('{slug}', '{device_key}', '{other}', '/', '+', '#', 'a', '$', '{')
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
        const plain = parts.join('').replaceAll('{slug}', 'acme').replaceAll('{device_key}', 'sn-1')
        const isValid = isTopicFilter(plain) && !/^\$|[{}]/.test(plain)
        if (isValid) assert.equal(fillTopic(parts.join(''), variables), plain)
        else assert.throws(() => fillTopic(parts.join(''), variables))
      }),
    )
  })

  it('keeps what it fills in as one level, whatever the value is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 12 }), (value) => {
        let topic: string
        try {
          topic = fillTopic('a/{device_key}/b', { ...variables, device_key: value })
        } catch {
          return
        }
        assert.equal(topic.split('/').length, 3)
        assert.equal(matches(topic, `a/${value}/b`), true)
        assert.equal(isTopicName(topic), true)
      }),
    )
  })
})

describe('the default rules of a device', () => {
  const fill = topicFiller({ slug: 'acme', device_key: 'sn-1', device_id: 'dev_1' })
  const filled = DEFAULT_DEVICE_RULES.map((rule) => ({
    ...rule,
    topic: fill(rule.topic),
  }))
  const compiled = compileRules(filled)

  it('allow what firmware does, and no more', () => {
    const publishes = ['telemetry', 'state', 'presence', 'presence/', 'events']
    for (const suffix of [...publishes, 'config/get', 'config/status']) {
      assert.equal(mayPublish(compiled, `acme/sn-1/${suffix}`), true, suffix)
      assert.equal(mayPublish(compiled, `acme/sn-2/${suffix}`), false, suffix)
    }
    for (const suffix of ['events/x', 'presence/x', 'cmd', 'config/meta', 'telemetry/', '']) {
      assert.equal(mayPublish(compiled, `acme/sn-1/${suffix}`), false, suffix)
    }
    for (const filter of ['cmd', 'cmd/#', 'cmd/reboot', 'config/#', 'config/resp', 'config']) {
      assert.equal(maySubscribe(compiled, `acme/sn-1/${filter}`), true, filter)
    }
    for (const filter of ['acme/sn-1/#', 'acme/+/cmd', 'acme/sn-1/+', '#', 'acme/sn-2/cmd']) {
      assert.equal(maySubscribe(compiled, filter), false, filter)
    }
  })
})
