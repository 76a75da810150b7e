/** The tree of topics and the queue of a session, each against a plain account of the same. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as fc from 'fast-check'
import { OutgoingQueue } from '../../../src/adapters/broker/embedded/outgoing-queue.ts'
import { TopicTree } from '../../../src/adapters/broker/embedded/topic-tree.ts'
import { ALL_TOPICS, filters, referenceMatches } from './reference-topics.ts'

const topics = fc.constantFrom(...ALL_TOPICS)

describe('the tree of topics', () => {
  it('finds the filters of a topic, each once, whatever was added and removed', () => {
    const changes = fc.array(fc.tuple(filters, fc.boolean()), { maxLength: 30 })
    fc.assert(
      fc.property(changes, topics, (list, topic) => {
        const tree = new TopicTree<string>()
        const held = new Set<string>()
        for (const [filter, add] of list) {
          if (add) tree.add(filter, filter)
          else tree.remove(filter, filter)
          if (add) held.add(filter)
          else held.delete(filter)
        }
        const expected = [...held].filter((filter) => referenceMatches(filter, topic))
        assert.deepEqual(tree.matchingTopic(topic).toSorted(), expected.toSorted())
      }),
      { numRuns: 1_000 },
    )
  })

  it('finds the topics of a filter, each once', () => {
    fc.assert(
      fc.property(fc.uniqueArray(topics, { maxLength: 30 }), filters, (list, filter) => {
        const tree = new TopicTree<string>()
        for (const topic of list) tree.add(topic, topic)
        const expected = list.filter((topic) => referenceMatches(filter, topic))
        assert.deepEqual([...tree.matchingFilter(filter)].toSorted(), expected.toSorted())
      }),
      { numRuns: 1_000 },
    )
  })
})

describe('the queue of a session', () => {
  const message = (brokerCounter: number, payload = 'x') =>
    ({
      cmd: 'publish',
      topic: 'a',
      qos: 2,
      retain: false,
      dup: false,
      brokerId: 'b',
      brokerCounter,
      payload: Buffer.from(payload),
    }) as const

  it('never has two messages under one packet identifier', () => {
    const queue = new OutgoingQueue()
    const sent = [1, 2, 3].map((counter) => {
      queue.add(message(counter))
      const packet = { ...message(counter), messageId: 65_535 }
      queue.update(packet)
      return packet.messageId
    })
    assert.deepEqual(sent, [65_535, 1, 2])
    assert.equal(queue.remove({ ...message(0), messageId: 1 })?.brokerCounter, 2)
    assert.deepEqual(
      queue.pending().map(({ brokerCounter, dup }) => [brokerCounter, dup]),
      [
        [1, true],
        [3, true],
      ],
    )
  })

  it('holds a PUBREL in place of a received message, and counts its bytes no more', () => {
    const queue = new OutgoingQueue()
    queue.add(message(1, 'four'))
    queue.add(message(2, 'five!'))
    queue.update({ ...message(1), messageId: 7 })
    assert.equal(queue.bytes, 9)
    queue.update({ cmd: 'pubrel', messageId: 7, brokerId: 'b', brokerCounter: 99 })
    assert.equal(queue.bytes, 5)
    assert.deepEqual(
      queue.pending().map(({ cmd }) => cmd),
      ['pubrel', 'publish'],
    )
    assert.ok(queue.remove({ cmd: 'pubrel', messageId: 7, brokerId: 'b', brokerCounter: 0 }))
    assert.ok(queue.remove(message(2)))
    assert.deepEqual([queue.size, queue.bytes], [0, 0])
  })
})
