/** Quotas, packet sizes and topic aliases of each side. MQTT 5.0, 3.1.2.11, 3.3.2.3.4 and 4.9. */
import assert from 'node:assert/strict'
import {
  allow,
  conformance,
  FIVE,
  type Peer,
  property,
  type Fixture,
  valueOf,
  valuesOf,
} from './conforms.ts'
import { publishPacket, subscribePacket } from './packets.ts'

/** A client with properties in its CONNECT, subscribed to the whole workspace with QoS 2. */
async function reader(fixture: Fixture, ...extra: Buffer[]): Promise<Peer> {
  const peer = await fixture.connect({ properties: extra })
  await peer.subscribe([fixture.topic('#'), 2])
  return peer
}

conformance('flow control', { inboundInFlightPerSession: 3 }, (conforms) => {
  conforms('the Receive Maximum of a client is not exceeded', FIVE, async (fixture) => {
    const peer = await reader(fixture, property('receiveMaximum', 2))
    const writer = await fixture.connect()
    for (let id = 1; id <= 3; id += 1) await writer.published({ topic: fixture.topic(), id })
    await writer.publishedTwice({ topic: fixture.topic() })
    const first = await peer.take(2)
    await peer.quiet()
    peer.acknowledge('PUBACK', first[0]?.id ?? 0)
    const third = await peer.next('PUBLISH')
    await peer.quiet()
    peer.acknowledge('PUBACK', first[1]?.id ?? 0, 0x80)
    const fourth = await peer.next('PUBLISH')
    assert.equal(fourth.qos, 2)
    assert.notEqual(third.id, fourth.id)
    await peer.quiet()
  })

  conforms('a QoS 2 message counts until its PUBCOMP', FIVE, async (fixture) => {
    const peer = await reader(fixture, property('receiveMaximum', 1))
    const writer = await fixture.connect()
    await writer.publishedTwice({ topic: fixture.topic(), payload: 'one' })
    await writer.publishedTwice({ topic: fixture.topic(), payload: 'two' })
    const { id } = await peer.next('PUBLISH')
    await peer.quiet()
    peer.acknowledge('PUBREC', id)
    await peer.next('PUBREL')
    await peer.quiet()
    peer.acknowledge('PUBCOMP', id)
    const two = await peer.next('PUBLISH')
    assert.equal(two.payload, 'two')
    // A refusal gives its place back at once.
    await writer.publishedTwice({ topic: fixture.topic(), payload: 'three' })
    peer.acknowledge('PUBREC', two.id, 0x83)
    assert.equal((await peer.next('PUBLISH')).payload, 'three')
  })

  conforms('a spent quota holds up nothing else', FIVE, async (fixture) => {
    const peer = await reader(fixture, property('receiveMaximum', 1))
    const writer = await fixture.connect()
    await writer.published({ topic: fixture.topic(), payload: 'one' })
    await writer.published({ topic: fixture.topic(), payload: 'two' })
    await peer.next('PUBLISH')
    writer.publish({ topic: fixture.topic('zero'), payload: 'zero' })
    assert.equal((await peer.next('PUBLISH')).payload, 'zero')
    assert.deepEqual(await peer.subscribe('elsewhere'), [0x87])
    await peer.publishedTwice({ topic: 'elsewhere' })
    await peer.quiet()
  })

  conforms('a client that exceeds the Receive Maximum is disconnected', FIVE, async (fixture) => {
    const peer = await fixture.connect()
    const max = Number(valueOf(peer.connack, 'receiveMaximum'))
    assert.equal(max, 3)
    for (let id = 1; id <= max + 1; id += 1) peer.publish({ topic: fixture.topic(), qos: 2, id })
    const received = await peer.end()
    assert.equal(received.filter(({ name }) => name === 'PUBREC').length, max)
    assert.deepEqual([received.at(-1)?.name, received.at(-1)?.codes], ['DISCONNECT', [0x93]])
  })
})

conformance('packet sizes', { packetBytes: 2_000 }, (conforms) => {
  conforms('a packet above the maximum of a client is not sent to it', FIVE, async (fixture) => {
    const peer = await reader(fixture, property('maximumPacketSize', 100))
    const writer = await fixture.connect()
    const topic = fixture.topic()
    await writer.published({ topic, payload: 'x'.repeat(100) })
    await writer.publishedTwice({ topic, payload: 'x'.repeat(100) })
    writer.publish({ topic, payload: 'x'.repeat(100) })
    await writer.published({ topic, payload: 'short' })
    const message = await peer.next('PUBLISH')
    assert.equal(message.payload, 'short')
    assert.ok(message.bytes.length <= 100)
    await peer.quiet()
  })

  conforms('no packet at all exceeds the maximum of its client', FIVE, async (fixture) => {
    const filters = Array.from({ length: 50 }, (_, index) => fixture.topic(`f${index}`))
    for (const size of [1, 3, 4, 5, 12, 23, 24, 40]) {
      const properties = [property('maximumPacketSize', size), property('sessionExpiry', 2 ** 31)]
      const peer = fixture.request({ properties, keepalive: 0 })
      const [connack] = await peer.some(1)
      if (connack?.codes[0] === 0) peer.send(subscribePacket(5, 1, filters))
      const rest = await peer.end()
      for (const { bytes } of [connack, ...rest].filter((each) => each !== undefined)) {
        assert.ok(bytes.length <= size, `${bytes.length} bytes for ${size}`)
      }
    }
  })

  conforms('a message fits with or without an alias', FIVE, async (fixture) => {
    const topic = fixture.topic('t'.repeat(40))
    const size = publishPacket(5, { topic, payload: 'fits', qos: 1 }).length
    const limit = [property('maximumPacketSize', size), property('topicAliasMaximum', 5)]
    const peer = await reader(fixture, ...limit)
    const writer = await fixture.connect()
    await writer.published({ topic, payload: 'fits' })
    writer.publish({ topic, payload: 'fits' })
    await writer.published({ topic, payload: 'does not' })
    for (const { topic: received, payload } of await peer.take(2)) {
      assert.deepEqual([received, payload], [topic, 'fits'])
    }
    await peer.quiet()
  })

  conforms('a message that is discarded for its size uses no quota', FIVE, async (fixture) => {
    const extra = [property('maximumPacketSize', 100), property('receiveMaximum', 1)]
    const peer = await reader(fixture, ...extra)
    const writer = await fixture.connect()
    await writer.published({ topic: fixture.topic(), payload: 'x'.repeat(200) })
    await writer.published({ topic: fixture.topic(), payload: 'short' })
    assert.equal((await peer.next('PUBLISH')).payload, 'short')
  })

  conforms(
    'a packet above the maximum of the broker ends the connection',
    FIVE,
    async (fixture) => {
      const peer = await fixture.connect()
      assert.equal(valueOf(peer.connack, 'maximumPacketSize'), 2_000)
      peer.publish({ topic: fixture.topic(), payload: 'x'.repeat(2_000) })
      await peer.ends(0x95)
    },
  )

  conforms('an explanation is left out where it does not fit', FIVE, async (fixture) => {
    const explain = () => ({ message: 'w'.repeat(200), facts: { limit: 'messages' } })
    const credential = fixture.credential()
    const meter = { messages: 0, bytes: 0, isSpent: true, explain }
    credential.grant = { ...credential.grant, meter }
    for (const [size, isThere] of [
      [1_000, true],
      [40, false],
    ] as const) {
      const peer = await fixture.connect({
        as: credential,
        properties: [property('maximumPacketSize', size)],
      })
      for (const qos of [1, 2]) {
        peer.publish({ topic: fixture.topic(), qos })
        const response = await peer.next(qos === 1 ? 'PUBACK' : 'PUBREC')
        assert.deepEqual(response.codes, [0x97])
        assert.equal(valueOf(response, 'reasonString') !== undefined, isThere)
        assert.equal(valuesOf(response, 'userProperty').length, isThere ? 1 : 0)
        assert.ok(response.bytes.length <= size)
      }
      await peer.drop()
    }
  })

  conforms(
    'a DISCONNECT has a reason string, if it fits and the client wants it',
    FIVE,
    async (fixture) => {
      for (const [extra, isThere] of [
        [property('maximumPacketSize', 1_000), true],
        [property('maximumPacketSize', 40), false],
        [property('requestProblemInformation', 0), false],
      ] as const) {
        const as = fixture.credential()
        const peer = await fixture.connect({ as, properties: [extra] })
        await fixture.connect({ as })
        const last = await peer.next('DISCONNECT')
        assert.deepEqual(last.codes, [0x8e])
        const said = isThere ? 'Another connection uses the same client id.' : undefined
        assert.equal(valueOf(last, 'reasonString'), said)
      }
    },
  )

  conforms('a client that wants no explanation gets none', FIVE, async (fixture) => {
    const credential = fixture.credential(allow(fixture.topic('mine')))
    const explain = () => ({ message: 'why', facts: { limit: 'messages' } })
    const meter = { messages: 0, bytes: 0, isSpent: true, explain }
    credential.grant = { ...credential.grant, meter }
    const peer = await fixture.connect({
      as: credential,
      properties: [property('requestProblemInformation', 0)],
    })
    peer.publish({ topic: fixture.topic('mine'), qos: 1 })
    const spent = await peer.next('PUBACK')
    peer.publish({ topic: fixture.topic('other'), qos: 2 })
    const refused = await peer.next('PUBREC')
    peer.send(Buffer.from([0x82, 7, 0, 1, 0, 0, 1, 97, 0]))
    const suback = await peer.next('SUBACK')
    for (const response of [spent, refused, suback]) assert.deepEqual(response.properties, [])
  })
})

conformance('topic aliases', {}, (conforms) => {
  const maximum = (peer: Peer): number => Number(valueOf(peer.connack, 'topicAliasMaximum') ?? 0)

  conforms('each topic alias up to the maximum of the broker is taken', FIVE, async (fixture) => {
    const witness = await fixture.witness()
    const peer = await fixture.connect()
    const max = maximum(peer)
    assert.ok(max > 0)
    for (const alias of [1, max]) {
      const properties = [property('topicAlias', alias)]
      await peer.published({ topic: fixture.topic(`t${alias}`), properties })
      await peer.published({ topic: '', properties })
      const messages = await witness.take(2)
      for (const { topic } of messages) assert.equal(topic, fixture.topic(`t${alias}`))
      for (const message of messages) assert.equal(valueOf(message, 'topicAlias'), undefined)
    }
    const properties = [property('topicAlias', 1)]
    await peer.published({ topic: fixture.topic('changed'), properties })
    await peer.published({ topic: '', properties })
    for (const { topic } of await witness.take(2)) assert.equal(topic, fixture.topic('changed'))
  })

  conforms('a topic alias of 0 or above the maximum is refused', FIVE, async (fixture) => {
    for (const above of [false, true]) {
      const peer = await fixture.connect()
      const alias = above ? Math.min(maximum(peer) + 1, 65_535) : 0
      peer.publish({ topic: fixture.topic(), properties: [property('topicAlias', alias)] })
      await peer.ends(0x94)
    }
  })

  conforms('an unknown topic alias is an error', FIVE, async (fixture) => {
    const credential = fixture.credential()
    const properties = [property('topicAlias', 1)]
    const first = await fixture.connect({ as: credential, durable: true })
    await first.published({ topic: fixture.topic(), properties })
    await first.drop()
    // Another connection has no alias of the one before.
    const second = await fixture.connect({ as: credential, durable: true })
    second.publish({ topic: '', properties })
    await second.ends(0x82, 0x94)
  })

  conforms('a topic alias gives no right that its topic does not have', FIVE, async (fixture) => {
    const witness = await fixture.witness()
    const peer = await fixture.connect({ as: fixture.credential(allow(fixture.topic('mine'))) })
    const properties = [property('topicAlias', 1)]
    assert.equal(await peer.published({ topic: fixture.topic('other'), properties }), 0x87)
    assert.equal(await peer.published({ topic: '', properties }), 0x87)
    await peer.published({ topic: fixture.topic('mine'), properties })
    await peer.published({ topic: '', properties })
    for (const { topic } of await witness.take(2)) assert.equal(topic, fixture.topic('mine'))
    await witness.quiet()
  })

  conforms('a client that takes no aliases is sent none', FIVE, async (fixture) => {
    const writer = await fixture.connect()
    for (const extra of [[], [property('topicAliasMaximum', 0)]]) {
      const peer = await reader(fixture, ...extra)
      for (let count = 0; count < 3; count += 1) {
        await writer.published({ topic: fixture.topic() })
        const message = await peer.next('PUBLISH')
        assert.equal(valueOf(message, 'topicAlias'), undefined)
        assert.equal(message.topic, fixture.topic())
      }
    }
  })

  conforms('a client that takes aliases is sent them in place of topics', FIVE, async (fixture) => {
    const peer = await reader(fixture, property('topicAliasMaximum', 1))
    const writer = await fixture.connect()
    for (const topic of [fixture.topic(), '', '']) {
      await writer.published({ topic: fixture.topic() })
      const message = await peer.next('PUBLISH')
      assert.deepEqual([message.topic, valueOf(message, 'topicAlias')], [topic, 1])
    }
  })

  conforms('aliases to a client stay within its maximum, and are right', FIVE, async (fixture) => {
    const peer = await reader(fixture, property('topicAliasMaximum', 2))
    const writer = await fixture.connect()
    const known = new Map<number, string>()
    for (const rest of ['a', 'b', 'c', 'a', 'b', 'c', 'a', 'a']) {
      await writer.published({ topic: fixture.topic(rest), payload: rest })
      const message = await peer.next('PUBLISH')
      const alias = valueOf(message, 'topicAlias') as number | undefined
      if (alias !== undefined) {
        assert.ok(alias >= 1 && alias <= 2)
        if (message.topic !== '') known.set(alias, message.topic)
      }
      const topic = message.topic === '' ? known.get(alias ?? 0) : message.topic
      assert.equal(topic, fixture.topic(message.payload))
    }
  })
})
