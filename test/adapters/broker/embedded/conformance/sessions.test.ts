/** Sessions: stored state, resumption and resending. MQTT 5.0 and 3.1.1, 3.1.2, 4.1 and 4.4. */
import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import {
  ALL,
  conformanceOfBoth,
  EARLIER,
  FIVE,
  type Peer,
  property,
  type Fixture,
  valueOf,
} from './conforms.ts'
import type { Received } from './packets.ts'

const idsOf = (received: Received[]): number[] => received.map(({ id }) => id)
const payloadsOf = (received: Received[]): string[] => received.map(({ payload }) => payload)

/** A durable client that is subscribed with QoS 2, and another one that publishes to it. */
async function pair(fixture: Fixture, receiveMaximum?: number) {
  const credential = fixture.credential()
  const wish = {
    as: credential,
    durable: true,
    ...(receiveMaximum !== undefined && {
      properties: [property('receiveMaximum', receiveMaximum)],
    }),
  }
  const reader = await fixture.connect(wish)
  assert.deepEqual(await reader.subscribe([fixture.topic('#'), 2]), [2])
  const writer = await fixture.connect()
  const comeBack = async (): Promise<Peer> => {
    const peer = await fixture.connect(wish)
    assert.equal(peer.connack?.sessionPresent, true)
    return peer
  }
  return { reader, writer, comeBack, credential }
}

conformanceOfBoth('sessions', {}, (conforms) => {
  conforms('a clean start discards the session before', ALL, async (fixture) => {
    const { reader, writer, credential } = await pair(fixture)
    await reader.drop()
    await writer.published({ topic: fixture.topic() })
    const clean = await fixture.connect({ as: credential, durable: true, clean: true })
    assert.equal(clean.connack?.sessionPresent, false)
    await writer.published({ topic: fixture.topic() })
    await clean.quiet()
    await clean.drop()
  })

  conforms('a session is created if there is none', ALL, async (fixture) => {
    const peer = await fixture.connect({ durable: true })
    assert.equal(peer.connack?.sessionPresent, false)
    await peer.subscribe(fixture.topic())
    await peer.quiet()
  })

  conforms('a session is resumed with its subscriptions', ALL, async (fixture) => {
    const { reader, writer, comeBack } = await pair(fixture)
    await reader.drop()
    const back = await comeBack()
    await writer.published({ topic: fixture.topic(), payload: 'live' })
    assert.equal((await back.next('PUBLISH')).payload, 'live')
  })

  conforms('messages of QoS 1 and 2 wait for a client that is away', ALL, async (fixture) => {
    const { reader, writer, comeBack } = await pair(fixture)
    await reader.leave()
    const topic = fixture.topic()
    await writer.published({ topic, payload: 'one' })
    await writer.publishedTwice({ topic, payload: 'two' })
    await writer.published({ topic, payload: 'three' })
    const back = await comeBack()
    const received = await back.take(3)
    assert.deepEqual(payloadsOf(received), ['one', 'two', 'three'])
    assert.deepEqual(
      received.map(({ qos, dup }) => [qos, dup]),
      [
        [1, false],
        [2, false],
        [1, false],
      ],
    )
  })

  conforms(
    'a session resumed without an expiry gets its queued messages',
    FIVE,
    async (fixture) => {
      const { reader, writer, credential } = await pair(fixture)
      await reader.drop()
      await writer.published({ topic: fixture.topic(), payload: 'one' })
      await writer.publishedTwice({ topic: fixture.topic(), payload: 'two' })
      const back = await fixture.connect({ as: credential, clean: false })
      assert.equal(back.connack?.sessionPresent, true)
      assert.deepEqual(payloadsOf(await back.take(2)), ['one', 'two'])
    },
  )

  conforms('a session without an expiry ends with its connection', FIVE, async (fixture) => {
    const credential = fixture.credential()
    for (const expiry of [[], [property('sessionExpiry', 0)]]) {
      const first = await fixture.connect({ as: credential, clean: false, properties: expiry })
      await first.subscribe(fixture.topic())
      await first.drop()
      await fixture.authority.closed(credential)
      const second = await fixture.connect({ as: credential, clean: false })
      assert.equal(second.connack?.sessionPresent, false)
      await second.drop()
    }
  })

  conforms('a clean session ends with its connection', EARLIER, async (fixture) => {
    const credential = fixture.credential()
    const first = await fixture.connect({ as: credential })
    await first.subscribe(fixture.topic())
    await first.drop()
    await fixture.authority.closed(credential)
    const second = await fixture.connect({ as: credential, durable: true })
    assert.equal(second.connack?.sessionPresent, false)
    await second.published({ topic: fixture.topic() })
    await second.quiet()
  })

  conforms('a session lasts until it has expired, and no longer', FIVE, async (fixture) => {
    const properties = [property('sessionExpiry', 1)]
    const [early, late] = [fixture.credential(), fixture.credential()]
    for (const as of [early, late]) {
      const peer = await fixture.connect({ as, clean: false, properties })
      await peer.subscribe(fixture.topic())
      // It does not expire while the connection lasts.
      await wait(1_100)
      await peer.quiet()
      await peer.drop()
    }
    const inTime = await fixture.connect({ as: late, clean: false, properties })
    assert.equal(inTime.connack?.sessionPresent, true)
    await wait(2_300)
    const tooLate = await fixture.connect({ as: early, clean: false, properties })
    assert.equal(tooLate.connack?.sessionPresent, false)
  })

  conforms('a DISCONNECT can change the session expiry', FIVE, async (fixture) => {
    const { reader, credential } = await pair(fixture)
    await reader.leave(0, property('sessionExpiry', 0))
    await fixture.authority.closed(credential)
    const back = await fixture.connect({ as: credential, durable: true })
    assert.equal(back.connack?.sessionPresent, false)
  })

  conforms('a DISCONNECT cannot give a session an expiry that had none', FIVE, async (fixture) => {
    const peer = await fixture.connect()
    peer.send(Buffer.concat([Buffer.from([0xe0, 7, 0, 5]), property('sessionExpiry', 60)]))
    await peer.ends(0x82)
  })

  conforms('unacknowledged messages are resent in order, as they were', ALL, async (fixture) => {
    const { reader, writer, comeBack } = await pair(fixture)
    for (const [index, qos] of [1, 2, 1, 2].entries()) {
      writer.publish({ topic: fixture.topic(), payload: `m${index}`, qos, id: index + 1 })
      if (qos === 2) {
        await writer.next('PUBREC')
        writer.acknowledge('PUBREL', index + 1)
      }
      await writer.next(qos === 2 ? 'PUBCOMP' : 'PUBACK')
    }
    const first = await reader.take(4)
    await reader.drop()
    const again = await (await comeBack()).take(4)
    assert.deepEqual(idsOf(again), idsOf(first))
    assert.deepEqual(payloadsOf(again), ['m0', 'm1', 'm2', 'm3'])
    assert.ok(first.every(({ dup }) => !dup))
    assert.ok(again.every(({ dup }) => dup))
  })

  conforms(
    'a PUBREL that is not acknowledged is resent, its PUBLISH is not',
    ALL,
    async (fixture) => {
      const { reader, writer, comeBack } = await pair(fixture)
      await writer.publishedTwice({ topic: fixture.topic() })
      const { id } = await reader.next('PUBLISH')
      reader.acknowledge('PUBREC', id)
      assert.equal((await reader.next('PUBREL')).id, id)
      await reader.drop()
      const back = await comeBack()
      assert.equal((await back.next('PUBREL')).id, id)
      back.acknowledge('PUBCOMP', id)
      await back.quiet()
      await back.drop()
      await (await comeBack()).quiet()
    },
  )

  conforms('acknowledged messages are not resent', ALL, async (fixture) => {
    const { reader, writer, comeBack } = await pair(fixture)
    await writer.published({ topic: fixture.topic(), payload: 'one' })
    await writer.published({ topic: fixture.topic(), payload: 'two' })
    const [one, two] = await reader.take(2)
    reader.acknowledge('PUBACK', one?.id ?? 0)
    await reader.quiet()
    await reader.drop()
    const back = await comeBack()
    const again = await back.next('PUBLISH')
    assert.deepEqual([again.id, again.payload, again.dup], [two?.id, 'two', true])
    await back.quiet()
  })

  conforms('nothing is resent while the connection lasts', ALL, async (fixture) => {
    const { reader, writer } = await pair(fixture)
    await writer.published({ topic: fixture.topic(), payload: 'one' })
    await reader.next('PUBLISH')
    await wait(600)
    await writer.published({ topic: fixture.topic(), payload: 'two' })
    assert.equal((await reader.next('PUBLISH')).payload, 'two')
    await reader.quiet()
  })

  conforms('messages that the receiver refused are not resent', FIVE, async (fixture) => {
    const { reader, writer, comeBack } = await pair(fixture)
    await writer.published({ topic: fixture.topic() })
    await writer.publishedTwice({ topic: fixture.topic() })
    const [one, two] = await reader.take(2)
    reader.acknowledge('PUBACK', one?.id ?? 0, 0x83)
    reader.acknowledge('PUBREC', two?.id ?? 0, 0x83)
    await reader.quiet()
    await reader.drop()
    await (await comeBack()).quiet()
  })

  conforms('a message of QoS 2 that is resent by its client arrives once', ALL, async (fixture) => {
    const witness = await fixture.witness(fixture.topic('in'))
    const credential = fixture.credential()
    const message = { topic: fixture.topic('in'), qos: 2, id: 5 }
    const first = await fixture.connect({ as: credential, durable: true })
    first.publish(message)
    await first.next('PUBREC')
    await first.drop()
    const second = await fixture.connect({ as: credential, durable: true })
    second.publish({ ...message, dup: true })
    assert.equal((await second.next('PUBREC')).id, 5)
    second.acknowledge('PUBREL', 5)
    assert.equal((await second.next('PUBCOMP')).id, 5)
    await witness.next('PUBLISH')
    await witness.quiet()
  })

  conforms('packet identifiers in use are not used again', ALL, async (fixture) => {
    const { reader, writer, comeBack } = await pair(fixture)
    const send = async (count: number): Promise<void> => {
      for (let each = 0; each < count; each += 1) await writer.published({ topic: fixture.topic() })
    }
    await send(20)
    const first = await reader.take(20)
    // Every other one is free again, the rest stays in use over a reconnect.
    for (const { id } of first.filter((_, index) => index % 2 === 0))
      reader.acknowledge('PUBACK', id)
    await reader.quiet()
    await reader.drop()
    const back = await comeBack()
    const kept = await back.take(10)
    await send(10)
    const ids = [...idsOf(kept), ...idsOf(await back.take(10))]
    assert.equal(new Set(ids).size, 20)
    assert.ok(!ids.includes(0))
  })

  conforms('a session that is taken over continues where it stopped', ALL, async (fixture) => {
    const { reader, writer, comeBack } = await pair(fixture)
    await writer.published({ topic: fixture.topic(), payload: 'one' })
    const first = await reader.next('PUBLISH')
    const second = await comeBack()
    await reader.ends(0x8e)
    const again = await second.next('PUBLISH')
    assert.deepEqual([again.id, again.payload, again.dup], [first.id, 'one', true])
  })

  conforms('retained messages outlive the session of their sender', ALL, async (fixture) => {
    const credential = fixture.credential()
    const writer = await fixture.connect({ as: credential })
    await writer.published({ topic: fixture.topic('kept'), payload: 'kept', retain: true })
    await writer.leave()
    await fixture.authority.closed(credential)
    const reader = await fixture.connect()
    await reader.subscribe(fixture.topic('kept'))
    assert.equal((await reader.next('PUBLISH')).payload, 'kept')
  })

  conforms('messages wait until the client can take them', FIVE, async (fixture) => {
    const { reader, writer, comeBack } = await pair(fixture, 2)
    await reader.drop()
    for (const payload of ['one', 'two', 'three', 'four']) {
      await writer.published({ topic: fixture.topic(), payload })
    }
    const back = await comeBack()
    const first = await back.take(2)
    await back.quiet()
    back.acknowledge('PUBACK', first[0]?.id ?? 0)
    const third = await back.next('PUBLISH')
    await back.quiet()
    assert.deepEqual(payloadsOf([...first, third]), ['one', 'two', 'three'])
    assert.equal(valueOf(back.connack, 'sessionExpiry') ?? 600, 600)
  })
})
