/** The handshakes of QoS 0, 1 and 2, and their order. MQTT 5.0 and 3.1.1, 3.4 to 3.7, 4.3, 4.6. */
import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import {
  ALL,
  allow,
  bytes,
  conformanceOfBoth,
  FIVE,
  packet,
  property,
  type Fixture,
} from './conforms.ts'
import { acknowledgePacket, publishPacket, type Received } from './packets.ts'

const idsOf = (received: Received[], name: string): number[] =>
  received.filter((each) => each.name === name).map(({ id }) => id)

async function pair(fixture: Fixture) {
  const reader = await fixture.connect()
  await reader.subscribe([fixture.topic('#'), 2])
  return { reader, writer: await fixture.connect() }
}

conformanceOfBoth('handshakes', {}, (conforms) => {
  conforms('QoS 0 is sent once, and not acknowledged', ALL, async (fixture) => {
    const { reader, writer } = await pair(fixture)
    writer.publish({ topic: fixture.topic() })
    await writer.quiet()
    const { qos, dup } = await reader.next('PUBLISH')
    assert.deepEqual([qos, dup], [0, false])
    await reader.quiet()
  })

  conforms('QoS 1 is acknowledged by a PUBACK of the same identifier', ALL, async (fixture) => {
    const { reader, writer } = await pair(fixture)
    for (const id of [1, 65_535, 256]) {
      await writer.published({ topic: fixture.topic(), id })
      const message = await reader.next('PUBLISH')
      assert.deepEqual([message.qos, message.dup], [1, false])
      assert.ok(message.id > 0)
      reader.acknowledge('PUBACK', message.id)
    }
    await writer.quiet()
    await reader.quiet()
  })

  conforms('after its PUBACK an identifier stands for a new message', ALL, async (fixture) => {
    const { reader, writer } = await pair(fixture)
    await writer.published({ topic: fixture.topic(), id: 3, payload: 'one' })
    await writer.published({ topic: fixture.topic(), id: 3, payload: 'two', dup: true })
    assert.deepEqual(
      (await reader.take(2)).map(({ payload }) => payload),
      ['one', 'two'],
    )
  })

  conforms('QoS 2 takes its four steps in both directions', ALL, async (fixture) => {
    const { reader, writer } = await pair(fixture)
    await writer.publishedTwice({ topic: fixture.topic(), id: 9 })
    const message = await reader.next('PUBLISH')
    assert.deepEqual([message.qos, message.dup], [2, false])
    await reader.quiet()
    reader.acknowledge('PUBREC', message.id)
    assert.equal((await reader.next('PUBREL')).id, message.id)
    await reader.quiet()
    reader.acknowledge('PUBCOMP', message.id)
    await reader.quiet()
    await writer.quiet()
  })

  conforms('QoS 2 is delivered once until its PUBREL', ALL, async (fixture) => {
    const { reader, writer } = await pair(fixture)
    for (const dup of [false, true, true]) {
      writer.publish({ topic: fixture.topic(), qos: 2, id: 4, dup })
      assert.equal((await writer.next('PUBREC')).id, 4)
    }
    writer.acknowledge('PUBREL', 4)
    assert.equal((await writer.next('PUBCOMP')).id, 4)
    await reader.next('PUBLISH')
    await reader.quiet()
  })

  conforms('after its PUBCOMP an identifier stands for a new message', ALL, async (fixture) => {
    const { reader, writer } = await pair(fixture)
    await writer.publishedTwice({ topic: fixture.topic(), id: 4, payload: 'one' })
    await writer.publishedTwice({ topic: fixture.topic(), id: 4, payload: 'two' })
    assert.deepEqual(
      (await reader.take(2)).map(({ payload }) => payload),
      ['one', 'two'],
    )
  })

  conforms('after a PUBREC that refuses, an identifier is free', FIVE, async (fixture) => {
    const { reader } = await pair(fixture)
    const peer = await fixture.connect({ as: fixture.credential(allow(fixture.topic('mine'))) })
    peer.publish({ topic: fixture.topic('other'), qos: 2, id: 4 })
    assert.deepEqual((await peer.next('PUBREC')).codes, [0x87])
    await peer.publishedTwice({ topic: fixture.topic('mine'), id: 4 })
    assert.equal((await reader.next('PUBLISH')).topic, fixture.topic('mine'))
  })

  conforms('a PUBREL of an unknown identifier gets its PUBCOMP', ALL, async (fixture) => {
    const peer = await fixture.connect()
    peer.acknowledge('PUBREL', 500)
    const { id, codes } = await peer.next('PUBCOMP')
    assert.deepEqual([id, codes], [500, [fixture.version === 5 ? 0x92 : 0]])
  })

  conforms('a PUBREC of an unknown identifier gets its PUBREL', FIVE, async (fixture) => {
    const peer = await fixture.connect()
    peer.acknowledge('PUBREC', 500)
    const { id, codes } = await peer.next('PUBREL')
    assert.deepEqual([id, codes], [500, [0x92]])
  })

  conforms('acknowledgements of unknown identifiers have no effect', ALL, async (fixture) => {
    const peer = await fixture.connect()
    peer.acknowledge('PUBACK', 500)
    peer.acknowledge('PUBCOMP', 500)
    await peer.quiet()
  })

  conforms('acknowledgements have the identifier 1 or above', ALL, async (fixture) => {
    for (const name of ['PUBACK', 'PUBREC', 'PUBREL', 'PUBCOMP'] as const) {
      const peer = await fixture.connect()
      peer.send(acknowledgePacket(name, 0))
      await peer.ends(0x81, 0x82)
    }
  })

  conforms('acknowledgements may have a code and properties', FIVE, async (fixture) => {
    const { reader, writer } = await pair(fixture)
    const more = [bytes(0), bytes(property('reasonString', 'ok').length)]
    const withReason = (first: number, id: number) =>
      packet(first, bytes(id >> 8, id & 255), ...more, property('reasonString', 'ok'))
    await writer.published({ topic: fixture.topic() })
    await writer.publishedTwice({ topic: fixture.topic() })
    const [one, two] = await reader.take(2)
    reader.send(withReason(0x40, one?.id ?? 0), withReason(0x50, two?.id ?? 0))
    assert.equal((await reader.next('PUBREL')).id, two?.id)
    reader.send(withReason(0x70, two?.id ?? 0))
    await reader.quiet()
  })

  conforms('the reserved flags of acknowledgements are checked', ALL, async (fixture) => {
    for (const first of [0x41, 0x52, 0x60, 0x63, 0x66, 0x78]) {
      const peer = await fixture.connect()
      peer.send(packet(first, bytes(0, 1)))
      await peer.ends(0x81)
    }
  })

  conforms('an expiry does not end a handshake that has begun', FIVE, async (fixture) => {
    const wish = { as: fixture.credential(), durable: true }
    const reader = await fixture.connect(wish)
    await reader.subscribe([fixture.topic('#'), 2])
    const writer = await fixture.connect()
    const properties = [property('messageExpiry', 1)]
    await writer.publishedTwice({ topic: fixture.topic(), properties })
    const { id } = await reader.next('PUBLISH')
    writer.publish({ topic: fixture.topic('later'), qos: 2, id: 8, properties })
    await writer.next('PUBREC')
    await reader.drop()
    await wait(1_200)
    writer.acknowledge('PUBREL', 8)
    assert.equal((await writer.next('PUBCOMP')).id, 8)
    const back = await fixture.connect(wish)
    const again = await back.next('PUBLISH')
    assert.deepEqual([again.id, again.dup], [id, true])
  })
})

conformanceOfBoth('order', {}, (conforms) => {
  const COUNT = 60

  conforms('acknowledgements come in the order of what they acknowledge', ALL, async (fixture) => {
    const { reader, writer } = await pair(fixture)
    const qosOf = (id: number): number => (id % 3 === 0 ? 2 : 1)
    const ids = Array.from({ length: COUNT }, (_, index) => index + 1)
    writer.send(
      ...ids.map((id) =>
        publishPacket(fixture.version, { topic: fixture.topic(`t${id % 5}`), qos: qosOf(id), id }),
      ),
    )
    const acknowledged = await writer.some(COUNT)
    const [ones, twos] = [1, 2].map((qos) => ids.filter((id) => qosOf(id) === qos))
    assert.deepEqual(idsOf(acknowledged, 'PUBACK'), ones)
    assert.deepEqual(idsOf(acknowledged, 'PUBREC'), twos)
    writer.send(...(twos ?? []).map((id) => acknowledgePacket('PUBREL', id)))
    assert.deepEqual(idsOf(await writer.some(twos?.length ?? 0), 'PUBCOMP'), twos)
    await reader.take(COUNT)
  })

  conforms('PUBRELs come in the order of their PUBRECs', ALL, async (fixture) => {
    const { reader, writer } = await pair(fixture)
    for (let id = 1; id <= 10; id += 1) await writer.publishedTwice({ topic: fixture.topic(), id })
    const ids = (await reader.take(10)).map(({ id }) => id).toReversed()
    reader.send(...ids.map((id) => acknowledgePacket('PUBREC', id)))
    assert.deepEqual(idsOf(await reader.take(10, 'PUBREL'), 'PUBREL'), ids)
  })

  conforms('messages of a client on a topic keep their order', ALL, async (fixture) => {
    const { reader, writer } = await pair(fixture)
    for (const qos of [0, 1, 2]) {
      const payloads = Array.from({ length: COUNT }, (_, index) => `${qos}:${index}`)
      writer.send(
        ...payloads.map((payload, index) =>
          publishPacket(fixture.version, { topic: fixture.topic(), qos, id: index + 1, payload }),
        ),
      )
      const received = await reader.take(COUNT)
      assert.deepEqual(
        received.map(({ payload }) => payload),
        payloads,
      )
      for (const { id } of received) {
        if (qos === 1) reader.acknowledge('PUBACK', id)
        if (qos === 2) reader.acknowledge('PUBREC', id)
      }
      await reader.take(qos === 2 ? COUNT : 0, 'PUBREL')
    }
  })
})
