/** The codec of the embedded broker, against mqtt-packet and against random bytes. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as fc from 'fast-check'
import { generate, parser, type Packet } from 'mqtt-packet'
import { Message, withIdentifier } from '../../../../src/adapters/broker/embedded/message.ts'
import {
  readAcknowledgement,
  readConnect,
  readDisconnect,
  readPublish,
  readSubscribe,
  readUnsubscribe,
} from '../../../../src/adapters/broker/embedded/codec/packets.ts'
import { PacketError, Reader } from '../../../../src/adapters/broker/embedded/codec/reader.ts'
import { variableSize } from '../../../../src/adapters/broker/embedded/codec/writer.ts'

const reader = new Reader()

/** The reader at the body of a packet. */
function body(packet: Buffer): Reader {
  let at = 1
  while ((packet[at] ?? 0) > 0x7f) at += 1
  return reader.over(packet, at + 1, packet.length)
}

function parsed(bytes: Buffer, protocolVersion: number): Packet {
  const found: Packet[] = []
  const other = parser({ protocolVersion })
  other.on('packet', (packet: Packet) => found.push(packet))
  other.parse(bytes)
  const [packet] = found
  assert.ok(packet)
  return packet
}

const name = fc.stringMatching(/^[a-z0-9/é€😀]{1,40}$/u)
const payload = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes))
const version = fc.constantFrom(4, 5)
const qos = fc.constantFrom(0 as const, 1 as const, 2 as const)
const seconds = fc.integer({ min: 1, max: 1_000_000 })

describe('output of mqtt-packet', () => {
  it('is read as a PUBLISH with all that it says', () => {
    const publish = fc.record({ topic: name, payload, qos, retain: fc.boolean() })
    const properties = fc.record({
      responseTopic: name,
      correlationData: payload,
      contentType: name,
      messageExpiryInterval: seconds,
    })
    fc.assert(
      fc.property(version, publish, properties, (protocolVersion, wanted, given) => {
        const message = { ...wanted, dup: false, messageId: 77 }
        const extra = protocolVersion === 5 ? { properties: given } : {}
        const bytes = generate({ cmd: 'publish', ...message, ...extra }, { protocolVersion })
        const read = readPublish(body(bytes), bytes[0] ?? 0, protocolVersion)
        assert.deepEqual(
          { topic: read.topic, payload: read.payload, qos: read.qos, retain: read.retain },
          { ...wanted },
        )
        assert.equal(read.id, wanted.qos === 0 ? 0 : 77)
        assert.equal(read.responseTopic, protocolVersion === 5 ? given.responseTopic : undefined)
      }),
    )
  })

  it('is read as a CONNECT, a SUBSCRIBE and an UNSUBSCRIBE', () => {
    const connect = fc.record({ clientId: name, username: name, keepalive: fc.nat(65_535) })
    fc.assert(
      fc.property(version, connect, name, seconds, (protocolVersion, wanted, topic, expiry) => {
        const is5 = protocolVersion === 5
        const bytes = generate(
          {
            cmd: 'connect',
            protocolId: 'MQTT',
            protocolVersion,
            clean: true,
            ...wanted,
            password: Buffer.from('secret'),
            will: { topic, payload: Buffer.from('gone'), qos: 1, retain: true },
            ...(is5 ? { properties: { sessionExpiryInterval: expiry } } : {}),
          },
          { protocolVersion },
        )
        const { clientId, username, keepalive, will, properties } = readConnect(body(bytes))
        assert.deepEqual({ clientId, username, keepalive }, { ...wanted })
        assert.equal(will?.message.topic, topic)
        assert.equal(properties.sessionExpiry, is5 ? expiry : undefined)
        const some = { qos: 1, nl: is5, rap: is5, rh: is5 ? 1 : 0 } as const
        const subscriptions = [{ topic, ...some }]
        const asked = generate(
          { cmd: 'subscribe', messageId: 5, subscriptions },
          { protocolVersion },
        )
        assert.deepEqual(readSubscribe(body(asked), protocolVersion).filters, [
          { topic, qos: 1, noLocal: is5, retainAsPublished: is5, retainHandling: some.rh },
        ])
        const left = generate(
          { cmd: 'unsubscribe', messageId: 6, unsubscriptions: [topic] },
          { protocolVersion },
        )
        assert.deepEqual(readUnsubscribe(body(left), protocolVersion), { id: 6, filters: [topic] })
      }),
    )
  })
})

describe('a message', () => {
  it('is written as mqtt-packet reads it', () => {
    const identifiers = fc.uniqueArray(fc.integer({ min: 1, max: 268_435_455 }), { minLength: 1 })
    const how = fc.record({ qos, retain: fc.boolean(), identifiers, alias: fc.nat(9) })
    fc.assert(
      fc.property(version, name, payload, how, (protocolVersion, topic, bytes, wanted) => {
        const isVersion5 = protocolVersion === 5
        const own = isVersion5 ? wanted : { ...wanted, identifiers: undefined, alias: 0 }
        const message = new Message(topic, bytes, 2, false)
        message.take(isVersion5 ? { messageExpiry: 60 } : {})
        const encoded = message.bytesFor({ isVersion5, isTopicKnown: false, ...own })
        const written = own.qos === 0 ? encoded.bytes : withIdentifier(encoded, 300, true)
        const read = parsed(written, protocolVersion) as Extract<Packet, { cmd: 'publish' }>
        assert.deepEqual([read.topic, read.qos, read.retain], [topic, own.qos, own.retain])
        assert.deepEqual(Buffer.from(read.payload), bytes)
        assert.equal(read.dup, own.qos > 0)
        if (own.qos > 0) assert.equal(read.messageId, 300)
        if (!isVersion5) return
        assert.deepEqual([read.properties?.subscriptionIdentifier].flat(), own.identifiers)
        assert.equal(read.properties?.topicAlias ?? 0, own.alias)
        assert.equal(read.properties?.messageExpiryInterval, 60)
      }),
    )
  })

  it('carries user properties on in their order, however often a name comes', () => {
    const pair = (key: string, value: string): Buffer =>
      Buffer.from([
        0x26,
        0,
        key.length,
        ...Buffer.from(key),
        0,
        value.length,
        ...Buffer.from(value),
      ])
    const order = [pair('z', '1'), pair('2', 'b'), pair('1', 'a'), pair('z', '2')]
    const expiry = Buffer.from([0x02, 0, 0, 0, 9])
    const [first, ...others] = order
    const all = Buffer.concat([first ?? expiry, expiry, ...others])
    const rest = Buffer.concat([Buffer.from([0, 1, 0x61, all.length]), all])
    const packet = Buffer.concat([Buffer.from([0x30, rest.length]), rest])
    const read = readPublish(body(packet), 0x30, 5)
    assert.deepEqual(read.forwarded, Buffer.concat(order))
    const plain = { isVersion5: true, qos: 0, retain: false, identifiers: undefined } as const
    const { bytes } = read.bytesFor({ ...plain, alias: 0, isTopicKnown: false })
    assert.ok(bytes.includes(Buffer.concat(order)))
  })
})

describe('random bytes', () => {
  it('are read, or refused as a packet; nothing else happens', () => {
    const readers: ((packet: Reader, first: number, version: number) => unknown)[] = [
      readPublish,
      readConnect,
      (packet, _, version) => readAcknowledgement(packet, version),
      (packet, _, version) => readSubscribe(packet, version),
      (packet, _, version) => readUnsubscribe(packet, version),
      (packet, _, version) => readDisconnect(packet, version),
    ]
    const bytes = fc.uint8Array({ maxLength: 60 }).map((values) => Buffer.from(values))
    fc.assert(
      fc.property(bytes, fc.nat(255), version, fc.constantFrom(...readers), (...given) => {
        const [some, first, protocolVersion, read] = given
        try {
          read(reader.over(some, 0, some.length), first, protocolVersion)
        } catch (error) {
          assert.ok(error instanceof PacketError, String(error))
        }
      }),
      { numRuns: 20_000 },
    )
  })
})

describe('a variable byte integer', () => {
  it('has as many bytes as its value needs', () => {
    const edges = [0, 127, 128, 16_383, 16_384, 2_097_151, 2_097_152, 268_435_455]
    assert.deepEqual(edges.map(variableSize), [1, 1, 2, 2, 3, 3, 4, 4])
  })
})
