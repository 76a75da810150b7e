/** Quotas, packet sizes and topic aliases of each side. MQTT 5.0, 3.1.2.11, 3.3.2.3.4 and 4.9. */
import assert from 'node:assert/strict'
import {
  allow,
  conformance,
  FIVE,
  type Peer,
  property,
  type Stage,
  valueOf,
  valuesOf,
} from './conforms.ts'
import { publishPacket, subscribePacket } from './packets.ts'

/** A client with properties in its CONNECT, subscribed to the whole workspace with QoS 2. */
async function reader(stage: Stage, ...extra: Buffer[]): Promise<Peer> {
  const peer = await stage.connect({ properties: extra })
  await peer.subscribe([stage.topic('#'), 2])
  return peer
}

conformance('flow control', { inboundInFlightPerSession: 3 }, (conforms) => {
  conforms('the Receive Maximum of a client is not exceeded', FIVE, async (stage) => {
    const peer = await reader(stage, property('receiveMaximum', 2))
    const writer = await stage.connect()
    for (let id = 1; id <= 3; id += 1) await writer.published({ topic: stage.topic(), id })
    await writer.publishedTwice({ topic: stage.topic() })
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

  conforms('a QoS 2 message counts until its PUBCOMP', FIVE, async (stage) => {
    const peer = await reader(stage, property('receiveMaximum', 1))
    const writer = await stage.connect()
    await writer.publishedTwice({ topic: stage.topic(), payload: 'one' })
    await writer.publishedTwice({ topic: stage.topic(), payload: 'two' })
    const { id } = await peer.next('PUBLISH')
    await peer.quiet()
    peer.acknowledge('PUBREC', id)
    await peer.next('PUBREL')
    await peer.quiet()
    peer.acknowledge('PUBCOMP', id)
    const two = await peer.next('PUBLISH')
    assert.equal(two.payload, 'two')
    // A refusal gives its place back at once.
    await writer.publishedTwice({ topic: stage.topic(), payload: 'three' })
    peer.acknowledge('PUBREC', two.id, 0x83)
    assert.equal((await peer.next('PUBLISH')).payload, 'three')
  })

  conforms('a spent quota holds up nothing else', FIVE, async (stage) => {
    const peer = await reader(stage, property('receiveMaximum', 1))
    const writer = await stage.connect()
    await writer.published({ topic: stage.topic(), payload: 'one' })
    await writer.published({ topic: stage.topic(), payload: 'two' })
    await peer.next('PUBLISH')
    writer.publish({ topic: stage.topic('zero'), payload: 'zero' })
    assert.equal((await peer.next('PUBLISH')).payload, 'zero')
    assert.deepEqual(await peer.subscribe('elsewhere'), [0x87])
    await peer.publishedTwice({ topic: 'elsewhere' }).catch(() => {})
    await peer.quiet()
  })

  conforms('a client that exceeds the Receive Maximum is disconnected', FIVE, async (stage) => {
    const peer = await stage.connect()
    const max = Number(valueOf(peer.connack, 'receiveMaximum'))
    assert.equal(max, 3)
    for (let id = 1; id <= max + 1; id += 1) peer.publish({ topic: stage.topic(), qos: 2, id })
    const received = await peer.end()
    assert.equal(received.filter(({ name }) => name === 'PUBREC').length, max)
    assert.deepEqual([received.at(-1)?.name, received.at(-1)?.codes], ['DISCONNECT', [0x93]])
  })
})

conformance('packet sizes', { packetBytes: 2_000 }, (conforms) => {
  conforms('a packet above the maximum of a client is not sent to it', FIVE, async (stage) => {
    const peer = await reader(stage, property('maximumPacketSize', 100))
    const writer = await stage.connect()
    const topic = stage.topic()
    await writer.published({ topic, payload: 'x'.repeat(100) })
    await writer.publishedTwice({ topic, payload: 'x'.repeat(100) })
    writer.publish({ topic, payload: 'x'.repeat(100) })
    await writer.published({ topic, payload: 'short' })
    const message = await peer.next('PUBLISH')
    assert.equal(message.payload, 'short')
    assert.ok(message.bytes.length <= 100)
    await peer.quiet()
  })

  conforms('no packet at all exceeds the maximum of its client', FIVE, async (stage) => {
    const filters = Array.from({ length: 50 }, (_, index) => stage.topic(`f${index}`))
    for (const size of [1, 3, 4, 5, 12, 23, 24, 40]) {
      const properties = [property('maximumPacketSize', size), property('sessionExpiry', 2 ** 31)]
      const peer = stage.request({ properties, keepalive: 0 })
      const [connack] = await peer.some(1)
      if (connack?.codes[0] === 0) peer.send(subscribePacket(5, 1, filters))
      const rest = await peer.end()
      for (const { bytes } of [connack, ...rest].filter((each) => each !== undefined)) {
        assert.ok(bytes.length <= size, `${bytes.length} bytes for ${size}`)
      }
    }
  })

  conforms('a message fits with or without an alias', FIVE, async (stage) => {
    const topic = stage.topic('t'.repeat(40))
    const size = publishPacket(5, { topic, payload: 'fits', qos: 1 }).length
    const limit = [property('maximumPacketSize', size), property('topicAliasMaximum', 5)]
    const peer = await reader(stage, ...limit)
    const writer = await stage.connect()
    await writer.published({ topic, payload: 'fits' })
    writer.publish({ topic, payload: 'fits' })
    await writer.published({ topic, payload: 'does not' })
    for (const { topic: received, payload } of await peer.take(2)) {
      assert.deepEqual([received, payload], [topic, 'fits'])
    }
    await peer.quiet()
  })

  conforms('what is discarded for its size takes up no quota', FIVE, async (stage) => {
    const extra = [property('maximumPacketSize', 100), property('receiveMaximum', 1)]
    const peer = await reader(stage, ...extra)
    const writer = await stage.connect()
    await writer.published({ topic: stage.topic(), payload: 'x'.repeat(200) })
    await writer.published({ topic: stage.topic(), payload: 'short' })
    assert.equal((await peer.next('PUBLISH')).payload, 'short')
  })

  conforms('a packet above the maximum of the broker ends the connection', FIVE, async (stage) => {
    const peer = await stage.connect()
    assert.equal(valueOf(peer.connack, 'maximumPacketSize'), 2_000)
    peer.publish({ topic: stage.topic(), payload: 'x'.repeat(2_000) })
    await peer.ends(0x95)
  })

  conforms('an explanation is left out where it does not fit', FIVE, async (stage) => {
    const explain = () => ({ message: 'w'.repeat(200), facts: { limit: 'messages' } })
    const credential = stage.credential()
    const meter = { messages: 0, bytes: 0, isSpent: true, explain }
    credential.grant = { ...credential.grant, meter }
    for (const [size, isThere] of [
      [1_000, true],
      [40, false],
    ] as const) {
      const peer = await stage.connect({
        as: credential,
        properties: [property('maximumPacketSize', size)],
      })
      for (const qos of [1, 2]) {
        peer.publish({ topic: stage.topic(), qos })
        const response = await peer.next(qos === 1 ? 'PUBACK' : 'PUBREC')
        assert.deepEqual(response.codes, [0x97])
        assert.equal(valueOf(response, 'reasonString') !== undefined, isThere)
        assert.equal(valuesOf(response, 'userProperty').length, isThere ? 1 : 0)
        assert.ok(response.bytes.length <= size)
      }
      await peer.drop()
    }
  })

  conforms('a DISCONNECT says why in words, if that fits and is wanted', FIVE, async (stage) => {
    for (const [extra, isThere] of [
      [property('maximumPacketSize', 1_000), true],
      [property('maximumPacketSize', 40), false],
      [property('requestProblemInformation', 0), false],
    ] as const) {
      const as = stage.credential()
      const peer = await stage.connect({ as, properties: [extra] })
      await stage.connect({ as })
      const last = await peer.next('DISCONNECT')
      assert.deepEqual(last.codes, [0x8e])
      const said = isThere ? 'Another connection uses the same client id.' : undefined
      assert.equal(valueOf(last, 'reasonString'), said)
    }
  })

  conforms('a client that wants no explanation gets none', FIVE, async (stage) => {
    const credential = stage.credential(allow(stage.topic('mine')))
    const explain = () => ({ message: 'why', facts: { limit: 'messages' } })
    const meter = { messages: 0, bytes: 0, isSpent: true, explain }
    credential.grant = { ...credential.grant, meter }
    const peer = await stage.connect({
      as: credential,
      properties: [property('requestProblemInformation', 0)],
    })
    peer.publish({ topic: stage.topic('mine'), qos: 1 })
    const spent = await peer.next('PUBACK')
    peer.publish({ topic: stage.topic('other'), qos: 2 })
    const refused = await peer.next('PUBREC')
    peer.send(Buffer.from([0x82, 7, 0, 1, 0, 0, 1, 97, 0]))
    const suback = await peer.next('SUBACK')
    for (const response of [spent, refused, suback]) assert.deepEqual(response.properties, [])
  })
})

conformance('topic aliases', {}, (conforms) => {
  const maximum = (peer: Peer): number => Number(valueOf(peer.connack, 'topicAliasMaximum') ?? 0)

  conforms('each topic alias up to the maximum of the broker is taken', FIVE, async (stage) => {
    const witness = await stage.witness()
    const peer = await stage.connect()
    const max = maximum(peer)
    assert.ok(max > 0)
    for (const alias of [1, max]) {
      const properties = [property('topicAlias', alias)]
      await peer.published({ topic: stage.topic(`t${alias}`), properties })
      await peer.published({ topic: '', properties })
      const messages = await witness.take(2)
      for (const { topic } of messages) assert.equal(topic, stage.topic(`t${alias}`))
      for (const message of messages) assert.equal(valueOf(message, 'topicAlias'), undefined)
    }
    const properties = [property('topicAlias', 1)]
    await peer.published({ topic: stage.topic('changed'), properties })
    await peer.published({ topic: '', properties })
    for (const { topic } of await witness.take(2)) assert.equal(topic, stage.topic('changed'))
  })

  conforms('a topic alias of 0 or above the maximum is refused', FIVE, async (stage) => {
    for (const above of [false, true]) {
      const peer = await stage.connect()
      const alias = above ? Math.min(maximum(peer) + 1, 65_535) : 0
      peer.publish({ topic: stage.topic(), properties: [property('topicAlias', alias)] })
      await peer.ends(0x94)
    }
  })

  conforms('a topic alias that stands for nothing is an error', FIVE, async (stage) => {
    const credential = stage.credential()
    const properties = [property('topicAlias', 1)]
    const first = await stage.connect({ as: credential, durable: true })
    await first.published({ topic: stage.topic(), properties })
    await first.drop()
    // Another connection has no alias of the one before.
    const second = await stage.connect({ as: credential, durable: true })
    second.publish({ topic: '', properties })
    await second.ends(0x82, 0x94)
  })

  conforms('a topic alias gives no right that its topic does not have', FIVE, async (stage) => {
    const witness = await stage.witness()
    const peer = await stage.connect({ as: stage.credential(allow(stage.topic('mine'))) })
    const properties = [property('topicAlias', 1)]
    assert.equal(await peer.published({ topic: stage.topic('other'), properties }), 0x87)
    assert.equal(await peer.published({ topic: '', properties }), 0x87)
    await peer.published({ topic: stage.topic('mine'), properties })
    await peer.published({ topic: '', properties })
    for (const { topic } of await witness.take(2)) assert.equal(topic, stage.topic('mine'))
    await witness.quiet()
  })

  conforms('a client that takes no aliases is sent none', FIVE, async (stage) => {
    const writer = await stage.connect()
    for (const extra of [[], [property('topicAliasMaximum', 0)]]) {
      const peer = await reader(stage, ...extra)
      for (let count = 0; count < 3; count += 1) {
        await writer.published({ topic: stage.topic() })
        const message = await peer.next('PUBLISH')
        assert.equal(valueOf(message, 'topicAlias'), undefined)
        assert.equal(message.topic, stage.topic())
      }
    }
  })

  conforms('a client that takes aliases is sent them in place of topics', FIVE, async (stage) => {
    const peer = await reader(stage, property('topicAliasMaximum', 1))
    const writer = await stage.connect()
    for (const topic of [stage.topic(), '', '']) {
      await writer.published({ topic: stage.topic() })
      const message = await peer.next('PUBLISH')
      assert.deepEqual([message.topic, valueOf(message, 'topicAlias')], [topic, 1])
    }
  })

  conforms('aliases to a client stay within its maximum, and are right', FIVE, async (stage) => {
    const peer = await reader(stage, property('topicAliasMaximum', 2))
    const writer = await stage.connect()
    const known = new Map<number, string>()
    for (const rest of ['a', 'b', 'c', 'a', 'b', 'c', 'a', 'a']) {
      await writer.published({ topic: stage.topic(rest), payload: rest })
      const message = await peer.next('PUBLISH')
      const alias = valueOf(message, 'topicAlias') as number | undefined
      if (alias !== undefined) {
        assert.ok(alias >= 1 && alias <= 2)
        if (message.topic !== '') known.set(alias, message.topic)
      }
      const topic = message.topic === '' ? known.get(alias ?? 0) : message.topic
      assert.equal(topic, stage.topic(message.payload))
    }
  })
})
