/** SUBSCRIBE, and what its filters match. MQTT 5.0 and 3.1.1, sections 3.8, 3.9 and 4.7. */
import assert from 'node:assert/strict'
import {
  ALL,
  allow,
  bytes,
  conformance,
  EARLIER,
  FIVE,
  packet,
  properties,
  property,
  text,
  valuesOf,
} from './conforms.ts'
import { subscribePacket } from './packets.ts'

const NO_LOCAL = 0x04
const RETAIN_AS_PUBLISHED = 0x08
const RETAIN_IF_NEW = 0x10
const RETAIN_NEVER = 0x20

conformance('SUBSCRIBE', { subscriptionsPerSession: 20 }, (conforms) => {
  conforms('a SUBSCRIBE gets one SUBACK with a code for each filter', ALL, async (stage) => {
    const peer = await stage.connect({ as: stage.credential(allow(stage.topic('mine/#'))) })
    const refused = stage.version === 5 ? 0x87 : 0x80
    peer.send(
      subscribePacket(stage.version, 65_535, [
        [stage.topic('mine/0'), 0],
        [stage.topic('other'), 1],
        [stage.topic('mine/1'), 1],
        ['$SYS/#', 0],
        [stage.topic('mine/2'), 2],
      ]),
    )
    const { id, codes } = await peer.next('SUBACK')
    assert.deepEqual([id, codes], [65_535, [0, refused, 1, refused, 2]])
    await peer.quiet()
  })

  conforms('a SUBSCRIBE that is malformed ends the connection', ALL, async (stage) => {
    const none = properties(stage.version)
    const filter = text(stage.topic())
    for (const wrong of [
      packet(0x80, bytes(0, 1), none, filter, bytes(0)),
      packet(0x83, bytes(0, 1), none, filter, bytes(0)),
      packet(0x8a, bytes(0, 1), none, filter, bytes(0)),
      packet(0x82, bytes(0, 1), none, filter, bytes(0x43)),
      packet(0x82, bytes(0, 1), none, filter, bytes(0x80)),
      packet(0x82, bytes(0, 1), none, filter, bytes(0x40)),
      packet(0x82, bytes(0, 1), none, filter, bytes(0x03)),
      packet(0x82, bytes(0, 1), none, filter),
      packet(0x82, bytes(0, 0), none, filter, bytes(0)),
      packet(0x82, bytes(0)),
    ]) {
      const peer = await stage.connect()
      peer.send(wrong)
      await peer.ends(0x81, 0x82)
    }
  })

  conforms('before MQTT 5 the options of a filter are its QoS alone', EARLIER, async (stage) => {
    for (const options of [NO_LOCAL, RETAIN_AS_PUBLISHED, RETAIN_IF_NEW, RETAIN_NEVER]) {
      const peer = await stage.connect()
      peer.send(subscribePacket(stage.version, 1, [[stage.topic(), options]]))
      await peer.ends()
    }
  })

  conforms('a SUBSCRIBE names a filter at least', ALL, async (stage) => {
    const peer = await stage.connect()
    peer.send(subscribePacket(stage.version, 1, []))
    await peer.ends(0x82)
  })

  conforms('a retain handling of 3 is an error', FIVE, async (stage) => {
    const peer = await stage.connect()
    peer.send(subscribePacket(5, 1, [[stage.topic(), 0x31]]))
    await peer.ends(0x81, 0x82)
  })

  conforms('a subscription identifier is above 0, and stands once', FIVE, async (stage) => {
    const identifier = (value: number) => property('subscriptionIdentifier', value)
    for (const wrong of [[identifier(0)], [identifier(1), identifier(2)]]) {
      const peer = await stage.connect()
      peer.send(subscribePacket(5, 1, [stage.topic()], ...wrong))
      await peer.ends(0x81, 0x82)
    }
  })

  conforms('a filter that is malformed is refused', ALL, async (stage) => {
    for (const rest of ['a#', '#/a', 'a/#/b', 'a+', '+a', 'a/b+/c']) {
      const peer = await stage.connect()
      peer.send(subscribePacket(stage.version, 1, [stage.topic(rest)]))
      await peer.ends(0x81, 0x82, 0x8f)
    }
    const peer = await stage.connect()
    peer.send(subscribePacket(stage.version, 1, ['']))
    await peer.ends(0x81, 0x82, 0x8f)
  })

  conforms('more filters than a session may have are refused by quota', FIVE, async (stage) => {
    const peer = await stage.connect()
    const filters = Array.from({ length: 21 }, (_, index) => stage.topic(`f${index}`))
    const codes = await peer.subscribe(...filters)
    assert.deepEqual(codes, [...Array.from({ length: 20 }, () => 1), 0x97])
  })

  conforms('a message has the lower QoS of the two', ALL, async (stage) => {
    const writer = await stage.connect()
    const reader = await stage.connect()
    for (const granted of [0, 1, 2]) {
      assert.deepEqual(await reader.subscribe([stage.topic(), granted]), [granted])
      for (const qos of [0, 1, 2]) {
        if (qos === 2) await writer.publishedTwice({ topic: stage.topic() })
        else if (qos === 1) await writer.published({ topic: stage.topic() })
        else writer.publish({ topic: stage.topic() })
        const message = await reader.next('PUBLISH')
        assert.equal(message.qos, Math.min(qos, granted))
      }
    }
  })

  conforms('the same filter replaces its subscription', ALL, async (stage) => {
    const writer = await stage.connect()
    await writer.published({ topic: stage.topic(), payload: 'kept', retain: true })
    const reader = await stage.connect()
    await reader.subscribe([stage.topic(), 0])
    assert.equal((await reader.next('PUBLISH')).qos, 0)
    await reader.subscribe([stage.topic(), 1])
    // It is sent what is retained once more.
    assert.equal((await reader.next('PUBLISH')).qos, 1)
    await writer.published({ topic: stage.topic(), payload: 'live' })
    const live = await reader.next('PUBLISH')
    assert.deepEqual([live.payload, live.qos], ['live', 1])
    await reader.quiet()
  })

  conforms('overlapping subscriptions give the highest QoS of them', ALL, async (stage) => {
    const reader = await stage.connect()
    await reader.subscribe(
      [stage.topic('#'), 0],
      [stage.topic('a/+'), 2],
      [stage.topic('a/b'), 1],
      [stage.topic('+/b'), 0],
    )
    const writer = await stage.connect()
    await writer.publishedTwice({ topic: stage.topic('a/b') })
    await writer.publishedTwice({ topic: stage.topic('end') })
    const levels: number[] = []
    for (;;) {
      const { topic, qos } = await reader.next('PUBLISH')
      if (topic === stage.topic('end')) break
      levels.push(qos)
    }
    assert.equal(Math.max(...levels), 2)
  })

  conforms('a message has the identifiers of all that matches', FIVE, async (stage) => {
    const reader = await stage.connect()
    await reader.subscribeAs(1, stage.topic('#'))
    await reader.subscribeAs(268_435_455, stage.topic('a/+'))
    await reader.subscribe(stage.topic('a/b'))
    await reader.subscribeAs(3, stage.topic('other'))
    const writer = await stage.connect()
    const identifiersOf = async (rest: string): Promise<number[]> => {
      await writer.published({ topic: stage.topic(rest) })
      await writer.published({ topic: stage.topic('end') })
      const found: number[] = []
      for (;;) {
        const message = await reader.next('PUBLISH')
        if (message.topic === stage.topic('end')) return found.toSorted((a, b) => a - b)
        found.push(...(valuesOf(message, 'subscriptionIdentifier') as number[]))
      }
    }
    assert.deepEqual(await identifiersOf('a/b'), [1, 268_435_455])
    assert.deepEqual(await identifiersOf('other'), [1, 3])
    // It belongs to the subscription and is replaced with it.
    await reader.subscribeAs(4, stage.topic('other'))
    assert.deepEqual(await identifiersOf('other'), [1, 4])
    await reader.subscribe(stage.topic('other'))
    assert.deepEqual(await identifiersOf('other'), [1])
  })

  conforms('identifiers come with retained and with waiting messages', FIVE, async (stage) => {
    const writer = await stage.connect()
    await writer.published({ topic: stage.topic('kept'), retain: true })
    const wish = { as: stage.credential(), durable: true }
    const reader = await stage.connect(wish)
    await reader.subscribeAs(7, stage.topic('#'))
    const kept = await reader.next('PUBLISH')
    assert.deepEqual(valuesOf(kept, 'subscriptionIdentifier'), [7])
    reader.acknowledge('PUBACK', kept.id)
    await reader.quiet()
    await reader.drop()
    await writer.published({ topic: stage.topic('live') })
    const back = await stage.connect(wish)
    assert.deepEqual(valuesOf(await back.next('PUBLISH'), 'subscriptionIdentifier'), [7])
  })
})

conformance('subscription options', {}, (conforms) => {
  conforms('no local keeps messages from their own client', FIVE, async (stage) => {
    const credential = stage.credential()
    const peer = await stage.connect({ as: credential })
    const other = await stage.connect()
    const sibling = await stage.connect({ as: credential, clientId: `${credential.clientId}:2` })
    await peer.subscribe([stage.topic(), 1 | NO_LOCAL])
    await peer.published({ topic: stage.topic(), payload: 'own' })
    await other.published({ topic: stage.topic(), payload: 'other' })
    await sibling.published({ topic: stage.topic(), payload: 'sibling' })
    const payloads = (await peer.take(2)).map(({ payload }) => payload)
    assert.deepEqual(payloads, ['other', 'sibling'])
    await peer.subscribe([stage.topic(), 0])
    peer.publish({ topic: stage.topic(), payload: 'own again' })
    assert.equal((await peer.next('PUBLISH')).payload, 'own again')
  })

  conforms('without no local a client gets its own messages', ALL, async (stage) => {
    const peer = await stage.connect()
    await peer.subscribe([stage.topic(), 0])
    peer.publish({ topic: stage.topic(), payload: 'own' })
    assert.equal((await peer.next('PUBLISH')).payload, 'own')
  })

  conforms('retain as published decides about the retain flag', FIVE, async (stage) => {
    const writer = await stage.connect()
    for (const [options, isKept] of [
      [1, false],
      [1 | RETAIN_AS_PUBLISHED, true],
    ] as const) {
      const reader = await stage.connect()
      await reader.subscribe([stage.topic(`${isKept}`), options])
      await writer.published({ topic: stage.topic(`${isKept}`), retain: true })
      await writer.published({ topic: stage.topic(`${isKept}`) })
      const [retained, plain] = await reader.take(2)
      assert.deepEqual([retained?.retain, plain?.retain], [isKept, false])
      // A new subscription gets what is retained with its flag, either way.
      const late = await stage.connect()
      await late.subscribe([stage.topic(`${isKept}`), options])
      assert.equal((await late.next('PUBLISH')).retain, true)
    }
  })

  conforms('retain as published holds for overlapping subscriptions', FIVE, async (stage) => {
    const writer = await stage.connect()
    const cases: [all: number, one: number, isKept: boolean][] = [
      [RETAIN_AS_PUBLISHED, 0, true],
      [0, RETAIN_AS_PUBLISHED, true],
      [0, 0, false],
    ]
    for (const [index, [all, one, isKept]] of cases.entries()) {
      const reader = await stage.connect()
      const topic = stage.topic(`${index}/a`)
      await reader.subscribe([stage.topic(`${index}/#`), 1 | all], [topic, 1 | one])
      await writer.published({ topic, retain: true })
      assert.equal((await reader.next('PUBLISH')).retain, isKept)
      await reader.quiet()
    }
  })

  conforms('retain handling decides who gets retained messages', FIVE, async (stage) => {
    const writer = await stage.connect()
    await writer.published({ topic: stage.topic(), retain: true })
    const reader = await stage.connect()
    await reader.subscribe([stage.topic(), 0 | RETAIN_NEVER])
    await reader.quiet()
    await reader.subscribe([stage.topic(), 0 | RETAIN_IF_NEW])
    await reader.quiet()
    await reader.subscribe([stage.topic(), 0])
    await reader.next('PUBLISH')
    await reader.subscribe([stage.topic('+'), 0 | RETAIN_IF_NEW])
    await reader.next('PUBLISH')
    await reader.unsubscribe(stage.topic('+'))
    await reader.subscribe([stage.topic('+'), 0 | RETAIN_IF_NEW])
    await reader.next('PUBLISH')
    await reader.quiet()
  })
})

conformance('matching', {}, (conforms) => {
  conforms('wildcards match as they should', ALL, async (stage) => {
    const cases: [filter: string, topic: string, matches: boolean][] = [
      ['sport/#', 'sport', true],
      ['sport/#', 'sport/', true],
      ['sport/#', 'sport/a/b', true],
      ['sport/#', 'sports', false],
      ['sport/+', 'sport', false],
      ['sport/+', 'sport/', true],
      ['sport/+', 'sport/a', true],
      ['sport/+', 'sport/a/b', false],
      ['+/b', '/b', true],
      ['+', '/b', false],
      ['a/+/c', 'a//c', true],
      ['a/+/+/d', 'a/b/c/d', true],
      ['+/+/#', 'a/b', true],
      ['a/b', 'a/b/', false],
    ]
    const writer = await stage.connect()
    for (const [index, [filter, topic, matches]] of cases.entries()) {
      const base = `m${index}`
      const reader = await stage.connect()
      await reader.subscribe([stage.topic(`${base}/${filter}`), 0], [stage.topic('end'), 0])
      await writer.published({ topic: stage.topic(`${base}/${topic}`), payload: topic })
      await writer.published({ topic: stage.topic('end') })
      const received = await reader.next('PUBLISH')
      assert.equal(received.topic !== stage.topic('end'), matches, `${filter} and ${topic}`)
      await reader.drop()
    }
  })

  conforms('wildcards at the start do not match topics with a dollar sign', ALL, async (stage) => {
    const everything = [allow('#'), allow('+/+')]
    const reader = await stage.connect({ as: stage.credential(...everything) })
    await reader.subscribe('#', '+/status', [stage.topic('+'), 0])
    const message = { payload: Buffer.from('inside'), qos: 0, retain: true } as const
    await stage.broker.publish({ topic: '$internal/status', ...message })
    await stage.broker.publish({ topic: stage.topic('end'), ...message, retain: false })
    // The messages of other tests match as well.
    for (let topic = ''; topic !== stage.topic('end'); ) {
      topic = (await reader.next('PUBLISH')).topic
      assert.ok(!topic.startsWith('$'))
    }
  })

  conforms('topics and filters with a dollar sign are refused by policy', ALL, async (stage) => {
    const peer = await stage.connect({ as: stage.credential(allow('#')) })
    const code = stage.version === 5 ? 0x87 : 0x80
    assert.deepEqual(await peer.subscribe('$SYS/#', '$SYS/broker/uptime', '$x'), [code, code, code])
    await peer.published({ topic: '$x' })
    await peer.quiet()
  })
})
