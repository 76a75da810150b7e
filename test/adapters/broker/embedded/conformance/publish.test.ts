/** PUBLISH: its flags, topic and properties. MQTT 5.0 and 3.1.1, section 3.3. */
import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import {
  ALL,
  allow,
  bytes,
  conformance,
  conformanceOfBoth,
  EARLIER,
  FIVE,
  packet,
  properties,
  property,
  text,
  valueOf,
  valuesOf,
} from './conforms.ts'
import { publishPacket } from './packets.ts'

conformance('PUBLISH', {}, (conforms) => {
  conforms('the DUP flag of a message is not passed on', ALL, async (fixture) => {
    const witness = await fixture.witness()
    const peer = await fixture.connect()
    await peer.published({ topic: fixture.topic(), dup: true })
    peer.publish({ topic: fixture.topic(), dup: true, qos: 2 })
    await peer.next('PUBREC')
    peer.acknowledge('PUBREL', 1)
    for (const { dup } of await witness.take(2)) assert.equal(dup, false)
  })

  conforms('a message of QoS 0 has no DUP flag', ALL, async (fixture) => {
    const peer = await fixture.connect()
    peer.publish({ topic: fixture.topic(), dup: true })
    await peer.ends(0x81, 0x82)
  })

  conforms('a message of QoS 3 ends the connection', ALL, async (fixture) => {
    const peer = await fixture.connect()
    peer.publish({ topic: fixture.topic(), qos: 3 })
    await peer.ends(0x81)
  })

  conforms('a message of QoS 1 or 2 has a packet identifier above 0', ALL, async (fixture) => {
    for (const first of [0x32, 0x34]) {
      const none = properties(fixture.version)
      for (const wrong of [
        packet(first, text(fixture.topic()), bytes(0, 0), none),
        packet(first, text(fixture.topic())),
      ]) {
        const peer = await fixture.connect()
        peer.send(wrong)
        await peer.ends(0x81, 0x82)
      }
    }
  })

  conforms('a message of QoS 0 has no packet identifier', ALL, async (fixture) => {
    const witness = await fixture.witness()
    const peer = await fixture.connect()
    peer.publish({ topic: fixture.topic(), payload: '\x00\x01' })
    const { payload, qos } = await witness.next('PUBLISH')
    assert.deepEqual([payload, qos], ['\x00\x01', 0])
    await peer.quiet()
  })

  conforms('a topic with a wildcard is refused', ALL, async (fixture) => {
    for (const rest of ['#', '+', 'a/+/b', 'a#', 'a+']) {
      const peer = await fixture.connect()
      peer.publish({ topic: fixture.topic(rest) })
      await peer.ends(0x81, 0x82, 0x90)
    }
  })

  conforms('a topic has at least one character', ALL, async (fixture) => {
    const peer = await fixture.connect()
    peer.publish({ topic: '' })
    await peer.ends(0x81, 0x82, 0x90)
  })

  conforms('a topic of 65,535 bytes is delivered', ALL, async (fixture) => {
    const witness = await fixture.witness()
    const peer = await fixture.connect()
    const topic = fixture.topic('t'.repeat(65_535 - fixture.topic('').length))
    await peer.published({ topic })
    assert.equal((await witness.next('PUBLISH')).topic, topic)
  })

  conforms('a topic that differs only by normalization is another one', ALL, async (fixture) => {
    const peer = await fixture.connect()
    const topics = ['a', 'A', 'a/', '/a', 'a//b', 'a/b', 'a ', '\u00e9', 'e\u0301', '\ufb01']
    for (const topic of topics) await peer.subscribe([fixture.topic(topic), 0])
    for (const topic of topics) {
      peer.publish({ topic: fixture.topic(topic) })
      assert.equal((await peer.next('PUBLISH')).topic, fixture.topic(topic))
    }
    await peer.quiet()
  })

  conforms('a payload may be empty, binary and large', ALL, async (fixture) => {
    const witness = await fixture.witness()
    const peer = await fixture.connect()
    for (const payload of ['', 'x'.repeat(100_000)]) {
      await peer.published({ topic: fixture.topic(), payload })
      assert.equal((await witness.next('PUBLISH')).payload, payload)
    }
    await peer.published({ topic: fixture.topic(), payload: bytes(0xff, 0, 0xc3, 0x28) })
    const { bytes: whole } = await witness.next('PUBLISH')
    assert.deepEqual(whole.subarray(-4), bytes(0xff, 0, 0xc3, 0x28))
  })

  conforms('a message that is refused is acknowledged before MQTT 5', EARLIER, async (fixture) => {
    const witness = await fixture.witness()
    const peer = await fixture.connect({ as: fixture.credential(allow(fixture.topic('mine'))) })
    await peer.published({ topic: fixture.topic('other') })
    await peer.publishedTwice({ topic: fixture.topic('other') })
    await witness.quiet()
  })

  conforms('a message that is refused gets its code in MQTT 5', FIVE, async (fixture) => {
    const witness = await fixture.witness()
    const peer = await fixture.connect({ as: fixture.credential(allow(fixture.topic('mine'))) })
    for (const topic of [fixture.topic('other'), '$SYS/broker', '$share/a/b']) {
      assert.equal(await peer.published({ topic }), 0x87)
      peer.publish({ topic, qos: 2, id: 4 })
      assert.deepEqual((await peer.next('PUBREC')).codes, [0x87])
      peer.publish({ topic })
    }
    assert.ok([0, 0x10].includes(await peer.published({ topic: fixture.topic('mine') })))
    assert.equal((await witness.next('PUBLISH')).topic, fixture.topic('mine'))
    await witness.quiet()
  })
})

conformanceOfBoth('retained messages', {}, (conforms) => {
  conforms('a retained message is replaced, and deleted by an empty one', ALL, async (fixture) => {
    const writer = await fixture.connect()
    const topic = fixture.topic()
    const kept = async (): Promise<string[]> => {
      const reader = await fixture.connect()
      await reader.subscribe(topic)
      await writer.published({ topic, payload: 'live' })
      const received: string[] = []
      while (received.at(-1) !== 'live') received.push((await reader.next('PUBLISH')).payload)
      await reader.drop()
      return received.slice(0, -1)
    }
    for (const [qos, payload] of [
      [1, 'first'],
      [0, 'second'],
    ] as const) {
      writer.publish({ topic, payload, qos, retain: true })
      if (qos === 1) await writer.next('PUBACK')
      await writer.quiet()
      assert.deepEqual(await kept(), [payload])
    }
    await writer.published({ topic, payload: 'not retained' })
    assert.deepEqual(await kept(), ['second'])
    const reader = await fixture.connect()
    await reader.subscribe(topic)
    await reader.next('PUBLISH')
    await writer.published({ topic, payload: '', retain: true })
    const deletion = await reader.next('PUBLISH')
    assert.deepEqual([deletion.payload, deletion.retain], ['', false])
    assert.deepEqual(await kept(), [])
  })

  conforms('the retain flag is set for new subscriptions only', EARLIER, async (fixture) => {
    const [writer, live] = [await fixture.connect(), await fixture.connect()]
    await live.subscribe(fixture.topic())
    await writer.published({ topic: fixture.topic(), payload: 'kept', retain: true })
    assert.equal((await live.next('PUBLISH')).retain, false)
    const late = await fixture.connect()
    await late.subscribe(fixture.topic('+'))
    assert.equal((await late.next('PUBLISH')).retain, true)
  })

  conforms('a retained message has the lower QoS of the two', ALL, async (fixture) => {
    const writer = await fixture.connect()
    await writer.publishedTwice({ topic: fixture.topic('two'), retain: true })
    writer.publish({ topic: fixture.topic('zero'), retain: true })
    await writer.quiet()
    for (const [filter, options, qos] of [
      ['two', 0, 0],
      ['two', 1, 1],
      ['two', 2, 2],
      ['zero', 2, 0],
    ] as const) {
      const reader = await fixture.connect()
      await reader.subscribe([fixture.topic(filter), options])
      assert.equal((await reader.next('PUBLISH')).qos, qos)
      await reader.drop()
    }
  })

  conforms('retained messages of all matching topics are sent', ALL, async (fixture) => {
    const writer = await fixture.connect()
    for (const rest of ['a', 'a/b', 'b/c']) {
      await writer.published({ topic: fixture.topic(rest), payload: rest, retain: true })
    }
    const reader = await fixture.connect()
    await reader.subscribe(fixture.topic('#'))
    const received = (await reader.take(3)).map(({ payload }) => payload)
    assert.deepEqual(received.toSorted(), ['a', 'a/b', 'b/c'])
    await reader.subscribe(fixture.topic('a/#'))
    const again = (await reader.take(2)).map(({ payload }) => payload)
    assert.deepEqual(again.toSorted(), ['a', 'a/b'])
    await reader.quiet()
  })

  conforms('a retained message keeps its properties, and expires', FIVE, async (fixture) => {
    const writer = await fixture.connect()
    const some = [property('contentType', 'text/plain'), property('userProperty', ['a', 'b'])]
    const topic = fixture.topic()
    await writer.published({
      topic,
      retain: true,
      properties: [...some, property('messageExpiry', 60)],
    })
    await wait(1_100)
    const reader = await fixture.connect()
    await reader.subscribe(topic)
    const message = await reader.next('PUBLISH')
    assert.equal(valueOf(message, 'contentType'), 'text/plain')
    assert.deepEqual(valueOf(message, 'userProperty'), ['a', 'b'])
    assert.ok([57, 58, 59].includes(valueOf(message, 'messageExpiry') as number))
    await writer.published({ topic, retain: true, properties: [property('messageExpiry', 1)] })
    await wait(1_100)
    const late = await fixture.connect()
    await late.subscribe(topic)
    await late.quiet()
  })
})

conformance('message properties', {}, (conforms) => {
  conforms('the properties of a message are delivered unaltered', FIVE, async (fixture) => {
    const witness = await fixture.witness()
    const peer = await fixture.connect()
    await peer.published({
      topic: fixture.topic(),
      properties: [
        property('payloadFormat', 1),
        property('contentType', 'text/plain; charset=utf-8'),
        property('responseTopic', fixture.topic('response')),
        property('correlationData', bytes(0, 1, 254, 255)),
      ],
    })
    const message = await witness.next('PUBLISH')
    assert.equal(valueOf(message, 'payloadFormat'), 1)
    assert.equal(valueOf(message, 'contentType'), 'text/plain; charset=utf-8')
    assert.equal(valueOf(message, 'responseTopic'), fixture.topic('response'))
    assert.deepEqual(valueOf(message, 'correlationData'), bytes(0, 1, 254, 255))
    await peer.published({
      topic: fixture.topic(),
      properties: [property('payloadFormat', 0), property('correlationData', '')],
    })
    const plain = await witness.next('PUBLISH')
    assert.ok([undefined, 0].includes(valueOf(plain, 'payloadFormat') as number | undefined))
    assert.equal(valueOf(plain, 'contentType'), undefined)
    assert.equal((valueOf(plain, 'correlationData') as Buffer).length, 0)
  })

  conforms('user properties keep their order, and may repeat', FIVE, async (fixture) => {
    const witness = await fixture.witness()
    const peer = await fixture.connect()
    const pairs = [
      ['b', '1'],
      ['a', '2'],
      ['b', '3'],
      ['', ''],
      ['__proto__', 'x'],
      ['constructor', 'y'],
      ['a', '2'],
      ['1', 'first'],
    ] as const
    await peer.published({
      topic: fixture.topic(),
      properties: pairs.map((pair) => property('userProperty', pair)),
    })
    assert.deepEqual(valuesOf(await witness.next('PUBLISH'), 'userProperty'), pairs)
  })

  conforms('a payload that is said to be text is not altered', FIVE, async (fixture) => {
    const witness = await fixture.witness()
    const peer = await fixture.connect()
    const payload = bytes(0xff, 0xfe, 0x41)
    const properties = [property('payloadFormat', 1)]
    // The broker is free to check it (0x99), and leaves that to the receivers.
    assert.equal(await peer.published({ topic: fixture.topic(), payload, properties }), 0)
    assert.deepEqual((await witness.next('PUBLISH')).bytes.subarray(-3), payload)
  })

  conforms(
    'a property of a message occurs once, where it is allowed, in its range',
    FIVE,
    async (fixture) => {
      for (const wrong of [
        [property('payloadFormat', 2)],
        [property('payloadFormat', 0), property('payloadFormat', 0)],
        [property('messageExpiry', 0), property('messageExpiry', 0)],
        [property('contentType', 'a'), property('contentType', 'b')],
        [property('subscriptionIdentifier', 1)],
        [property('sessionExpiry', 1)],
        [property('reasonString', 'a')],
        [bytes(0x7f, 0)],
        [bytes(0x03, 0xff, 0xff)],
      ]) {
        const peer = await fixture.connect()
        peer.publish({ topic: fixture.topic(), properties: wrong })
        await peer.ends(0x81, 0x82)
      }
    },
  )

  conforms(
    'a subscription identifier in a message of a client is an error',
    FIVE,
    async (fixture) => {
      const peer = await fixture.connect()
      const properties = [property('subscriptionIdentifier', 5)]
      peer.publish({ topic: fixture.topic(), properties })
      await peer.ends(0x82)
    },
  )

  conforms('a response topic is a topic name', FIVE, async (fixture) => {
    for (const topic of ['a/#', '+', fixture.topic('+/a')]) {
      const peer = await fixture.connect()
      peer.publish({ topic: fixture.topic(), properties: [property('responseTopic', topic)] })
      await peer.ends(0x81, 0x82, 0x90)
    }
  })

  conforms('a message expiry is counted down, and ends the wait', FIVE, async (fixture) => {
    const credential = fixture.credential()
    const wish = { as: credential, durable: true }
    const reader = await fixture.connect(wish)
    await reader.subscribe(fixture.topic('#'))
    await reader.drop()
    const writer = await fixture.connect()
    for (const [rest, seconds] of [
      ['short', 1],
      ['long', 60],
    ] as const) {
      const properties = [property('messageExpiry', seconds)]
      await writer.published({ topic: fixture.topic(rest), properties })
    }
    await writer.published({ topic: fixture.topic('none') })
    await wait(1_200)
    const back = await fixture.connect(wish)
    const [long, none] = await back.take(2)
    assert.equal(long?.topic, fixture.topic('long'))
    assert.ok([57, 58, 59].includes(valueOf(long, 'messageExpiry') as number))
    assert.equal(none?.topic, fixture.topic('none'))
    assert.equal(valueOf(none, 'messageExpiry'), undefined)
    await back.quiet()
  })

  conforms('a message that is delivered at once has its whole expiry', FIVE, async (fixture) => {
    const witness = await fixture.witness()
    const peer = await fixture.connect()
    await peer.published({ topic: fixture.topic(), properties: [property('messageExpiry', 100)] })
    const left = valueOf(await witness.next('PUBLISH'), 'messageExpiry')
    assert.ok([99, 100].includes(left as number))
  })

  conforms('MQTT 3 clients get messages of MQTT 5 without properties', EARLIER, async (fixture) => {
    const reader = await fixture.connect()
    await reader.subscribe(fixture.topic())
    const writer = await fixture.connect({ version: 5 })
    await writer.published({
      topic: fixture.topic(),
      payload: 'text',
      properties: [property('contentType', 'text/plain'), property('userProperty', ['a', 'b'])],
    })
    assert.equal((await reader.next('PUBLISH')).payload, 'text')
  })

  conforms('a message is read in whatever pieces it comes', ALL, async (fixture) => {
    const witness = await fixture.witness()
    const peer = await fixture.connect()
    const { version } = fixture
    const one = publishPacket(version, { topic: fixture.topic(), payload: 'y'.repeat(300), qos: 1 })
    for (let at = 0; at < one.length; at += 7) {
      peer.send(one.subarray(at, at + 7))
      await new Promise((resolve) => setImmediate(resolve))
    }
    await peer.next('PUBACK')
    assert.equal((await witness.next('PUBLISH')).payload.length, 300)
  })
})
