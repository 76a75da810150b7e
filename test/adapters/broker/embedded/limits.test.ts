/** The limits of one client, one principal and one address at the embedded broker. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Pace } from '../../../../src/adapters/broker/embedded/pace.ts'
import { PACKET } from '../../../../src/adapters/broker/embedded/codec/packet-types.ts'
import { eventually } from '../eventually.ts'
import { connected, gets, publish, refusal, subscribe } from '../mqtt-clients.ts'
import {
  connectPacket,
  packet,
  publishPacket,
  RawClient,
  subscribePacket,
  text,
} from '../raw-client.ts'
import { startEmbedded } from '../start-embedded.ts'
import type { BrokerEvent } from '../test-authority.ts'

/** Holds the whole process up, as a long turn of the event loop does. */
const holdUp = (ms: number): void =>
  void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

const isPublishing = ({ kind }: BrokerEvent): boolean => kind === 'published'

describe('before its CONNECT', () => {
  it('a socket is closed in time, silent or slow', async (t) => {
    const { authority, port } = await startEmbedded(t, { connectTimeoutMs: 300 })
    const silent = new RawClient(t, port)
    const slow = new RawClient(t, port)
    const { clientId, username, password } = authority.add('ws')
    const whole = connectPacket({ version: 4, clientId, username, password })
    let sent = 0
    const trickle = setInterval(() => slow.send(whole.subarray(sent, (sent += 1))), 50)
    t.after(() => clearInterval(trickle))
    await Promise.all([silent.isClosed(), slow.isClosed()])
    assert.ok(sent < whole.length)
  })

  it('a CONNECT that arrives in time is accepted even if the service reads it late', async (t) => {
    const { authority, port } = await startEmbedded(t, { connectTimeoutMs: 2_000 })
    const { clientId, username, password } = authority.add('ws')
    const raw = new RawClient(t, port)
    await eventually(() => !raw.socket.connecting, 'the socket')
    await new Promise((resolve) => setTimeout(resolve, 20))
    // After this, timers come before input.
    await new Promise((resolve) => setImmediate(resolve))
    raw.send(connectPacket({ version: 4, clientId, username, password }))
    holdUp(2_200)
    await raw.has((bytes) => bytes.length === 4, 'a CONNACK')
    assert.equal(raw.closed, false)
  })

  it('a socket may not send more than a CONNECT', async (t) => {
    const { port } = await startEmbedded(t, { connectPacketBytes: 1_000 })
    const raw = new RawClient(t, port)
    raw.send(Buffer.concat([Buffer.from([0x10, 0xff, 0x7f]), Buffer.alloc(1_001)]))
    await raw.isClosed()
    assert.equal(raw.received.length, 0)
  })

  it('the number of waiting sockets of one address is limited', async (t) => {
    const { authority, port } = await startEmbedded(t, { undecidedSocketsPerAddress: 3 })
    const waiting = [1, 2, 3].map(() => new RawClient(t, port))
    await Promise.all(waiting.map(({ socket }) => eventually(() => !socket.connecting, 'a socket')))
    const tooMany = new RawClient(t, port)
    await tooMany.isClosed()
    // An accepted client makes room, however many stay connected.
    const accepted = authority.add('ws')
    for (const [index, raw] of waiting.entries()) {
      const { username, password } = accepted
      const clientId = `${accepted.clientId}:${index}`
      raw.send(connectPacket({ version: 4, clientId, username, password }))
      await raw.has((bytes) => bytes.length === 4, 'a CONNACK')
    }
    await connected(t, port, authority.add('ws'), { protocolVersion: 4 })
    assert.ok(waiting.every(({ closed }) => !closed))
  })

  it('a limited number of CONNECTs wait for their decision, the others are asked to retry', async (t) => {
    const { authority, port } = await startEmbedded(t, { undecidedConnects: 2 })
    const asked: (() => void)[] = []
    authority.override = ({ username }) =>
      new Promise((resolve) => {
        const credential = authority.credentials.get(username ?? '')
        assert.ok(credential)
        asked.push(() => resolve({ accepted: true, grant: credential.grant }))
      })
    const waiting = [authority.add('ws'), authority.add('ws')].map((credential) =>
      connected(t, port, credential, { protocolVersion: 4 }),
    )
    await eventually(() => asked.length === 2, 'both questions')
    assert.equal(await refusal(t, port, authority.add('ws'), { protocolVersion: 4 }), 3)
    assert.equal(await refusal(t, port, authority.add('ws'), { protocolVersion: 5 }), 0x89)
    assert.equal(asked.length, 2, 'the authority is not asked about these clients')
    for (const reply of asked) reply()
    await Promise.all(waiting)
    authority.override = undefined
    await connected(t, port, authority.add('ws'), { protocolVersion: 4 })
  })

  it('the connection rate of an address is limited', async (t) => {
    const { authority, port } = await startEmbedded(t, { connectsPerSecondPerAddress: 0.1 })
    const credential = authority.add('ws')
    await connected(t, port, credential, { protocolVersion: 4 })
    const before = authority.requests.length
    assert.equal(await refusal(t, port, credential, { protocolVersion: 5 }), 0x9f)
    assert.equal(await refusal(t, port, credential, { protocolVersion: 4 }), 3)
    assert.equal(authority.requests.length, before, 'the authority is not asked')
    assert.deepEqual(
      authority.refusals.map(({ reason }) => reason),
      ['busy', 'busy'],
    )
  })

  it('a decision that does not come counts as unavailable', async (t) => {
    const { authority, port } = await startEmbedded(t, { decisionTimeoutMs: 200 })
    authority.override = () => new Promise(() => {})
    const credential = authority.add('ws')
    assert.equal(await refusal(t, port, credential, { protocolVersion: 4 }), 3)
    assert.equal(await refusal(t, port, credential, { protocolVersion: 5 }), 0x88)
  })
})

describe('a principal', () => {
  it('has a limited number of sessions, and client ids of a limited length', async (t) => {
    const { authority, port } = await startEmbedded(t, { sessionsPerPrincipal: 2 })
    const credential = authority.add('ws')
    const suffixed = (suffix: string) => ({ clientId: `${credential.clientId}:${suffix}` })
    await connected(t, port, credential, { protocolVersion: 4, ...suffixed('1') })
    await connected(t, port, credential, { protocolVersion: 4, ...suffixed('2') })
    const third = await refusal(t, port, credential, { protocolVersion: 5, ...suffixed('3') })
    assert.equal(third, 0x89)
    const long = suffixed('x'.repeat(256))
    assert.equal(await refusal(t, port, credential, { protocolVersion: 5, ...long }), 0x85)
  })

  it('cannot fill the memory with retained messages', async (t) => {
    const limits = { retainedMessagesPerPrincipal: 3, retainedBytesPerPrincipal: 1_000 }
    const { authority, port } = await startEmbedded(t, limits)
    const writer = await connected(t, port, authority.add('ws'), { protocolVersion: 4 })
    const keep = (topic: string, payload: string) =>
      publish(writer, `ws/${topic}`, { qos: 1, retain: true }, payload)
    await keep('a', 'x'.repeat(2_000))
    for (const topic of ['b', 'c', 'd', 'e']) await keep(topic, '1')
    await keep('b', '')
    await keep('f', '2')
    const reader = await connected(t, port, authority.add('ws'), { protocolVersion: 4 })
    await subscribe(reader, 'ws/+')
    await eventually(() => reader.messages.length >= 3, 'the retained message')
    await publish(reader, 'ws/end', { qos: 1 }, '')
    await gets(reader, 'ws/end=')
    assert.deepEqual(reader.messages.toSorted(), ['ws/c=1', 'ws/d=1', 'ws/end=', 'ws/f=2'])
  })

  it('keeps a limited number of sessions while offline: the latest ones', async (t) => {
    const { authority, broker, port } = await startEmbedded(t, { storedSessionsPerPrincipal: 2 })
    const credential = authority.add('ws')
    const open = (suffix: number) =>
      connected(t, port, credential, {
        protocolVersion: 4,
        clean: false,
        clientId: `${credential.clientId}:${suffix}`,
      })
    for (const suffix of [1, 2, 3]) {
      const watched = await open(suffix)
      await subscribe(watched, 'ws/x', 1)
      await watched.client.endAsync()
      await authority.closed(credential, suffix)
    }
    await broker.publish({ topic: 'ws/x', payload: Buffer.from('1'), qos: 1, retain: false })
    const back = [await open(1), await open(2), await open(3)]
    await Promise.all(back.slice(1).map((watched) => gets(watched, 'ws/x=1')))
    assert.deepEqual(back[0]?.messages, [])
  })
})

/** The debt of 240 at 20 a second with a burst of 200, less the credit that accrues meanwhile. */
const DEBT_MS = 1_900

describe('a session', () => {
  it('has a limited number of subscriptions, also within one packet, and may change them', async (t) => {
    const { authority, port } = await startEmbedded(t, { subscriptionsPerSession: 3 })
    for (const clean of [true, false]) {
      const options = { protocolVersion: 4 as const, clean }
      const watched = await connected(t, port, authority.add('ws'), options)
      const filters = ['ws/a', 'ws/b', 'ws/c', 'ws/d']
      assert.deepEqual(await subscribe(watched, filters, 1), [1, 1, 1, 0x80])
      assert.deepEqual(await subscribe(watched, 'ws/a', 0), [0])
      await watched.client.unsubscribeAsync('ws/a')
      assert.deepEqual(await subscribe(watched, ['ws/e', 'ws/f'], 1), [1, 0x80])
    }
  })

  it('ends when its client is silent for longer than it promised', async (t) => {
    const { authority, port } = await startEmbedded(t)
    const raw = await RawClient.accepted(t, port, authority.add('ws'), { version: 4, keepalive: 1 })
    await raw.isClosed()
  })

  it('has the longest keepalive where its client asks for more, or for none', async (t) => {
    const { authority, broker, port } = await startEmbedded(t, { keepAliveSeconds: 1 })
    for (const keepalive of [0, 60_000]) {
      const { clientId, username, password } = authority.add('ws')
      const notified = new RawClient(t, port)
      notified.send(connectPacket({ version: 5, clientId, username, password, keepalive }))
      // Server Keep Alive (MQTT 5.0, 3.2.2.3.14) of one second.
      await notified.has((bytes) => bytes.includes(Buffer.of(0x13, 0, 1)), 'the keepalive')
      const old = await RawClient.accepted(t, port, authority.add('ws'), { version: 4, keepalive })
      await Promise.all([notified.isClosed(), old.isClosed()])
      const afterConnack = notified.received.subarray(2 + (notified.received[1] ?? 0))
      assert.deepEqual([afterConnack[0], afterConnack[2]], [0xe0, 0x8d])
    }
    await eventually(() => broker.connections().length === 0, 'the end of all sessions')
    const ends = authority.events.flatMap((event) => (event.kind === 'closed' ? [event.end] : []))
    assert.deepEqual([...new Set(ends)], ['keepalive_timeout'])
  })

  it('publishes at its rate without loss, and is not disconnected while it waits', async (t) => {
    const { authority, port } = await startEmbedded(t, { publishesPerSecond: 20 })
    const reader = await connected(t, port, authority.add('ws'), { protocolVersion: 5 })
    await subscribe(reader, 'ws/#')
    const raw = await RawClient.accepted(t, port, authority.add('ws'), { version: 4, keepalive: 1 })
    const burst = Array.from({ length: 240 }, (_, n) =>
      publishPacket({ version: 4, topic: 'ws/a', payload: String(n) }),
    )
    const begunAt = performance.now()
    raw.send(Buffer.concat(burst))
    // Two seconds of debt: a message that comes now waits, and its keepalive of one second does not
    // end it.
    await eventually(() => reader.messages.length === 240, 'the first messages')
    raw.send(publishPacket({ version: 4, topic: 'ws/a', payload: 'later', qos: 1 }))
    await gets(reader, 'ws/a=later')
    assert.ok(performance.now() - begunAt >= DEBT_MS, 'the client has to wait')
    await raw.has((bytes) => bytes.length === 4, 'the PUBACK')
    assert.equal(reader.messages.length, 241)
    assert.equal(raw.closed, false)
  })

  it('subscribes to filters at the same rate, and to a limited number in a packet', async (t) => {
    const limits = { publishesPerSecond: 20, subscriptionsPerSession: 30 }
    const { authority, port } = await startEmbedded(t, limits)
    const reader = await connected(t, port, authority.add('ws'), { protocolVersion: 5 })
    await subscribe(reader, 'ws/#')
    const raw = await RawClient.accepted(t, port, authority.add('ws'), { version: 4 })
    const filters = Array.from({ length: 240 }, (_, n) => `other/${n}`)
    const begunAt = performance.now()
    raw.send(subscribePacket(4, ...filters))
    await raw.has((bytes) => bytes.includes(0x90), 'the SUBACK')
    raw.send(publishPacket({ version: 4, topic: 'ws/a', payload: 'later', qos: 1 }))
    await gets(reader, 'ws/a=later')
    assert.ok(performance.now() - begunAt >= DEBT_MS, 'the client has to wait')
    const greedy = await RawClient.accepted(t, port, authority.add('ws'), { version: 4 })
    greedy.send(subscribePacket(4, ...filters, ...filters))
    await greedy.isClosed()
  })

  it('is read at the same rate when it keeps the broker busy with other packets', async (t) => {
    const limits = { publishesPerSecond: 20 }
    const { authority, port } = await startEmbedded(t, limits)
    const many = (count: number, one: Buffer): Buffer =>
      Buffer.concat(Array.from({ length: count }, () => one))
    const filters = Array.from({ length: 240 }, (_, n) => text(`other/${n}`))
    const floods = {
      pings: many(240, packet(0xc0)),
      unsubscribing: packet(0xa2, Buffer.from([0, 7]), ...filters),
      releases: many(240, packet(0x62, Buffer.from([0, 1]))),
      acknowledgements: many(4_800, packet(0x40, Buffer.from([0, 1]))),
    }
    const closed = Object.entries(floods).map(async ([name, flood]) => {
      const credential = authority.add('ws')
      const raw = await RawClient.accepted(t, port, credential, { version: 4 })
      const begunAt = performance.now()
      raw.send(Buffer.concat([flood, packet(0xc0)]))
      // Bytes that arrive in one piece with it are handled with it.
      await raw.has((bytes) => bytes.includes(0xd0), 'a PINGRESP')
      raw.send(publishPacket({ version: 4, topic: 'ws/a', payload: 'later' }))
      const isPublished = () => authority.eventsOf(credential).some(isPublishing)
      await eventually(isPublished, `a message after many ${name}`)
      assert.ok(performance.now() - begunAt >= DEBT_MS, `${name} have to wait`)
    })
    await Promise.all(closed)
    // A message of QoS 2 counts once, though it takes two packets.
    const pace = new Pace()
    const types = [PACKET.publish, PACKET.pubrel, PACKET.pubrel]
    const weights = types.map((type) => pace.note(type, 2))
    assert.deepEqual(weights, [1, 0, 1])
  })

  it('ends with a packet that is too large, or a topic that is too deep', async (t) => {
    const limits = { packetBytes: 1_000, topicLevels: 5 }
    const { authority, port } = await startEmbedded(t, limits)
    for (const version of [4, 5]) {
      const large = publishPacket({ version, topic: 'ws/a', payload: 'x'.repeat(1_000) })
      const begun = Buffer.from([0x30, 0xff, 0xff, 0x7f])
      const deep = publishPacket({ version, topic: 'ws/b/c/d/e/f' })
      for (const wrong of [large, begun, deep, subscribePacket(version, 'ws/b/c/d/e/f')]) {
        const raw = await RawClient.accepted(t, port, authority.add('ws'), { version })
        raw.send(wrong)
        await raw.isClosed()
        if (version === 5 && (wrong === large || wrong === begun)) {
          assert.deepEqual([raw.received[0], raw.received[2]], [0xe0, 0x95])
        }
      }
    }
  })

  it('has a limited number of QoS 2 messages in flight', async (t) => {
    const { authority, port } = await startEmbedded(t, { inboundInFlightPerSession: 3 })
    const raw = await RawClient.accepted(t, port, authority.add('ws'), { version: 5 })
    const send = (messageId: number) =>
      raw.send(publishPacket({ version: 5, topic: 'ws/a', qos: 2, messageId }))
    for (const messageId of [1, 2, 3]) send(messageId)
    await raw.has((bytes) => bytes.filter((byte) => byte === 0x50).length === 3, 'three PUBRECs')
    raw.send(packet(0x62, Buffer.from([0, 1])))
    await raw.has((bytes) => bytes.includes(0x70), 'a PUBCOMP')
    send(4)
    await raw.has((bytes) => bytes.filter((byte) => byte === 0x50).length === 4, 'a fourth')
    raw.received = Buffer.alloc(0)
    send(5)
    await raw.isClosed()
    assert.deepEqual([raw.received[0], raw.received[2]], [0xe0, 0x93])
  })

  it('has a limited queue while its client is offline', async (t) => {
    const limits = { queuedMessagesPerSession: 3, queuedBytesPerSession: 1_000 }
    const { authority, broker, port } = await startEmbedded(t, limits)
    const credential = authority.add('ws')
    const options = { protocolVersion: 4, clean: false } as const
    const first = await connected(t, port, credential, options)
    await subscribe(first, 'ws/x', 1)
    await first.client.endAsync()
    await authority.closed(credential)
    for (const payload of ['x'.repeat(1_001), '1', '2', '3', '4', '5']) {
      await broker.publish({
        topic: 'ws/x',
        payload: Buffer.from(payload),
        qos: 1,
        retain: false,
      })
    }
    assert.deepEqual(broker.lost, { queue_full: 3, slow_reader: 0 })
    const second = await connected(t, port, credential, options)
    await publish(second, 'ws/x', { qos: 1 }, 'live')
    await gets(second, 'ws/x=live')
    assert.deepEqual(
      second.messages.toSorted(),
      ['1', '2', '3', 'live'].map((n) => `ws/x=${n}`),
    )
  })

  it('counts messages that no member of a shared subscription takes, once', async (t) => {
    const { authority, broker, port } = await startEmbedded(t, { queuedMessagesPerSession: 1 })
    const options = { protocolVersion: 4, clean: false } as const
    const leave = async (): Promise<void> => {
      const credential = authority.add('ws')
      const member = await connected(t, port, credential, options)
      await subscribe(member, '$share/g/ws/x', 1)
      await member.client.endAsync()
      await authority.closed(credential)
    }
    await leave()
    await leave()
    for (const payload of ['1', '2', '3']) {
      await broker.publish({ topic: 'ws/x', payload: Buffer.from(payload), qos: 1, retain: false })
    }
    assert.deepEqual(broker.lost, { queue_full: 1, slow_reader: 0 })
  })
})

describe('a client that does not read', () => {
  for (const qos of [0, 1] as const) {
    it(`delays no other client (QoS ${qos})`, async (t) => {
      const { authority, broker, port } = await startEmbedded(t, { unsentBytesPerSession: 200_000 })
      const stalled = await RawClient.accepted(t, port, authority.add('ws'), { version: 4 })
      stalled.send(subscribePacket(4, 'ws/#'))
      await stalled.has((bytes) => bytes.length === 5, 'a SUBACK')
      stalled.socket.pause()
      const reader = await connected(t, port, authority.add('ws'), { protocolVersion: 4 })
      const writer = await connected(t, port, authority.add('ws'), { protocolVersion: 4 })
      await subscribe(reader, 'ws/#', qos)
      const payload = 'x'.repeat(50_000)
      const isStalledOut = (): boolean => broker.connections().length < 3
      // How much the sockets take in first is up to the machine.
      const max = qos === 0 ? 400 : 1_000
      let sent = 0
      while (sent < max && !isStalledOut()) {
        await publish(writer, 'ws/a', { qos }, payload)
        sent += 1
        // A reader must not be so far behind either that something is dropped for it.
        await eventually(() => reader.messages.length === sent, 'the message')
      }
      await publish(writer, 'ws/end', { qos })
      await gets(reader, 'ws/end=x')
      assert.equal(isStalledOut(), qos === 1, 'QoS 0 is dropped, QoS 1 ends the session')
      assert.equal(broker.lost.slow_reader > 0, qos === 0)
      assert.equal(reader.messages.length, sent + 1)
    })
  }
})
