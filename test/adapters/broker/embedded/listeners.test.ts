/** The embedded broker's listeners: TLS and WebSocket, with clients as devices and phones use. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectTcp, type Socket } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls'
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt'
import { WebSocket } from 'ws'
import { EmbeddedBroker } from '../../../../src/adapters/broker/embedded/broker.ts'
import type { EmbeddedBrokerLimits } from '../../../../src/adapters/broker/embedded/limits.ts'
import type { TlsSettings } from '../../../../src/adapters/broker/embedded/listeners.ts'
import { makeAuthority } from '../../../support/certificates.ts'
import { connectPacket } from '../raw-client.ts'
import { TestAuthority } from '../test-authority.ts'

const authority = makeAuthority()
const ca = authority.cert

const ignore = (): void => {}

async function openBroker(
  t: TestContext,
  tls: Partial<TlsSettings> = {},
  connectTimeoutMs = 30_000,
  limits: Partial<EmbeddedBrokerLimits> = {},
) {
  const guests = new TestAuthority()
  const broker = new EmbeddedBroker({
    host: '127.0.0.1',
    ports: { tcp: 0, tls: 0, ws: 0, wss: 0 },
    tls: { ...authority.issue('127.0.0.1'), ...tls },
    log: { warn: ignore, error: ignore },
    limits: { connectTimeoutMs, ...limits },
  })
  await broker.start(guests)
  t.after(() => broker.stop())
  return { broker, guests }
}

function connect(t: TestContext, url: string, options: IClientOptions): Promise<MqttClient> {
  const client = mqtt.connect(url, { reconnectPeriod: 0, connectTimeout: 60_000, ca, ...options })
  t.after(() => client.end(true))
  return new Promise((resolve, reject) => {
    client.once('connect', () => resolve(client))
    client.once('error', reject)
  })
}

/** A TLS connection to the broker that has had its session ticket, if there is one. */
async function handshake(
  t: TestContext,
  { ports }: EmbeddedBroker,
  options: ConnectionOptions = {},
): Promise<{ socket: TLSSocket; session: Promise<Buffer> }> {
  const { tls: port = 0 } = ports
  const socket = connectTls({ host: '127.0.0.1', port, ca, ...options })
  t.after(() => socket.destroy())
  socket.on('error', () => {})
  const session = once(socket, 'session').then(([ticket]) => ticket as Buffer)
  session.catch(() => {})
  await once(socket, 'secureConnect')
  return { socket, session }
}

describe('a client', () => {
  for (const transport of ['tcp', 'tls', 'ws', 'wss'] as const) {
    for (const protocolVersion of [4, 5] as const) {
      test(`publishes and hears over ${transport} with MQTT ${protocolVersion}`, async (t) => {
        const { broker, guests } = await openBroker(t)
        const scheme = { tcp: 'mqtt', tls: 'mqtts', ws: 'ws', wss: 'wss' }[transport]
        const path = transport === 'ws' || transport === 'wss' ? '/mqtt' : ''
        const login = guests.add('ws')
        const { username, password, clientId } = login
        const client = await connect(t, `${scheme}://127.0.0.1:${broker.ports[transport]}${path}`, {
          protocolVersion,
          username,
          password,
          clientId,
        })
        const topic = `${login.grant.topicPrefix}/cmd`
        await client.subscribeAsync(topic, { qos: 1 })
        const heard = new Promise<Buffer>((resolve) => {
          client.once('message', (_topic, message) => resolve(message))
        })
        const payload = Buffer.alloc(100_000, 'x')
        await broker.publish({ topic, payload, qos: 1, retain: false })
        assert.ok((await heard).equals(payload))
        const [session] = broker.connections()
        assert.equal(session?.address, '127.0.0.1')
      })
    }
  }
})

test('a session is resumed, by another broker with the same ticket keys too', async (t) => {
  const identity = { ...authority.issue('127.0.0.1'), ticketKeys: Buffer.alloc(48, 7) }
  const first = await openBroker(t, identity)
  const second = await openBroker(t, identity)
  const outsider = await openBroker(t, { ...identity, ticketKeys: Buffer.alloc(48, 8) })
  const session = await (await handshake(t, first.broker)).session
  const isResumed = async ({ broker }: { broker: EmbeddedBroker }): Promise<boolean> =>
    (await handshake(t, broker, { session })).socket.isSessionReused()
  assert.equal(await isResumed(first), true)
  assert.equal(await isResumed(second), true)
  assert.equal(await isResumed(outsider), false)
})

test('new connections get a renewed certificate, and existing ones stay', async (t) => {
  const { broker } = await openBroker(t)
  const before = await handshake(t, broker)
  const next = authority.issue('127.0.0.1', 'renewed.example')
  broker.renewCertificate(next)
  const after = await handshake(t, broker)
  assert.match(after.socket.getPeerCertificate().subjectaltname ?? '', /renewed\.example/)
  assert.doesNotMatch(before.socket.getPeerCertificate().subjectaltname ?? '', /renewed/)
  assert.equal(before.socket.destroyed, false)
})

describe('over a WebSocket', () => {
  /** An open WebSocket, by the byte; and the code with which the broker closes it. */
  async function open(t: TestContext, port: number | undefined) {
    const webSocket = new WebSocket(`ws://127.0.0.1:${port}/mqtt`, 'mqtt')
    t.after(() => webSocket.terminate())
    webSocket.on('error', ignore)
    const code = once(webSocket, 'close').then(([closedWith]) => closedWith as number)
    await once(webSocket, 'open')
    return { webSocket, socket: Reflect.get(webSocket, '_socket') as Socket, code }
  }

  test('an unauthenticated client is stopped as soon as it has sent more than a CONNECT', async (t) => {
    const { broker } = await openBroker(t)
    const long = await open(t, broker.ports.ws)
    // The head of a frame of 262,145 bytes; of what it announces nothing follows.
    long.socket.write(Buffer.from([0x82, 0xff, 0, 0, 0, 0, 0, 4, 0, 1, 0, 0, 0, 0]))
    assert.equal(await long.code, 1009)
    const begun = await open(t, broker.ports.ws)
    // A part of a frame of 200,000 bytes comes.
    begun.socket.write(Buffer.from([0x82, 0xff, 0, 0, 0, 0, 0, 3, 0x0d, 0x40, 0, 0, 0, 0]))
    begun.socket.write(Buffer.alloc(100_000))
    assert.equal(await begun.code, 1009)
    const pieces = await open(t, broker.ports.ws)
    for (let sent = 0; sent < 1_100; sent += 1) pieces.webSocket.send('x', { fin: false })
    assert.equal(await pieces.code, 1008)
  })

  test('a client that broke the protocol and is gone holds up its next session only briefly', async (t) => {
    const { broker, guests } = await openBroker(t)
    const { username, password, clientId } = guests.add('ws')
    const login = { username, password, clientId }
    const { webSocket, socket } = await open(t, broker.ports.ws)
    const responded = once(webSocket, 'message')
    webSocket.send(connectPacket({ version: 4, ...login }))
    await responded
    // It hears nothing any more, and never closes its side.
    socket.removeAllListeners().on('error', ignore).resume().allowHalfOpen = true
    // A frame that is reserved.
    socket.write(Buffer.from([0x8b, 0x80, 0, 0, 0, 0]))
    const url = `ws://127.0.0.1:${broker.ports.ws}/mqtt`
    // Without the bound, it would take half a minute.
    await connect(t, url, { ...login, connectTimeout: 20_000 })
  })

  test('an accepted client may send as much as through any other listener', async (t) => {
    const { broker, guests } = await openBroker(t)
    const { username, password, clientId, grant } = guests.add('ws')
    const login = { username, password, clientId }
    const client = await connect(t, `ws://127.0.0.1:${broker.ports.ws}/mqtt`, login)
    const topic = `${grant.topicPrefix}/cmd`
    await client.subscribeAsync(topic, { qos: 1 })
    const heard = new Promise<Buffer>((resolve) => {
      client.once('message', (_topic, message) => resolve(message))
    })
    const payload = Buffer.alloc(200_000, 'x')
    await client.publishAsync(topic, payload, { qos: 1 })
    assert.ok((await heard).equals(payload))
  })
})

describe('a listener does not open', () => {
  const ask = async (t: TestContext, port: number | undefined, text: string): Promise<string> => {
    const socket = connectTcp(port ?? 0, '127.0.0.1')
    t.after(() => socket.destroy())
    socket.end(text)
    let heard = ''
    for await (const chunk of socket) heard += String(chunk)
    return heard
  }
  const upgrade = (path: string, protocol: string): string =>
    [
      `GET ${path} HTTP/1.1`,
      'Host: localhost',
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      `Sec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}`,
      `Sec-WebSocket-Protocol: ${protocol}`,
      '\r\n',
    ].join('\r\n')

  test('for a request that is no WebSocket', async (t) => {
    const { broker } = await openBroker(t)
    const heard = await ask(t, broker.ports.ws, 'GET /mqtt HTTP/1.1\r\nHost: localhost\r\n\r\n')
    assert.match(heard, /^HTTP\/1\.1 426 /)
  })

  test('at another path, or for another protocol', async (t) => {
    const { broker } = await openBroker(t)
    assert.match(await ask(t, broker.ports.ws, upgrade('/', 'mqtt')), /^HTTP\/1\.1 404 /)
    assert.match(await ask(t, broker.ports.ws, upgrade('/mqtt', 'chat')), /^HTTP\/1\.1 400 /)
    const among = await ask(t, broker.ports.ws, upgrade('/mqtt', 'chat,\tmqtt'))
    assert.match(among, /^HTTP\/1\.1 101 /)
  })

  test('for a client that sends another protocol and leaves, or sends nothing', async (t) => {
    const { broker } = await openBroker(t)
    const { ws = 0 } = broker.ports
    const gone = Array.from({ length: 20 }, async () => {
      const socket = connectTcp(ws, '127.0.0.1').on('error', ignore)
      await once(socket, 'connect')
      socket.write(upgrade('/', 'mqtt'), () => socket.resetAndDestroy())
      await new Promise((resolve) => socket.once('close', resolve))
    })
    await Promise.all(gone)
    const staying = connectTcp({ port: ws, host: '127.0.0.1', allowHalfOpen: true })
    t.after(() => staying.destroy())
    staying.on('error', ignore).resume().write(upgrade('/', 'mqtt'))
    await once(staying, 'end')
    // A socket that is closed on the other side takes nothing.
    const knock = setInterval(() => staying.write('x'), 10)
    await new Promise((resolve) => staying.once('close', resolve))
    clearInterval(knock)
  })

  test('for bytes that are no TLS, and the broker continues', async (t) => {
    const { broker } = await openBroker(t)
    await ask(t, broker.ports.tls, 'this is not a handshake').catch(() => '')
    await handshake(t, broker)
  })

  test('for a silent client, whose handshake delays no stop', async (t) => {
    const { broker } = await openBroker(t, {}, 3_600_000)
    const { tls = 0, ws = 0, wss = 0 } = broker.ports
    const silent = [tls, ws, wss].map((port) => connectTcp(port, '127.0.0.1'))
    t.after(() => silent.forEach((socket) => socket.destroy()))
    await Promise.all(silent.map((socket) => once(socket, 'connect')))
    const closed = silent.map((socket) => once(socket.on('error', ignore).resume(), 'close'))
    // Each client that receives a certificate is known to the broker, and those before it as well.
    await handshake(t, broker)
    await Promise.all([broker.stop(), ...closed])
  })

  test('without a certificate', async () => {
    const broker = new EmbeddedBroker({
      host: '127.0.0.1',
      ports: { tcp: 0, tls: 0 },
      log: { warn() {}, error() {} },
    })
    await assert.rejects(broker.start(new TestAuthority()), /needs a certificate/)
    assert.throws(() => broker.ports)
  })
})

for (const transport of ['ws', 'wss'] as const) {
  test(`over ${transport}, the number of sockets of one address that wait for their upgrade is limited`, async (t) => {
    const { broker, guests } = await openBroker(t, {}, 30_000, { undecidedSocketsPerAddress: 2 })
    const port = broker.ports[transport] ?? 0
    const enter = async (): Promise<Socket> => {
      const place = { host: '127.0.0.1', port }
      const socket = transport === 'ws' ? connectTcp(place) : connectTls({ ...place, ca })
      t.after(() => socket.destroy())
      socket.on('error', ignore).resume()
      await once(socket, transport === 'ws' ? 'connect' : 'secureConnect')
      return socket
    }
    const first = await enter()
    first.write('GET /mqtt HTTP/1.1\r\n')
    // Upgraded connections make room, however many stay connected.
    for (const login of [guests.add('ws'), guests.add('ws'), guests.add('ws')]) {
      const { username, password, clientId } = login
      await connect(t, `${transport}://127.0.0.1:${port}/mqtt`, { username, password, clientId })
    }
    const second = await enter()
    const tooMany = await enter()
    await once(tooMany, 'close')
    assert.ok(!first.destroyed && !second.destroyed)
  })
}
