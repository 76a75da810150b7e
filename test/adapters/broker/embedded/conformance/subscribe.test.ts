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
  conforms('a SUBSCRIBE gets one SUBACK with a code for each filter', ALL, async (fixture) => {
    const peer = await fixture.connect({ as: fixture.credential(allow(fixture.topic('mine/#'))) })
    const refused = fixture.version === 5 ? 0x87 : 0x80
    peer.send(
      subscribePacket(fixture.version, 65_535, [
        [fixture.topic('mine/0'), 0],
        [fixture.topic('other'), 1],
        [fixture.topic('mine/1'), 1],
        ['$SYS/#', 0],
        [fixture.topic('mine/2'), 2],
      ]),
    )
    const { id, codes } = await peer.next('SUBACK')
    assert.deepEqual([id, codes], [65_535, [0, refused, 1, refused, 2]])
    await peer.quiet()
  })

  conforms('a SUBSCRIBE that is malformed ends the connection', ALL, async (fixture) => {
    const none = properties(fixture.version)
    const filter = text(fixture.topic())
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
      const peer = await fixture.connect()
      peer.send(wrong)
      await peer.ends(0x81, 0x82)
    }
  })

  conforms('before MQTT 5 the options of a filter are its QoS alone', EARLIER, async (fixture) => {
    for (const options of [NO_LOCAL, RETAIN_AS_PUBLISHED, RETAIN_IF_NEW, RETAIN_NEVER]) {
      const peer = await fixture.connect()
      peer.send(subscribePacket(fixture.version, 1, [[fixture.topic(), options]]))
      await peer.ends()
    }
  })

  conforms('a SUBSCRIBE names a filter at least', ALL, async (fixture) => {
    const peer = await fixture.connect()
    peer.send(subscribePacket(fixture.version, 1, []))
    await peer.ends(0x82)
  })

  conforms('a retain handling of 3 is an error', FIVE, async (fixture) => {
    const peer = await fixture.connect()
    peer.send(subscribePacket(5, 1, [[fixture.topic(), 0x31]]))
    await peer.ends(0x81, 0x82)
  })

  conforms('a subscription identifier is above 0, and occurs once', FIVE, async (fixture) => {
    const identifier = (value: number) => property('subscriptionIdentifier', value)
    for (const wrong of [[identifier(0)], [identifier(1), identifier(2)]]) {
      const peer = await fixture.connect()
      peer.send(subscribePacket(5, 1, [fixture.topic()], ...wrong))
      await peer.ends(0x81, 0x82)
    }
  })

  conforms('a filter that is malformed is refused', ALL, async (fixture) => {
    for (const rest of ['a#', '#/a', 'a/#/b', 'a+', '+a', 'a/b+/c']) {
      const peer = await fixture.connect()
      peer.send(subscribePacket(fixture.version, 1, [fixture.topic(rest)]))
      await peer.ends(0x81, 0x82, 0x8f)
    }
    const peer = await fixture.connect()
    peer.send(subscribePacket(fixture.version, 1, ['']))
    await peer.ends(0x81, 0x82, 0x8f)
  })

  conforms('more filters than a session may have are refused by quota', FIVE, async (fixture) => {
    const peer = await fixture.connect()
    const filters = Array.from({ length: 21 }, (_, index) => fixture.topic(`f${index}`))
    const codes = await peer.subscribe(...filters)
    assert.deepEqual(codes, [...Array.from({ length: 20 }, () => 1), 0x97])
  })

  conforms('a message has the lower QoS of the two', ALL, async (fixture) => {
    const writer = await fixture.connect()
    const reader = await fixture.connect()
    for (const granted of [0, 1, 2]) {
      assert.deepEqual(await reader.subscribe([fixture.topic(), granted]), [granted])
      for (const qos of [0, 1, 2]) {
        if (qos === 2) await writer.publishedTwice({ topic: fixture.topic() })
        else if (qos === 1) await writer.published({ topic: fixture.topic() })
        else writer.publish({ topic: fixture.topic() })
        const message = await reader.next('PUBLISH')
        assert.equal(message.qos, Math.min(qos, granted))
      }
    }
  })

  conforms('the same filter replaces its subscription', ALL, async (fixture) => {
    const writer = await fixture.connect()
    await writer.published({ topic: fixture.topic(), payload: 'kept', retain: true })
    const reader = await fixture.connect()
    await reader.subscribe([fixture.topic(), 0])
    assert.equal((await reader.next('PUBLISH')).qos, 0)
    await reader.subscribe([fixture.topic(), 1])
    // It is sent what is retained once more.
    assert.equal((await reader.next('PUBLISH')).qos, 1)
    await writer.published({ topic: fixture.topic(), payload: 'live' })
    const live = await reader.next('PUBLISH')
    assert.deepEqual([live.payload, live.qos], ['live', 1])
    await reader.quiet()
  })

  conforms('overlapping subscriptions give the highest QoS of them', ALL, async (fixture) => {
    const reader = await fixture.connect()
    await reader.subscribe(
      [fixture.topic('#'), 0],
      [fixture.topic('a/+'), 2],
      [fixture.topic('a/b'), 1],
      [fixture.topic('+/b'), 0],
    )
    const writer = await fixture.connect()
    await writer.publishedTwice({ topic: fixture.topic('a/b') })
    await writer.publishedTwice({ topic: fixture.topic('end') })
    const levels: number[] = []
    for (;;) {
      const { topic, qos } = await reader.next('PUBLISH')
      if (topic === fixture.topic('end')) break
      levels.push(qos)
    }
    assert.equal(Math.max(...levels), 2)
  })

  conforms('a message has the identifiers of all matching subscriptions', FIVE, async (fixture) => {
    const reader = await fixture.connect()
    await reader.subscribeAs(1, fixture.topic('#'))
    await reader.subscribeAs(268_435_455, fixture.topic('a/+'))
    await reader.subscribe(fixture.topic('a/b'))
    await reader.subscribeAs(3, fixture.topic('other'))
    const writer = await fixture.connect()
    const identifiersOf = async (rest: string): Promise<number[]> => {
      await writer.published({ topic: fixture.topic(rest) })
      await writer.published({ topic: fixture.topic('end') })
      const found: number[] = []
      for (;;) {
        const message = await reader.next('PUBLISH')
        if (message.topic === fixture.topic('end')) return found.toSorted((a, b) => a - b)
        found.push(...(valuesOf(message, 'subscriptionIdentifier') as number[]))
      }
    }
    assert.deepEqual(await identifiersOf('a/b'), [1, 268_435_455])
    assert.deepEqual(await identifiersOf('other'), [1, 3])
    // It belongs to the subscription and is replaced with it.
    await reader.subscribeAs(4, fixture.topic('other'))
    assert.deepEqual(await identifiersOf('other'), [1, 4])
    await reader.subscribe(fixture.topic('other'))
    assert.deepEqual(await identifiersOf('other'), [1])
  })

  conforms('identifiers come with retained and with waiting messages', FIVE, async (fixture) => {
    const writer = await fixture.connect()
    await writer.published({ topic: fixture.topic('kept'), retain: true })
    const wish = { as: fixture.credential(), durable: true }
    const reader = await fixture.connect(wish)
    await reader.subscribeAs(7, fixture.topic('#'))
    const kept = await reader.next('PUBLISH')
    assert.deepEqual(valuesOf(kept, 'subscriptionIdentifier'), [7])
    reader.acknowledge('PUBACK', kept.id)
    await reader.quiet()
    await reader.drop()
    await writer.published({ topic: fixture.topic('live') })
    const back = await fixture.connect(wish)
    assert.deepEqual(valuesOf(await back.next('PUBLISH'), 'subscriptionIdentifier'), [7])
  })
})

conformance('subscription options', {}, (conforms) => {
  conforms('no local keeps messages from their own client', FIVE, async (fixture) => {
    const credential = fixture.credential()
    const peer = await fixture.connect({ as: credential })
    const other = await fixture.connect()
    const sibling = await fixture.connect({ as: credential, clientId: `${credential.clientId}:2` })
    await peer.subscribe([fixture.topic(), 1 | NO_LOCAL])
    await peer.published({ topic: fixture.topic(), payload: 'own' })
    await other.published({ topic: fixture.topic(), payload: 'other' })
    await sibling.published({ topic: fixture.topic(), payload: 'sibling' })
    const payloads = (await peer.take(2)).map(({ payload }) => payload)
    assert.deepEqual(payloads, ['other', 'sibling'])
    await peer.subscribe([fixture.topic(), 0])
    peer.publish({ topic: fixture.topic(), payload: 'own again' })
    assert.equal((await peer.next('PUBLISH')).payload, 'own again')
  })

  conforms('without no local a client gets its own messages', ALL, async (fixture) => {
    const peer = await fixture.connect()
    await peer.subscribe([fixture.topic(), 0])
    peer.publish({ topic: fixture.topic(), payload: 'own' })
    assert.equal((await peer.next('PUBLISH')).payload, 'own')
  })

  conforms('retain as published decides about the retain flag', FIVE, async (fixture) => {
    const writer = await fixture.connect()
    for (const [options, isKept] of [
      [1, false],
      [1 | RETAIN_AS_PUBLISHED, true],
    ] as const) {
      const reader = await fixture.connect()
      await reader.subscribe([fixture.topic(`${isKept}`), options])
      await writer.published({ topic: fixture.topic(`${isKept}`), retain: true })
      await writer.published({ topic: fixture.topic(`${isKept}`) })
      const [retained, plain] = await reader.take(2)
      assert.deepEqual([retained?.retain, plain?.retain], [isKept, false])
      // A new subscription gets what is retained with its flag, either way.
      const late = await fixture.connect()
      await late.subscribe([fixture.topic(`${isKept}`), options])
      assert.equal((await late.next('PUBLISH')).retain, true)
    }
  })

  conforms('retain as published holds for overlapping subscriptions', FIVE, async (fixture) => {
    const writer = await fixture.connect()
    const cases: [all: number, one: number, isKept: boolean][] = [
      [RETAIN_AS_PUBLISHED, 0, true],
      [0, RETAIN_AS_PUBLISHED, true],
      [0, 0, false],
    ]
    for (const [index, [all, one, isKept]] of cases.entries()) {
      const reader = await fixture.connect()
      const topic = fixture.topic(`${index}/a`)
      await reader.subscribe([fixture.topic(`${index}/#`), 1 | all], [topic, 1 | one])
      await writer.published({ topic, retain: true })
      assert.equal((await reader.next('PUBLISH')).retain, isKept)
      await reader.quiet()
    }
  })

  conforms('retain handling decides who gets retained messages', FIVE, async (fixture) => {
    const writer = await fixture.connect()
    await writer.published({ topic: fixture.topic(), retain: true })
    const reader = await fixture.connect()
    await reader.subscribe([fixture.topic(), 0 | RETAIN_NEVER])
    await reader.quiet()
    await reader.subscribe([fixture.topic(), 0 | RETAIN_IF_NEW])
    await reader.quiet()
    await reader.subscribe([fixture.topic(), 0])
    await reader.next('PUBLISH')
    await reader.subscribe([fixture.topic('+'), 0 | RETAIN_IF_NEW])
    await reader.next('PUBLISH')
    await reader.unsubscribe(fixture.topic('+'))
    await reader.subscribe([fixture.topic('+'), 0 | RETAIN_IF_NEW])
    await reader.next('PUBLISH')
    await reader.quiet()
  })
})

conformance('matching', {}, (conforms) => {
  conforms('wildcards match as they should', ALL, async (fixture) => {
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
    const writer = await fixture.connect()
    for (const [index, [filter, topic, matches]] of cases.entries()) {
      const base = `m${index}`
      const reader = await fixture.connect()
      await reader.subscribe([fixture.topic(`${base}/${filter}`), 0], [fixture.topic('end'), 0])
      await writer.published({ topic: fixture.topic(`${base}/${topic}`), payload: topic })
      await writer.published({ topic: fixture.topic('end') })
      const received = await reader.next('PUBLISH')
      assert.equal(received.topic !== fixture.topic('end'), matches, `${filter} and ${topic}`)
      await reader.drop()
    }
  })

  conforms(
    'wildcards at the start do not match topics with a dollar sign',
    ALL,
    async (fixture) => {
      const everything = [allow('#'), allow('+/+')]
      const reader = await fixture.connect({ as: fixture.credential(...everything) })
      await reader.subscribe('#', '+/status', [fixture.topic('+'), 0])
      const message = { payload: Buffer.from('inside'), qos: 0, retain: true } as const
      await fixture.broker.publish({ topic: '$internal/status', ...message })
      await fixture.broker.publish({ topic: fixture.topic('end'), ...message, retain: false })
      // The messages of other tests match as well.
      for (let topic = ''; topic !== fixture.topic('end'); ) {
        topic = (await reader.next('PUBLISH')).topic
        assert.ok(!topic.startsWith('$'))
      }
    },
  )

  conforms('topics and filters with a dollar sign are refused by policy', ALL, async (fixture) => {
    const peer = await fixture.connect({ as: fixture.credential(allow('#')) })
    const code = fixture.version === 5 ? 0x87 : 0x80
    assert.deepEqual(await peer.subscribe('$SYS/#', '$SYS/broker/uptime', '$x'), [code, code, code])
    await peer.published({ topic: '$x' })
    await peer.quiet()
  })
})
