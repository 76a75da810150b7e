/** The rules of topics, checked by a slow reference on every topic of a small world. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as fc from 'fast-check'
import {
  covers,
  intersects,
  isTopicFilter,
  isTopicName,
  matches,
  readSubscription,
} from '../../../src/adapters/broker/topics.ts'
import { ALL_TOPICS, filters, referenceMatches, WITH_EMPTY } from './reference-topics.ts'

describe('topic names and filters', () => {
  it('are well-formed or not as MQTT says', () => {
    for (const name of ['a', '/', 'a//b', 'a/', ' ', 'ä/€', 'x'.repeat(65_535)]) {
      assert.equal(isTopicName(name), true, name.slice(0, 20))
      assert.equal(isTopicFilter(name), true, name.slice(0, 20))
    }
    for (const wrong of ['', 'a\0', '\uFFFD', '\uD800', 'x'.repeat(65_536), '€'.repeat(21_846)]) {
      assert.equal(isTopicName(wrong), false)
      assert.equal(isTopicFilter(wrong), false)
    }
    for (const filter of ['+', '#', '+/#', 'a/+/b', 'a/#', '/+', '+/+']) {
      assert.equal(isTopicName(filter), false, filter)
      assert.equal(isTopicFilter(filter), true, filter)
    }
    for (const wrong of ['a+', '+a', 'a/b+', 'a#', 'a/#/b', '#/a', '##', '++', 'a/+#']) {
      assert.equal(isTopicFilter(wrong), false, wrong)
    }
  })

  it('of a shared subscription are split into a group and a filter', () => {
    assert.deepEqual(readSubscription('$share/g/a/#'), { group: 'g', filter: 'a/#' })
    assert.deepEqual(readSubscription('$shared/a'), { group: undefined, filter: '$shared/a' })
    for (const wrong of ['$share', '$share/', '$share/g', '$share//a', '$share/+/a', '$share/g/']) {
      assert.equal(readSubscription(wrong), undefined, wrong)
    }
  })
})

describe('matching', () => {
  it('agrees with the reference on every topic', () => {
    fc.assert(
      fc.property(filters, (filter) => {
        for (const topic of ALL_TOPICS) {
          assert.equal(
            matches(filter, topic),
            referenceMatches(filter, topic),
            `${filter} matches ${topic}`,
          )
        }
      }),
      { numRuns: 150 },
    )
  })

  it('covers exactly when no topic is left outside', () => {
    fc.assert(
      fc.property(filters, filters, (outer, inner) => {
        const inside = WITH_EMPTY.filter((topic) => referenceMatches(inner, topic))
        const expected = inside.every((topic) => referenceMatches(outer, topic))
        assert.equal(covers(outer, inner), expected, `${outer} covers ${inner}`)
      }),
      { numRuns: 500 },
    )
  })

  it('intersects exactly when some topic is in both', () => {
    fc.assert(
      fc.property(filters, filters, (left, right) => {
        const expected = WITH_EMPTY.some(
          (topic) => referenceMatches(left, topic) && referenceMatches(right, topic),
        )
        assert.equal(intersects(left, right), expected, `${left} overlaps with ${right}`)
      }),
      { numRuns: 500 },
    )
  })
})
