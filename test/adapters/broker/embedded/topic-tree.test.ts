/** The tree of topics and the queue of a session, each against a plain account of the same. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as fc from 'fast-check'
import { Message } from '../../../../src/adapters/broker/embedded/message.ts'
import {
  type Outgoing,
  OutgoingQueue,
} from '../../../../src/adapters/broker/embedded/outgoing-queue.ts'
import { TopicTree } from '../../../../src/adapters/broker/embedded/topic-tree.ts'
import { ALL_TOPICS, filters, referenceMatches } from '../reference-topics.ts'

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
  const outgoing = (payload = 'x'): Outgoing => ({
    message: new Message('a', Buffer.from(payload), 2, false),
    qos: 2,
    retain: false,
    identifiers: undefined,
    group: undefined,
    id: 0,
    isSent: false,
    isReleased: false,
    isHeld: false,
    seq: 0,
  })
  const sentBy = (queue: OutgoingQueue): Outgoing[] => {
    const sent: Outgoing[] = []
    for (let next = queue.send(); next !== undefined; next = queue.send()) sent.push(next)
    return sent
  }

  it('never has two messages under one packet identifier, and repeats them in order', () => {
    const queue = new OutgoingQueue({ bytes: 0 })
    queue.add(outgoing('kept'))
    const [kept] = sentBy(queue)
    for (let count = 0; count < 65_534; count += 1) queue.add(outgoing(''))
    const ids = new Set(sentBy(queue).map(({ id }) => id))
    assert.equal(ids.size, 65_534)
    assert.equal(ids.has(kept?.id ?? 0), false)
    for (const id of ids) if (id !== 9) queue.complete(id)
    queue.add(outgoing('next'))
    assert.equal(sentBy(queue)[0]?.id, 2, 'the identifier of the first is still in use')
    queue.rewind()
    assert.deepEqual(
      sentBy(queue).map(({ id }) => id),
      [1, 9, 2],
    )
  })

  it('holds a PUBREL in place of a received message, and counts its bytes no more', () => {
    const account = { bytes: 0 }
    const queue = new OutgoingQueue(account)
    queue.add(outgoing('four'))
    queue.add(outgoing('five!'))
    const [first, second] = sentBy(queue)
    assert.equal(account.bytes, 9)
    assert.equal(queue.release(first?.id ?? 0), first)
    assert.equal(account.bytes, 5)
    queue.rewind()
    assert.deepEqual(
      sentBy(queue).map(({ isReleased }) => isReleased),
      [true, false],
    )
    assert.ok(queue.complete(first?.id ?? 0))
    assert.ok(queue.complete(second?.id ?? 0))
    assert.equal(queue.complete(second?.id ?? 0), undefined)
    assert.deepEqual([queue.waiting, queue.inFlight, account.bytes], [0, 0, 0])
  })
})
