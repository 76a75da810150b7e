/** CONNECT and CONNACK: MQTT 5.0 and 3.1.1, sections 3.1 and 3.2. */
import assert from 'node:assert/strict'
import { connectPacket } from '../../raw-client.ts'
import {
  ALL,
  bytes,
  conformance,
  connectOf,
  EARLIER,
  FIVE,
  packet,
  type Peer,
  properties,
  property,
  text,
  valueOf,
} from './conforms.ts'
import { pingPacket, publishPacket, subscribePacket, type Version } from './packets.ts'

/** A CONNECT whose flags and payload are as given, whatever they say together. */
function oddConnect(version: Version, flags: number, ...payload: (string | Buffer)[]): Buffer {
  return packet(
    0x10,
    text(version === 3 ? 'MQIsdp' : 'MQTT'),
    bytes(version, flags, 0, 60),
    properties(version),
    ...payload.map((part) => (typeof part === 'string' ? text(part) : part)),
  )
}

/** A malformed CONNECT is answered by the close alone, or in MQTT 5 by a CONNACK before it. */
async function isRefused(peer: Peer, ...codes: number[]): Promise<void> {
  const received = await peer.end()
  if (peer.version < 5) return assert.deepEqual(received, [])
  assert.ok(received.length <= 1)
  for (const { name, codes: sent } of received) {
    assert.equal(name, 'CONNACK')
    assert.ok(codes.includes(sent[0] ?? 0), `0x${sent[0]?.toString(16)}`)
  }
}

conformance('CONNECT', {}, (conforms) => {
  conforms('the first packet of a client is a CONNECT', ALL, async (fixture) => {
    const { version } = fixture
    for (const first of [
      publishPacket(version, { topic: fixture.topic() }),
      subscribePacket(version, 1, [fixture.topic()]),
      pingPacket(),
      packet(0xe0),
    ]) {
      const peer = fixture.dial()
      peer.send(first, connectOf(fixture.credential(), { version }))
      assert.deepEqual(await peer.end(), [])
    }
  })

  conforms('a second CONNECT ends the connection', ALL, async (fixture) => {
    const credential = fixture.credential()
    const peer = await fixture.connect({ as: credential })
    peer.send(connectOf(credential, { version: fixture.version }))
    await peer.ends(0x82)
  })

  conforms('a protocol name of something else is refused', [4, 5], async (fixture) => {
    for (const name of ['MQTX', 'mqtt', 'MQTT ', '']) {
      const peer = fixture.dial()
      peer.send(packet(0x10, text(name), bytes(fixture.version, 2, 0, 60), bytes(0), text('x')))
      const received = await peer.end()
      assert.ok(received.every(({ codes }) => codes[0] !== 0))
    }
  })

  conforms('a protocol level that does not exist gets its code', [4], async (fixture) => {
    for (const level of [0, 2, 6, 127]) {
      const peer = fixture.dial()
      peer.send(packet(0x10, text('MQTT'), bytes(level, 2, 0, 60), text('x')))
      const [connack, ...rest] = await peer.end()
      assert.deepEqual([connack?.name, connack?.codes, rest], ['CONNACK', [1], []])
    }
  })

  conforms('the reserved flag of a CONNECT is 0', ALL, async (fixture) => {
    const peer = fixture.dial()
    peer.send(oddConnect(fixture.version, 0x03, 'x'))
    await isRefused(peer, 0x81, 0x82)
  })

  conforms('a will of QoS 3 is refused', ALL, async (fixture) => {
    const { version } = fixture
    const peer = fixture.dial()
    peer.send(oddConnect(version, 0x1e, 'x', properties(version), 'topic', 'payload'))
    await isRefused(peer, 0x81, 0x82)
  })

  conforms('without a will its QoS and its retain flag are 0', ALL, async (fixture) => {
    for (const flags of [0x0a, 0x12, 0x22]) {
      const peer = fixture.dial()
      peer.send(oddConnect(fixture.version, flags, 'x'))
      await isRefused(peer, 0x81, 0x82)
    }
  })

  conforms('the fields of a CONNECT are those that its flags name', ALL, async (fixture) => {
    const { version } = fixture
    const none = properties(version)
    const odd: [number, ...(string | Buffer)[]][] = [
      [0x02],
      [0x02, 'x', 'too much'],
      [0x06, 'x', none],
      [0x06, 'x', none, 'topic'],
      [0x82, 'x'],
      [0xc2, 'x', 'user'],
      [0xc2, 'x', 'user', 'password', 'too much'],
      [0xc6, 'x', none, 'topic', 'payload', 'user'],
    ]
    for (const [flags, ...payload] of odd) {
      const peer = fixture.dial()
      peer.send(oddConnect(version, flags, ...payload))
      await isRefused(peer, 0x81, 0x82)
    }
  })

  conforms('a CONNECT with all fields in their order is accepted', ALL, async (fixture) => {
    const will = { topic: fixture.topic('will'), payload: 'gone', qos: 2, retain: true }
    await (await fixture.connect({ will })).quiet()
  })

  conforms('before MQTT 5 a password needs a user name', EARLIER, async (fixture) => {
    const peer = fixture.dial()
    peer.send(oddConnect(fixture.version, 0x42, 'x', 'password'))
    await isRefused(peer)
  })

  conforms(
    'in MQTT 5 a password without a user name is refused by policy',
    FIVE,
    async (fixture) => {
      const peer = fixture.dial()
      peer.send(oddConnect(5, 0x42, 'x', 'password'))
      const [connack] = await peer.end()
      assert.deepEqual([connack?.name, connack?.codes], ['CONNACK', [0x86]])
    },
  )

  conforms('client ids of 1 to 23 letters and digits are accepted', ALL, async (fixture) => {
    for (const clientId of ['a', 'Z9', '0123456789abcdefghijABC']) {
      const credential = fixture.credential()
      credential.clientId = clientId
      await (await fixture.connect({ as: credential })).quiet()
    }
  })

  conforms('an empty client id is refused, since policy assigns none', ALL, async (fixture) => {
    for (const durable of [true, false]) {
      const peer = fixture.request({ clientId: '', durable })
      const [connack, ...rest] = await peer.end()
      const code = fixture.version === 5 ? 0x85 : 2
      assert.deepEqual([connack?.name, connack?.codes, rest], ['CONNACK', [code], []])
      assert.equal(connack?.sessionPresent, false)
      assert.equal(valueOf(connack, 'assignedClientId'), undefined)
    }
  })

  conforms('a client id of somebody else is refused with its code', ALL, async (fixture) => {
    const peer = fixture.request({ clientId: fixture.credential().clientId })
    const [connack] = await peer.end()
    assert.deepEqual(connack?.codes, [fixture.version === 5 ? 0x85 : 2])
  })

  conforms('a refusal has its code, no session, and the close', ALL, async (fixture) => {
    const credential = fixture.credential()
    const first = await fixture.connect({ as: credential, durable: true })
    await first.drop()
    const peer = fixture.request({ as: credential, durable: true, password: 'wrong' })
    const [connack, ...rest] = await peer.end()
    assert.deepEqual(connack?.codes, [fixture.version === 5 ? 0x86 : 4])
    assert.equal(connack?.sessionPresent, false)
    assert.deepEqual(rest, [])
  })

  conforms('nothing that follows a refused CONNECT is processed', ALL, async (fixture) => {
    const { version } = fixture
    const witness = await fixture.witness()
    const peer = fixture.dial()
    peer.send(
      connectOf(fixture.credential(), { version, password: 'wrong' }),
      publishPacket(version, { topic: fixture.topic(), payload: 'refused', qos: 1 }),
      subscribePacket(version, 1, [fixture.topic()]),
    )
    assert.deepEqual((await peer.end()).length, 1)
    await witness.quiet()
  })

  conforms('a CONNACK comes once, before everything else', ALL, async (fixture) => {
    const { version } = fixture
    const peer = fixture.dial()
    peer.send(
      connectOf(fixture.credential(), { version }),
      subscribePacket(version, 9, [fixture.topic()]),
      publishPacket(version, { topic: fixture.topic(), qos: 1 }),
      pingPacket(),
    )
    await peer.next('CONNACK')
    const names = (await peer.some(4)).map(({ name }) => name)
    assert.deepEqual(names.toSorted(), ['PINGRESP', 'PUBACK', 'PUBLISH', 'SUBACK'])
  })

  conforms('another connection of a client takes its session over', ALL, async (fixture) => {
    const credential = fixture.credential()
    const first = await fixture.connect({ as: credential })
    const second = await fixture.connect({ as: credential })
    await first.ends(0x8e)
    await second.quiet()
  })

  conforms('two client ids are two sessions', ALL, async (fixture) => {
    const credential = fixture.credential()
    const one = await fixture.connect({ as: credential })
    const other = await fixture.connect({ as: credential, clientId: `${credential.clientId}:2` })
    await one.subscribe(fixture.topic('one'))
    await other.published({ topic: fixture.topic('one'), payload: 'here' })
    assert.equal((await one.next('PUBLISH')).payload, 'here')
    await other.quiet()
  })

  conforms('a CONNECT is read in whatever pieces it comes', ALL, async (fixture) => {
    const whole = connectOf(fixture.credential(), { version: fixture.version })
    const peer = fixture.dial()
    for (const byte of whole) {
      peer.send(bytes(byte))
      await new Promise((resolve) => setImmediate(resolve))
    }
    assert.deepEqual((await peer.next('CONNACK')).codes, [0])
  })

  conforms('TLS carries packets both ways, in whatever pieces they come', ALL, async (fixture) => {
    const { version } = fixture
    const peer = fixture.dialTls()
    for (const byte of connectOf(fixture.credential(), { version })) peer.send(bytes(byte))
    assert.deepEqual((await peer.next('CONNACK')).codes, [0])
    await peer.subscribe([fixture.topic(), 0])
    // The payload takes more than one TLS record.
    const payload = 'x'.repeat(50_000)
    const whole = publishPacket(version, { topic: fixture.topic(), payload })
    peer.send(whole.subarray(0, 30_000))
    peer.send(whole.subarray(30_000))
    assert.equal((await peer.next('PUBLISH')).payload, payload)
  })
})

const TWICE = ['receiveMaximum', 'maximumPacketSize', 'topicAliasMaximum', 'sessionExpiry'] as const

conformance('CONNECT properties', {}, (conforms) => {
  conforms(
    'a property of a CONNECT occurs once, where it is allowed, in its range',
    FIVE,
    async (fixture) => {
      const one = { clientId: 'x', username: 'x', password: 'x', version: 5 }
      const refused: Buffer[][] = [
        ...TWICE.map((name) => [property(name, 9), property(name, 9)]),
        [property('receiveMaximum', 0)],
        [property('maximumPacketSize', 0)],
        [property('requestProblemInformation', 2)],
        [property('requestResponseInformation', 2)],
        [property('authenticationData', 'data')],
        [property('topicAlias', 1)],
        [property('contentType', 'text')],
        [bytes(0x7f, 1)],
        [bytes(0x21, 1)],
      ]
      for (const some of refused) {
        const peer = fixture.dial()
        peer.send(connectPacket({ ...one, properties: some }))
        await isRefused(peer, 0x81, 0x82)
      }
    },
  )

  conforms(
    'a property of a will occurs where it is allowed, in its range',
    FIVE,
    async (fixture) => {
      for (const wrong of [
        [property('payloadFormat', 2)],
        [property('topicAlias', 1)],
        [property('willDelay', 1), property('willDelay', 1)],
        [property('responseTopic', 'a/#')],
      ]) {
        const will = { topic: fixture.topic(), properties: wrong }
        await isRefused(fixture.request({ will }), 0x81, 0x82, 0x90)
      }
    },
  )

  conforms('a CONNACK says what the broker supports', FIVE, async (fixture) => {
    const { connack } = await fixture.connect()
    for (const name of ['retainAvailable', 'wildcardAvailable', 'sharedAvailable'] as const) {
      assert.ok([undefined, 1].includes(valueOf(connack, name) as number | undefined), name)
    }
    assert.ok([undefined, 1].includes(valueOf(connack, 'subscriptionIdentifiersAvailable') as 1))
    assert.equal(valueOf(connack, 'maximumQos'), undefined)
    assert.equal(valueOf(connack, 'assignedClientId'), undefined)
    assert.equal(valueOf(connack, 'authenticationMethod'), undefined)
    const names = connack?.properties.map(({ name }) => name) ?? []
    assert.equal(new Set(names).size, names.length)
    assert.equal(valueOf(connack, 'maximumPacketSize'), 262_144)
    assert.ok(Number(valueOf(connack, 'receiveMaximum') ?? 65_535) > 0)
  })

  conforms('response information is only returned on request', FIVE, async (fixture) => {
    for (const wanted of [0, 1]) {
      const { connack } = await fixture.connect({
        properties: [property('requestResponseInformation', wanted)],
      })
      assert.equal(valueOf(connack, 'responseInformation'), undefined)
    }
  })

  conforms('a shorter session expiry than requested is reported', FIVE, async (fixture) => {
    for (const seconds of [604_801, 0xffff_ffff]) {
      const { connack } = await fixture.connect({
        properties: [property('sessionExpiry', seconds)],
      })
      assert.equal(valueOf(connack, 'sessionExpiry'), 604_800)
    }
    const { connack } = await fixture.connect({ properties: [property('sessionExpiry', 30)] })
    assert.ok([undefined, 30].includes(valueOf(connack, 'sessionExpiry') as number | undefined))
  })

  conforms('the keepalive that a client asked for is kept', FIVE, async (fixture) => {
    const { connack } = await fixture.connect({ keepalive: 45 })
    assert.ok([undefined, 45].includes(valueOf(connack, 'serverKeepAlive') as number | undefined))
  })

  conforms('an authentication method is refused, since there is none', FIVE, async (fixture) => {
    const peer = fixture.request({
      properties: [
        property('authenticationMethod', 'SCRAM-SHA-256'),
        property('authenticationData', 'n,,n=x'),
      ],
    })
    const [connack, ...rest] = await peer.end()
    assert.deepEqual([connack?.name, connack?.codes, rest], ['CONNACK', [0x8c], []])
  })

  conforms('without an authentication method no AUTH is sent or taken', FIVE, async (fixture) => {
    const peer = await fixture.connect()
    assert.equal(valueOf(peer.connack, 'authenticationMethod'), undefined)
    peer.send(packet(0xf0, bytes(0x19), properties(5)))
    await peer.ends(0x82)
  })

  conforms('the reserved flags of an AUTH are 0', FIVE, async (fixture) => {
    const peer = await fixture.connect()
    peer.send(packet(0xf1, bytes(0x19), properties(5)))
    await peer.ends(0x81, 0x82)
  })
})

const KEEPALIVE = { keepAliveSeconds: 1 }

conformance('keepalive', KEEPALIVE, (conforms) => {
  conforms('a client that is silent for too long is disconnected', ALL, async (fixture) => {
    const peer = await fixture.connect({ keepalive: 1 })
    await peer.ends(0x8d)
  })

  conforms('a shorter keepalive than requested is reported and enforced', FIVE, async (fixture) => {
    const peers = await Promise.all([0, 600].map((keepalive) => fixture.connect({ keepalive })))
    for (const peer of peers) {
      assert.equal(valueOf(peer.connack, 'serverKeepAlive'), 1)
      await peer.ends(0x8d)
    }
  })
})
