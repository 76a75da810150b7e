/** Wills: when they are published, and as what. MQTT 5.0 and 3.1.1, 3.1.2.5 and 3.1.3. */
import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import {
  ALL,
  bytes,
  conformance,
  conformanceOfBoth,
  EARLIER,
  FIVE,
  packet,
  property,
  type Fixture,
  valueOf,
  valuesOf,
} from './conforms.ts'

const will = (fixture: Fixture, more: object = {}) => ({
  topic: fixture.topic('will'),
  payload: 'gone',
  qos: 1,
  ...more,
})

conformance('wills', {}, (conforms) => {
  conforms('a will is published when the network fails', ALL, async (fixture) => {
    const witness = await fixture.witness()
    const peer = await fixture.connect({ will: will(fixture) })
    await witness.quiet()
    await peer.drop()
    const { topic, payload, qos, retain } = await witness.next('PUBLISH')
    assert.deepEqual([topic, payload, qos, retain], [fixture.topic('will'), 'gone', 1, false])
  })

  conforms('a will has the QoS of its flags', ALL, async (fixture) => {
    const witness = await fixture.witness()
    for (const qos of [0, 1, 2]) {
      const peer = await fixture.connect({ will: will(fixture, { qos }) })
      await peer.drop()
      assert.equal((await witness.next('PUBLISH')).qos, qos)
    }
  })

  conforms('a will is deleted by a DISCONNECT', ALL, async (fixture) => {
    const credential = fixture.credential()
    const witness = await fixture.witness()
    const peer = await fixture.connect({ as: credential, will: will(fixture) })
    await peer.leave()
    await fixture.authority.closed(credential)
    await witness.quiet()
  })

  conforms('a DISCONNECT with code 0x04 publishes the will', FIVE, async (fixture) => {
    const witness = await fixture.witness()
    const peer = await fixture.connect({ will: will(fixture) })
    await peer.leave(0x04)
    assert.equal((await witness.next('PUBLISH')).payload, 'gone')
  })

  conforms('without a will nothing is published', ALL, async (fixture) => {
    const credential = fixture.credential()
    const witness = await fixture.witness()
    await (await fixture.connect({ as: credential })).drop()
    await fixture.authority.closed(credential)
    await witness.quiet()
  })

  conforms('a will is published when the broker closes for an error', ALL, async (fixture) => {
    const witness = await fixture.witness()
    const peer = await fixture.connect({ will: will(fixture) })
    peer.send(packet(0x80, bytes(0, 1)))
    await peer.ends(0x81, 0x82)
    assert.equal((await witness.next('PUBLISH')).payload, 'gone')
  })

  conforms('a will is published when its client is silent for too long', ALL, async (fixture) => {
    const witness = await fixture.witness()
    const peer = await fixture.connect({ will: will(fixture), keepalive: 1 })
    await peer.ends(0x8d)
    assert.equal((await witness.next('PUBLISH')).payload, 'gone')
  })

  conforms('a will is published when its session is taken over', ALL, async (fixture) => {
    const credential = fixture.credential()
    const witness = await fixture.witness()
    const first = await fixture.connect({ as: credential, will: will(fixture) })
    const second = await fixture.connect({ as: credential })
    await first.end()
    assert.equal((await witness.next('PUBLISH')).payload, 'gone')
    await second.quiet()
  })

  conforms('a will is retained if its flag says so, else not', ALL, async (fixture) => {
    for (const retain of [true, false]) {
      const topic = fixture.topic(`will/${retain}`)
      const witness = await fixture.witness(topic)
      const peer = await fixture.connect({ will: will(fixture, { topic, retain }) })
      await peer.drop()
      await witness.next('PUBLISH')
      const late = await fixture.connect()
      await late.subscribe(topic)
      if (retain) assert.equal((await late.next('PUBLISH')).retain, true)
      await late.quiet()
      await late.drop()
      await witness.drop()
    }
  })

  conforms('a will is published once', ALL, async (fixture) => {
    const credential = fixture.credential()
    const witness = await fixture.witness()
    const first = await fixture.connect({ as: credential, durable: true, will: will(fixture) })
    await first.drop()
    await witness.next('PUBLISH')
    const second = await fixture.connect({ as: credential, durable: true })
    assert.equal(second.connack?.sessionPresent, true)
    await second.drop()
    await fixture.authority.closed(credential, 2)
    await witness.quiet()
  })

  conforms('an empty will is a message like any other', ALL, async (fixture) => {
    const witness = await fixture.witness()
    await (await fixture.connect({ will: will(fixture, { payload: '' }) })).drop()
    assert.equal((await witness.next('PUBLISH')).payload, '')
  })

  conforms('a will that policy forbids costs the CONNECT', ALL, async (fixture) => {
    const peer = fixture.request({ will: { topic: 'elsewhere/will' } })
    const [connack, ...rest] = await peer.end()
    const code = fixture.version === 5 ? 0x87 : 5
    assert.deepEqual([connack?.name, connack?.codes, rest], ['CONNACK', [code], []])
  })

  conforms('the topic of a will is a topic name', ALL, async (fixture) => {
    for (const rest of ['#', '+/x', 'a\0b']) {
      const peer = fixture.request({ will: { topic: fixture.topic(rest) } })
      const received = await peer.end()
      assert.ok(received.every(({ codes }) => codes[0] !== 0))
    }
  })

  conforms('the expiry of a will begins when it is published', FIVE, async (fixture) => {
    const witness = await fixture.witness()
    const properties = [property('messageExpiry', 1)]
    const peer = await fixture.connect({ will: will(fixture, { properties }) })
    await wait(1_200)
    await peer.drop()
    const message = await witness.next('PUBLISH')
    assert.deepEqual([message.payload, valueOf(message, 'messageExpiry')], ['gone', 1])
  })

  conforms('the properties of a will are published unaltered, in order', FIVE, async (fixture) => {
    const witness = await fixture.witness()
    const pairs = ['b', 'a', 'b', 'a'].map((name, index) => [name, String(index)] as const)
    const peer = await fixture.connect({
      will: will(fixture, {
        properties: [
          property('willDelay', 0),
          property('payloadFormat', 1),
          property('messageExpiry', 90),
          property('contentType', 'text/plain'),
          property('responseTopic', fixture.topic('response')),
          property('correlationData', bytes(0, 255, 1)),
          ...pairs.map((pair) => property('userProperty', pair)),
        ],
      }),
    })
    await peer.drop()
    const message = await witness.next('PUBLISH')
    assert.deepEqual(valuesOf(message, 'userProperty'), pairs)
    assert.equal(valueOf(message, 'payloadFormat'), 1)
    assert.ok([89, 90].includes(valueOf(message, 'messageExpiry') as number))
    assert.equal(valueOf(message, 'contentType'), 'text/plain')
    assert.equal(valueOf(message, 'responseTopic'), fixture.topic('response'))
    assert.deepEqual(valueOf(message, 'correlationData'), bytes(0, 255, 1))
    assert.equal(valueOf(message, 'willDelay'), undefined)
  })
})

const delayed = (fixture: Fixture, seconds: number) =>
  will(fixture, { properties: [property('willDelay', seconds)] })

conformanceOfBoth('delayed wills', {}, (conforms) => {
  conforms('a will is published after its delay', FIVE, async (fixture) => {
    const witness = await fixture.witness()
    const peer = await fixture.connect({ durable: true, will: delayed(fixture, 1) })
    await peer.drop()
    await wait(300)
    await witness.quiet()
    assert.equal((await witness.next('PUBLISH')).payload, 'gone')
  })

  conforms('a client that comes back before the delay leaves no will', FIVE, async (fixture) => {
    const credential = fixture.credential()
    const witness = await fixture.witness()
    const first = await fixture.connect({
      as: credential,
      durable: true,
      will: delayed(fixture, 1),
    })
    await first.drop()
    await fixture.authority.closed(credential)
    const second = await fixture.connect({ as: credential, durable: true })
    await wait(1_500)
    await witness.quiet()
    await second.quiet()
  })

  conforms('a delay ends with the session', FIVE, async (fixture) => {
    const witness = await fixture.witness()
    const peer = await fixture.connect({ will: delayed(fixture, 600) })
    await peer.drop()
    assert.equal((await witness.next('PUBLISH')).payload, 'gone')
    const credential = fixture.credential()
    const kept = await fixture.connect({
      as: credential,
      durable: true,
      will: delayed(fixture, 600),
    })
    await kept.drop()
    await fixture.authority.closed(credential)
    await witness.quiet()
    await fixture.connect({ as: credential, clean: true })
    assert.equal((await witness.next('PUBLISH')).payload, 'gone')
  })

  conforms('a delay ends when the session has expired', FIVE, async (fixture) => {
    const witness = await fixture.witness()
    const peer = await fixture.connect({
      clean: false,
      properties: [property('sessionExpiry', 1)],
      will: delayed(fixture, 600),
    })
    await peer.drop()
    assert.equal((await witness.next('PUBLISH')).payload, 'gone')
  })

  conforms('the will of a durable session is published at once', EARLIER, async (fixture) => {
    const witness = await fixture.witness()
    const peer = await fixture.connect({ durable: true, will: will(fixture) })
    await peer.drop()
    assert.equal((await witness.next('PUBLISH')).payload, 'gone')
  })
})
