/** Sessions that come back with other wishes than they left with. MQTT 5.0, 3.1.2 and 4.4. */
import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import {
  ALL,
  conformanceOfBoth,
  connectOf,
  FIVE,
  type Peer,
  property,
  type Fixture,
  valueOf,
} from './conforms.ts'
import { disconnectPacket, publishPacket, type Received } from './packets.ts'

const payloadsOf = (received: Received[]): string[] => received.map(({ payload }) => payload)

/** A durable client, and how it comes back. */
async function durable(fixture: Fixture, options = 2) {
  const as = fixture.credential()
  const comeBack = async (...properties: Buffer[]): Promise<Peer> => {
    const peer = await fixture.connect({ as, durable: true, properties })
    assert.equal(peer.connack?.sessionPresent, true)
    return peer
  }
  const reader = await fixture.connect({ as, durable: true })
  await reader.subscribe([fixture.topic('#'), options])
  return { as, reader, comeBack, writer: await fixture.connect() }
}

async function send(writer: Peer, topic: string, payloads: string[]): Promise<void> {
  for (const payload of payloads) await writer.published({ topic, payload })
}

/** A client that loses its connection now and then, in the middle of whatever it does. */
class Unsteady {
  /** The delivered messages, by QoS; of QoS 1 without those marked as duplicates. */
  readonly delivered: [ones: number[], twos: number[]] = [[], []]
  readonly #unreleased = new Set<number>()
  #seed = 7

  #fails(): boolean {
    this.#seed = (this.#seed * 48_271) % 2_147_483_647
    return this.#seed % 12 === 0
  }

  /** Reads until the connection is to fail. @returns whether everything has come. */
  async read(peer: Peer, isDone: () => boolean): Promise<boolean> {
    while (!isDone() && !this.#fails()) {
      const [packet] = await peer.some(1)
      if (packet === undefined) return false
      const { name, id, qos, payload, dup } = packet
      if (name === 'PUBLISH' && qos === 1) {
        if (!dup || !this.delivered[0].includes(Number(payload))) {
          this.delivered[0].push(Number(payload))
        }
        if (!this.#fails()) peer.acknowledge('PUBACK', id)
      } else if (name === 'PUBLISH') {
        if (!this.#unreleased.has(id)) this.delivered[1].push(Number(payload))
        this.#unreleased.add(id)
        if (!this.#fails()) peer.acknowledge('PUBREC', id)
      } else if (name === 'PUBREL') {
        this.#unreleased.delete(id)
        if (!this.#fails()) peer.acknowledge('PUBCOMP', id)
      }
    }
    return isDone()
  }
}

conformanceOfBoth('resumption', {}, (conforms) => {
  conforms('over many lost connections nothing is lost or doubled', ALL, async (fixture) => {
    const { reader, comeBack, writer } = await durable(fixture)
    await reader.drop()
    const COUNT = 120
    const numbers = Array.from({ length: COUNT }, (_, index) => index)
    for (const number of numbers) {
      const message = { topic: fixture.topic(), payload: String(number) }
      if (number % 2 === 0) await writer.published(message)
      else await writer.publishedTwice(message)
    }
    const unsteady = new Unsteady()
    const [ones, twos] = unsteady.delivered
    const isDone = (): boolean => ones.length + twos.length >= COUNT
    for (let isOver = false; !isOver; ) {
      const peer = await comeBack()
      isOver = await unsteady.read(peer, isDone)
      await peer.drop()
    }
    assert.deepEqual(
      ones,
      numbers.filter((number) => number % 2 === 0),
    )
    assert.deepEqual(
      twos,
      numbers.filter((number) => number % 2 === 1),
    )
  })

  conforms('resent messages stay within a smaller Receive Maximum', FIVE, async (fixture) => {
    const { reader, comeBack, writer } = await durable(fixture)
    await send(writer, fixture.topic(), ['one', 'two', 'three', 'four'])
    await reader.take(4)
    await reader.drop()
    const back = await comeBack(property('receiveMaximum', 2))
    const first = await back.take(2)
    await back.quiet()
    for (const { id } of first) back.acknowledge('PUBACK', id)
    assert.deepEqual(payloadsOf([...first, ...(await back.take(2))]), [
      'one',
      'two',
      'three',
      'four',
    ])
    await back.quiet()
  })

  conforms('a pending PUBREL does not wait for a quota', FIVE, async (fixture) => {
    const { reader, comeBack, writer } = await durable(fixture)
    await send(writer, fixture.topic(), ['one', 'two'])
    await writer.publishedTwice({ topic: fixture.topic() })
    const owed = (await reader.take(3)).at(-1)?.id ?? 0
    reader.acknowledge('PUBREC', owed)
    await reader.next('PUBREL')
    await reader.drop()
    const back = await comeBack(property('receiveMaximum', 1))
    assert.equal((await back.next('PUBREL')).id, owed)
    back.acknowledge('PUBCOMP', owed)
    const one = await back.next('PUBLISH')
    await back.quiet()
    back.acknowledge('PUBACK', one.id)
    assert.deepEqual([one.payload, (await back.next('PUBLISH')).payload], ['one', 'two'])
  })

  conforms(
    'queued messages are checked against the Maximum Packet Size when they are sent',
    FIVE,
    async (fixture) => {
      const { reader, comeBack, writer } = await durable(fixture)
      await reader.drop()
      await send(writer, fixture.topic(), ['one', 'x'.repeat(300), 'three'])
      const back = await comeBack(property('maximumPacketSize', 128))
      assert.deepEqual(payloadsOf(await back.take(2)), ['one', 'three'])
      await back.quiet()
    },
  )

  conforms(
    'a message that expires while it waits for a quota is deleted',
    FIVE,
    async (fixture) => {
      const credential = fixture.credential()
      const properties = [property('receiveMaximum', 1)]
      const reader = await fixture.connect({ as: credential, properties })
      await reader.subscribe(fixture.topic('#'))
      const writer = await fixture.connect()
      await send(writer, fixture.topic(), ['one'])
      const one = await reader.next('PUBLISH')
      await writer.published({
        topic: fixture.topic(),
        payload: 'short',
        properties: [property('messageExpiry', 1)],
      })
      await send(writer, fixture.topic(), ['three'])
      await wait(1_200)
      reader.acknowledge('PUBACK', one.id)
      assert.equal((await reader.next('PUBLISH')).payload, 'three')
    },
  )

  conforms('topic aliases of the broker end with their connection', FIVE, async (fixture) => {
    const { reader, comeBack, writer } = await durable(fixture)
    await reader.drop()
    for (let count = 0; count < 2; count += 1) {
      await send(writer, fixture.topic(), ['one', 'two', 'three'])
      const back = await comeBack(property('topicAliasMaximum', 4))
      const known = new Map<number, string>()
      for (const { topic, properties } of await back.take(3 * (count + 1))) {
        const alias = properties.find(({ name }) => name === 'topicAlias')?.value as number
        if (topic !== '' && alias !== undefined) known.set(alias, topic)
        assert.equal(topic === '' ? known.get(alias) : topic, fixture.topic())
      }
      await back.drop()
    }
  })

  conforms(
    'a subscription of a resumed session exists for retain handling',
    FIVE,
    async (fixture) => {
      const { reader, comeBack, writer } = await durable(fixture, 0)
      writer.publish({ topic: fixture.topic(), retain: true })
      await reader.next('PUBLISH')
      await reader.drop()
      const back = await comeBack()
      await back.subscribe([fixture.topic('#'), 0x10])
      await back.quiet()
    },
  )

  conforms('retain as published holds for messages that waited', FIVE, async (fixture) => {
    const { reader, comeBack, writer } = await durable(fixture, 0x0a)
    await reader.drop()
    await writer.published({ topic: fixture.topic('kept'), retain: true })
    await writer.published({ topic: fixture.topic('plain') })
    const back = await comeBack()
    const flags = (await back.take(2)).map(({ retain }) => retain)
    assert.deepEqual(flags, [true, false])
  })

  conforms('a clean start also discards what its client had begun', ALL, async (fixture) => {
    const witness = await fixture.witness()
    const as = fixture.credential()
    const first = await fixture.connect({ as, durable: true })
    first.publish({ topic: fixture.topic(), qos: 2, id: 5, payload: 'one' })
    await first.next('PUBREC')
    await first.drop()
    const second = await fixture.connect({ as, durable: true, clean: true })
    second.publish({ topic: fixture.topic(), qos: 2, id: 5, payload: 'two', dup: true })
    await second.next('PUBREC')
    second.acknowledge('PUBREL', 5)
    await second.next('PUBCOMP')
    // The first is delivered now, or was never; the second is another message.
    const received = await witness.next('PUBLISH')
    if (received.payload === 'one') assert.equal((await witness.next('PUBLISH')).payload, 'two')
    else assert.equal(received.payload, 'two')
    await witness.quiet()
  })

  conforms('the expiry of a session is that of its last connection', FIVE, async (fixture) => {
    const { as, reader } = await durable(fixture)
    await reader.drop()
    const second = await fixture.connect({ as, clean: false })
    assert.equal(second.connack?.sessionPresent, true)
    await second.drop()
    await fixture.authority.closed(as, 2)
    const third = await fixture.connect({ as, clean: false })
    assert.equal(third.connack?.sessionPresent, false)
  })

  conforms('a DISCONNECT leaves the session as its expiry says', ALL, async (fixture) => {
    const { reader, comeBack, writer } = await durable(fixture)
    await reader.leave()
    await send(writer, fixture.topic(), ['one'])
    assert.equal((await (await comeBack()).next('PUBLISH')).payload, 'one')
  })

  conforms('a resumed session can be changed between versions', [4], async (fixture) => {
    const { as, reader, writer } = await durable(fixture)
    await reader.drop()
    await writer.published({ topic: fixture.topic(), payload: 'one' })
    const five = await fixture.connect({ as, durable: true, version: 5 })
    assert.equal(five.connack?.sessionPresent, true)
    const one = await five.next('PUBLISH')
    await five.drop()
    const back = await fixture.connect({ as, durable: true })
    const again = await back.next('PUBLISH')
    assert.deepEqual([again.id, again.payload, again.dup], [one.id, 'one', true])
  })

  conforms(
    'messages sent together with CONNECT and DISCONNECT are published',
    ALL,
    async (fixture) => {
      const { reader, comeBack, as } = await durable(fixture)
      const witness = await fixture.witness()
      await reader.drop()
      await fixture.authority.closed(as)
      const peer = fixture.dial()
      peer.send(
        connectOf(fixture.credential(), { version: fixture.version }),
        publishPacket(fixture.version, { topic: fixture.topic(), payload: 'last' }),
        disconnectPacket(),
      )
      assert.equal((await peer.next('CONNACK')).codes[0], 0)
      assert.deepEqual(await peer.end(), [])
      assert.equal((await witness.next('PUBLISH')).payload, 'last')
      // QoS 0 does not wait for a client that is away.
      await (await comeBack()).quiet()
    },
  )

  conforms('identifiers are skipped while they are in use', [4], async (fixture) => {
    const { reader, comeBack, writer } = await durable(fixture, 1)
    await send(writer, fixture.topic(), ['kept'])
    const kept = await reader.next('PUBLISH')
    await reader.drop()
    const back = await comeBack()
    const again = await back.next('PUBLISH')
    assert.equal(again.id, kept.id)
    for (let round = 0; round < 3; round += 1) {
      await send(writer, fixture.topic(), ['more'])
      const more = await back.next('PUBLISH')
      assert.notEqual(more.id, kept.id)
      back.acknowledge('PUBACK', more.id)
    }
    assert.equal(valueOf(again, 'topicAlias'), undefined)
  })
})
