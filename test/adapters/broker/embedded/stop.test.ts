/** How the embedded broker starts and stops, and the wills of MQTT 5 that wait. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { EmbeddedBroker } from '../../../../src/adapters/broker/embedded/broker.ts'
import { eventually } from '../eventually.ts'
import { connected, gets, subscribe } from '../mqtt-clients.ts'
import { connectPacket, RawClient, subscribePacket } from '../raw-client.ts'
import { startEmbedded } from '../start-embedded.ts'
import { TestAuthority } from '../test-authority.ts'

const log = { warn: () => {}, error: () => {} }

describe('a stop', () => {
  it('ends every session, reports each and frees the port', async (t) => {
    const { authority, broker, port } = await startEmbedded(t)
    const credential = authority.add('ws')
    const will = { topic: 'ws/will', payload: Buffer.from('gone'), qos: 1, retain: true } as const
    const five = await connected(t, port, credential, { protocolVersion: 5, will })
    const four = await connected(t, port, authority.add('ws'), { protocolVersion: 4 })
    await broker.stop()
    await eventually(() => five.closed && four.closed, 'both ends')
    assert.equal(five.disconnectCode, 0x8b)
    assert.deepEqual(
      authority.eventsOf(credential).map(({ kind }) => kind),
      ['opened', 'closed'],
    )
    assert.deepEqual(broker.connections(), [])
    await assert.rejects(new Promise((_, reject) => connect(port, '127.0.0.1').on('error', reject)))
    await assert.rejects(
      broker.publish({ topic: 'ws/a', payload: Buffer.alloc(0), qos: 0, retain: false }),
    )
    await broker.stop()
  })

  it('does not wait for clients that do not read, or whose CONNECT is undecided', async (t) => {
    const { authority, broker, port } = await startEmbedded(t)
    const stalled = await RawClient.accepted(t, port, authority.add('ws'), { version: 5 })
    stalled.send(subscribePacket(5, 'ws/#'))
    await stalled.has((bytes) => bytes.length > 4, 'a SUBACK')
    stalled.socket.pause()
    const payload = Buffer.alloc(200_000)
    for (let sent = 0; sent < 50; sent += 1) {
      await broker.publish({ topic: 'ws/a', payload, qos: 0, retain: false })
    }
    authority.override = () => new Promise(() => {})
    const undecided = new RawClient(t, port)
    undecided.send(connectPacket({ version: 5, clientId: 'x', username: 'x', password: 'x' }))
    await eventually(() => authority.requests.length === 2, 'the question')
    const silent = new RawClient(t, port)
    await eventually(() => !silent.socket.connecting, 'a socket')
    let stopped = false
    void broker.stop().then(() => (stopped = true))
    await eventually(() => stopped, 'the stop')
    await Promise.all([undecided.isClosed(), silent.isClosed()])
  })

  it('may be followed by another start', async (t) => {
    const { authority, broker } = await startEmbedded(t)
    await broker.stop()
    await broker.start(authority)
    await assert.rejects(broker.start(authority))
    const { closed } = await connected(t, broker.port, authority.add('ws'), { protocolVersion: 5 })
    assert.equal(closed, false)
  })

  it('is not needed after a start that failed', async (t) => {
    const { port } = await startEmbedded(t)
    const authority = new TestAuthority()
    const second = new EmbeddedBroker({ host: '127.0.0.1', ports: { tcp: port }, log })
    await assert.rejects(second.start(authority), { code: 'EADDRINUSE' })
    await second.stop()
    assert.throws(() => second.port)
  })
})

describe('a will with a delay', () => {
  const options = (topic: string) => ({
    protocolVersion: 5 as const,
    properties: { sessionExpiryInterval: 600 },
    clean: false,
    will: {
      topic,
      payload: Buffer.from('gone'),
      qos: 1 as const,
      retain: false,
      properties: { willDelayInterval: 300 },
    },
  })

  it('is dropped when its client returns in time, and due at once after a disconnection', async (t) => {
    const { authority, broker, port } = await startEmbedded(t)
    const spy = await connected(t, port, authority.add('ws'), { protocolVersion: 5 })
    await subscribe(spy, 'ws/#', 1)
    const vanish = async (topic: string, times: number) => {
      const { client } = await connected(t, port, credential, options(topic))
      client.stream.destroy()
      await authority.closed(credential, times)
    }
    const credential = authority.add('ws')
    const { principalId } = credential.grant
    await vanish('ws/first', 1)
    await vanish('ws/second', 2)
    assert.equal(await broker.disconnect(principalId, 'administrative'), 0)
    await gets(spy, 'ws/second=gone')
    await vanish('ws/third', 3)
    assert.equal(await broker.disconnect(principalId, 'not_authorized'), 0)
    await connected(t, port, credential, options('ws/fourth'))
    assert.equal(await broker.disconnect(principalId, 'administrative'), 1)
    await gets(spy, 'ws/fourth=gone')
    assert.deepEqual(spy.messages, ['ws/second=gone', 'ws/fourth=gone'])
  })
})
