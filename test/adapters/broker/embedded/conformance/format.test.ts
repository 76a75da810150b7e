/** The format of packets, strings and lengths; errors. MQTT 5.0 and 3.1.1, chapters 1, 2 and 4. */
import assert from 'node:assert/strict'
import {
  ALL,
  allow,
  bytes,
  conformance,
  connectOf,
  EARLIER,
  FIVE,
  packet,
  properties,
  property,
  text,
  valuesOf,
} from './conforms.ts'
import {
  disconnectPacket,
  pingPacket,
  publishPacket,
  subscribePacket,
  unsubscribePacket,
} from './packets.ts'

/** Bytes that are not UTF-8, or that MQTT forbids in a string. */
const ILL_FORMED: [string, Buffer][] = [
  ['NUL', bytes(0x61, 0x00, 0x62)],
  ['a surrogate', bytes(0xed, 0xa0, 0x80)],
  ['a pair of surrogates', bytes(0xed, 0xa0, 0x81, 0xed, 0xb0, 0x80)],
  ['a byte of nothing', bytes(0x61, 0xff)],
  ['a continuation alone', bytes(0x80)],
  ['a sequence cut short', bytes(0xe2, 0x82)],
  ['an overlong slash', bytes(0xc0, 0xaf)],
  ['a code point beyond Unicode', bytes(0xf4, 0x90, 0x80, 0x80)],
]

conformance('strings', {}, (conforms) => {
  conforms('a CONNECT with an ill-formed string is refused', ALL, async (fixture) => {
    const good = { clientId: 'x', username: 'x', password: 'x' }
    for (const [name, wrong] of ILL_FORMED) {
      for (const wish of [
        { ...good, clientId: wrong },
        { ...good, username: wrong },
        { ...good, will: { topic: wrong } },
      ]) {
        const peer = fixture.request(wish)
        const received = await peer.end()
        assert.ok(
          received.every(({ codes }) => codes[0] !== 0),
          name,
        )
      }
    }
  })

  conforms('a PUBLISH with an ill-formed topic ends the connection', ALL, async (fixture) => {
    const witness = await fixture.witness()
    for (const [, wrong] of ILL_FORMED) {
      const peer = await fixture.connect()
      peer.publish({ topic: Buffer.concat([Buffer.from(fixture.topic('')), wrong]) })
      await peer.ends(0x81, 0x82, 0x90)
    }
    await witness.quiet()
  })

  conforms('a filter that is an ill-formed string ends the connection', ALL, async (fixture) => {
    for (const [, wrong] of ILL_FORMED) {
      const filter = Buffer.concat([Buffer.from(fixture.topic('')), wrong])
      for (const some of [
        subscribePacket(fixture.version, 1, [filter]),
        unsubscribePacket(fixture.version, 1, [filter]),
      ]) {
        const peer = await fixture.connect()
        peer.send(some)
        await peer.ends(0x81, 0x82, 0x8f)
      }
    }
  })

  conforms('a property that is an ill-formed string ends the connection', FIVE, async (fixture) => {
    const witness = await fixture.witness()
    for (const [, wrong] of ILL_FORMED) {
      for (const some of [
        property('contentType', wrong),
        property('responseTopic', wrong),
        Buffer.concat([bytes(0x26), text(wrong), text('value')]),
        Buffer.concat([bytes(0x26), text('name'), text(wrong)]),
      ]) {
        const peer = await fixture.connect()
        peer.publish({ topic: fixture.topic(), properties: [some] })
        await peer.ends(0x81, 0x82, 0x90)
      }
    }
    await witness.quiet()
  })

  conforms('a zero width no-break space is kept where it stands', ALL, async (fixture) => {
    const witness = await fixture.witness()
    const peer = await fixture.connect()
    for (const rest of ['\ufeffa', 'a\ufeff', '\ufeff']) {
      await peer.published({ topic: fixture.topic(rest) })
      assert.equal((await witness.next('PUBLISH')).topic, fixture.topic(rest))
    }
    const reader = await fixture.connect({ as: fixture.credential(allow('\ufeff')) })
    await reader.subscribe(['\ufeff', 0])
    reader.publish({ topic: '\ufeff' })
    assert.equal((await reader.next('PUBLISH')).topic, '\ufeff')
  })

  conforms('the replacement character is refused by policy', ALL, async (fixture) => {
    for (const some of [
      publishPacket(fixture.version, { topic: fixture.topic('a\ufffd') }),
      subscribePacket(fixture.version, 1, [fixture.topic('a\ufffd')]),
    ]) {
      const peer = await fixture.connect()
      peer.send(some)
      await peer.ends(0x8f, 0x90)
    }
  })

  conforms('strings of all planes are delivered as they are', FIVE, async (fixture) => {
    const witness = await fixture.witness()
    const peer = await fixture.connect()
    const odd = 'é€😀\u{10fffd}\u0001\u2028'
    const properties = [property('userProperty', [odd, odd]), property('contentType', odd)]
    await peer.published({ topic: fixture.topic(odd), properties })
    const message = await witness.next('PUBLISH')
    assert.equal(message.topic, fixture.topic(odd))
    assert.deepEqual(valuesOf(message, 'userProperty'), [[odd, odd]])
    assert.deepEqual(valuesOf(message, 'contentType'), [odd])
  })
})

conformance('packets', {}, (conforms) => {
  conforms('reserved flags of a packet are checked', ALL, async (fixture) => {
    const { version } = fixture
    for (const wrong of [
      packet(0xc1),
      packet(0xcf),
      packet(0xe1),
      packet(0xe8),
      packet(0x84, bytes(0, 1), properties(version), text(fixture.topic()), bytes(0)),
      packet(0xa0, bytes(0, 1), properties(version), text(fixture.topic())),
    ]) {
      const peer = await fixture.connect()
      peer.send(wrong)
      await peer.ends(0x81)
    }
    const peer = fixture.dial()
    const connect = connectOf(fixture.credential(), { version })
    peer.send(Buffer.concat([bytes(0x11), connect.subarray(1)]))
    const received = await peer.end()
    assert.ok(received.every(({ codes }) => codes[0] !== 0))
  })

  conforms('a packet that only a server sends is an error', ALL, async (fixture) => {
    const none = properties(fixture.version)
    for (const wrong of [
      packet(0x20, bytes(0, 0), none),
      packet(0x90, bytes(0, 1), none, bytes(0)),
      packet(0xb0, bytes(0, 1), none, fixture.version === 5 ? bytes(0) : bytes()),
      packet(0xd0),
    ]) {
      const peer = await fixture.connect()
      peer.send(wrong)
      await peer.ends(0x81, 0x82)
    }
  })

  conforms('a packet type that does not exist is an error', ALL, async (fixture) => {
    const peer = await fixture.connect()
    peer.send(packet(0x00))
    await peer.ends(0x81, 0x82)
  })

  conforms('before MQTT 5 there is no AUTH', EARLIER, async (fixture) => {
    const peer = await fixture.connect()
    peer.send(packet(0xf0))
    await peer.ends()
  })

  conforms('a length has four bytes or fewer', ALL, async (fixture) => {
    const peer = await fixture.connect()
    peer.send(bytes(0x30, 0xff, 0xff, 0xff, 0xff, 0x01))
    await peer.ends(0x81, 0x82, 0x95)
  })

  conforms('a length in a property has its shortest form', FIVE, async (fixture) => {
    const peer = await fixture.connect()
    const identifier = bytes(0x0b, 0x81, 0x00)
    peer.send(packet(0x82, bytes(0, 1, 3), identifier, text(fixture.topic()), bytes(0)))
    await peer.ends(0x81, 0x82)
  })

  conforms('a length of any size is read and written', ALL, async (fixture) => {
    const witness = await fixture.witness()
    const peer = await fixture.connect()
    const head =
      publishPacket(fixture.version, { topic: fixture.topic(), payload: '', qos: 1 }).length - 2
    for (const length of [127, 128, 16_383, 16_384]) {
      await peer.published({ topic: fixture.topic(), payload: 'x'.repeat(length - head) })
      assert.equal((await witness.next('PUBLISH')).payload.length, length - head)
    }
  })

  conforms('a field that is longer than its packet is malformed', ALL, async (fixture) => {
    const { version } = fixture
    for (const wrong of [
      packet(0x30, bytes(0xff, 0xff), Buffer.from('a')),
      packet(0x30),
      packet(0x32, text(fixture.topic()), bytes(1)),
      packet(0x82, bytes(0, 1), properties(version), bytes(0, 9, 97)),
      packet(0x40, bytes(1)),
      packet(0x62),
    ]) {
      const peer = await fixture.connect()
      peer.send(wrong)
      await peer.ends(0x81, 0x82, 0x90)
    }
  })

  conforms('properties that are longer than their packet are malformed', FIVE, async (fixture) => {
    for (const wrong of [
      packet(0x30, text(fixture.topic()), bytes(9), property('payloadFormat', 1)),
      packet(0x30, text(fixture.topic()), bytes(1), property('messageExpiry', 1)),
      packet(0x30, text(fixture.topic())),
      packet(0x82, bytes(0, 1, 200)),
      packet(0x40, bytes(0, 1, 0, 9)),
    ]) {
      const peer = await fixture.connect()
      peer.send(wrong)
      await peer.ends(0x81, 0x82)
    }
  })

  conforms('bytes after the last field of a packet are malformed', ALL, async (fixture) => {
    const more = fixture.version === 5 ? bytes(0, 0, 0) : bytes(0)
    for (const wrong of [
      packet(0x40, bytes(0, 1), more),
      packet(0x62, bytes(0, 1), more),
      packet(0xc0, bytes(0)),
      packet(0xe0, more),
    ]) {
      const peer = await fixture.connect()
      peer.send(wrong)
      await peer.ends(0x81, 0x82)
    }
  })

  conforms('a property of another packet is an error', FIVE, async (fixture) => {
    const wrong = property('contentType', 'a')
    const some = Buffer.concat([bytes(wrong.length), wrong])
    for (const packets of [
      packet(0x40, bytes(0, 1, 0), some),
      packet(0x62, bytes(0, 1, 0), some),
      packet(0x82, bytes(0, 1), some, text(fixture.topic()), bytes(0)),
      packet(0xa2, bytes(0, 1), some, text(fixture.topic())),
      packet(0xe0, bytes(0), some),
    ]) {
      const peer = await fixture.connect()
      peer.send(packets)
      await peer.ends(0x81, 0x82)
    }
  })

  conforms('an error ends its own connection only', ALL, async (fixture) => {
    const bystander = await fixture.connect()
    await bystander.subscribe([fixture.topic(), 0])
    const credential = fixture.credential()
    const sibling = await fixture.connect({ as: credential, clientId: `${credential.clientId}:2` })
    const peer = await fixture.connect({ as: credential })
    peer.send(packet(0x30, bytes(0xff, 0xff)))
    await peer.ends(0x81, 0x82, 0x90)
    await sibling.published({ topic: fixture.topic() })
    await bystander.next('PUBLISH')
  })

  conforms('nothing that follows an error is processed', ALL, async (fixture) => {
    const witness = await fixture.witness()
    const peer = await fixture.connect()
    peer.send(packet(0x00), publishPacket(fixture.version, { topic: fixture.topic(), qos: 1 }))
    const received = await peer.end()
    assert.ok(received.every(({ name }) => name === 'DISCONNECT'))
    await witness.quiet()
  })
})

conformance('PINGREQ and DISCONNECT', {}, (conforms) => {
  conforms('a PINGREQ gets a PINGRESP', ALL, async (fixture) => {
    const peer = await fixture.connect()
    peer.send(pingPacket(), pingPacket(), pingPacket())
    await peer.take(3, 'PINGRESP')
    await peer.quiet()
  })

  conforms(
    'after a DISCONNECT nothing is processed, and the broker closes',
    ALL,
    async (fixture) => {
      const witness = await fixture.witness()
      const peer = await fixture.connect()
      peer.send(disconnectPacket(), publishPacket(fixture.version, { topic: fixture.topic() }))
      assert.deepEqual(await peer.end(), [])
      await witness.quiet()
    },
  )

  conforms('a DISCONNECT has a reason code that a client may send', FIVE, async (fixture) => {
    for (const code of [0x00, 0x04, 0x80, 0x81, 0x82, 0x83, 0x90, 0x93, 0x94, 0x95, 0x97, 0x99]) {
      const peer = await fixture.connect()
      await peer.leave(code, property('reasonString', 'why'), property('userProperty', ['a', 'b']))
    }
    for (const code of [0x01, 0x7f, 0x8e]) {
      const peer = await fixture.connect()
      peer.send(disconnectPacket(code))
      await peer.end()
    }
  })

  conforms('no DISCONNECT comes before the CONNACK', FIVE, async (fixture) => {
    for (const first of [publishPacket(5, { topic: 'a' }), packet(0xf0, bytes(0x18, 0))]) {
      const peer = fixture.dial()
      peer.send(first)
      assert.deepEqual(await peer.end(), [])
    }
  })

  conforms('a session that the service ends gets its code, and the close', ALL, async (fixture) => {
    const [one, other] = [fixture.credential(), fixture.credential()]
    const [first, second] = [
      await fixture.connect({ as: one }),
      await fixture.connect({ as: other }),
    ]
    await fixture.broker.disconnect(one.grant.principalId, 'administrative')
    await first.ends(0x98)
    await fixture.broker.disconnect(other.grant.principalId, 'not_authorized')
    await second.ends(0x87)
  })
})
