/**
 * A bridge acknowledges what has been handled, and nothing before. When its line breaks, what it
 * sent itself and nobody acknowledged fails at once, and never comes late.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import { openBridge } from '../../../../src/adapters/broker/bridge/bridge.ts'
import { until } from '../../../support/until.ts'

const CONNECT = 1
const PUBLISH = 3
const PUBACK = 4

/** Keeps sessions, and closes the connection of each publisher. */
async function disconnectingBroker(t: TestContext) {
  const seen = { connects: 0, publishes: 0 }
  const server = createServer((socket: Socket) => {
    socket.on('error', () => {})
    t.after(() => socket.destroy())
    socket.on('data', (bytes: Buffer) => {
      const packet = (bytes[0] as number) >> 4
      if (packet === CONNECT) {
        seen.connects += 1
        socket.write(Buffer.from([0x20, 2, 1, 0]))
      }
      if (packet === PUBLISH) {
        seen.publishes += 1
        socket.destroy()
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return { seen, port: (server.address() as AddressInfo).port }
}

test('a message whose connection breaks fails at once, and is not sent again later', async (t) => {
  const { seen, port } = await disconnectingBroker(t)
  const login = { url: `mqtt://127.0.0.1:${port}`, username: 'mooring', password: 'word' }
  const bridge = openBridge(login, {
    clientId: 'mooring-of-all',
    filters: [],
    onMessage: () => Promise.resolve(),
    warn: () => {},
  })
  t.after(() => bridge.stop())
  const message = {
    topic: 'acme/pump/cmd',
    payload: Buffer.from('{}'),
    qos: 1,
    retain: false,
  } as const
  await until('the connection', () =>
    bridge.publish(message).then(
      () => true,
      (error: Error) => error.message !== 'The bridge is not connected.',
    ),
  )
  assert.equal(seen.publishes, 1)
  await until('the next connection', () => seen.connects === 2)
  await until('a message of its own', () =>
    bridge.publish({ ...message, topic: 'acme/pump/other' }).catch(() => seen.publishes > 1),
  )
  assert.equal(seen.publishes, 2)
})

/** Sends these messages with QoS 1 at each CONNECT, and writes down what is acknowledged. */
async function sendingBroker(t: TestContext, ids: readonly number[]) {
  const acknowledged: number[][] = []
  const sockets: Socket[] = []
  const server = createServer((socket: Socket) => {
    socket.on('error', () => {})
    t.after(() => socket.destroy())
    const seen: number[] = []
    socket.on('data', (bytes: Buffer) => {
      for (let at = 0; at < bytes.length; at += 2 + (bytes[at + 1] as number)) {
        const packet = (bytes[at] as number) >> 4
        if (packet === PUBACK) seen.push(bytes.readUInt16BE(at + 2))
        if (packet !== CONNECT) continue
        acknowledged.push(seen)
        sockets.push(socket)
        socket.write(Buffer.from([0x20, 2, 1, 0]))
        // The topic is one letter, and so is the payload.
        for (const id of ids) socket.write(Buffer.from([0x32, 6, 0, 1, 0x74, 0, id, 0x70]))
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return { acknowledged, sockets, port: (server.address() as AddressInfo).port }
}

/** A bridge to it, whose messages are handled when the test says so. */
function handling(t: TestContext, port: number) {
  const taken: (() => void)[] = []
  const bridge = openBridge(
    { url: `mqtt://127.0.0.1:${port}`, username: 'mooring', password: 'word' },
    {
      clientId: 'mooring-of-all',
      filters: ['t'],
      onMessage: () => new Promise((resolve) => taken.push(resolve)),
      warn: () => {},
    },
  )
  t.after(() => bridge.stop())
  return taken
}

test('a message is acknowledged once it has been handled, in order, while more arrive', async (t) => {
  const { acknowledged, port } = await sendingBroker(t, [1, 2, 3])
  const taken = handling(t, port)
  await until('all are delivered before any is handled', () => taken.length === 3)
  assert.deepEqual(acknowledged, [[]])
  taken[1]?.()
  taken[0]?.()
  await until('the first two are acknowledged', () => acknowledged[0]?.length === 2)
  taken[2]?.()
  await until('the last is acknowledged', () => acknowledged[0]?.length === 3)
  assert.deepEqual(acknowledged, [[1, 2, 3]])
})

test('a message handled after a disconnection is not acknowledged on a later connection', async (t) => {
  const { acknowledged, sockets, port } = await sendingBroker(t, [1])
  const taken = handling(t, port)
  await until('it is delivered', () => taken.length === 1)
  sockets[0]?.destroy()
  await until('it is delivered again', () => taken.length === 2)
  taken[0]?.()
  taken[1]?.()
  await until('the second is acknowledged', () => acknowledged[1]?.length === 1)
  assert.deepEqual(acknowledged, [[], [1]])
})

test('a process receives no more messages than it can hold: the others wait at the broker', async (t) => {
  const ids = Array.from({ length: 250 }, (_, at) => at + 1)
  const { acknowledged, port } = await sendingBroker(t, ids)
  const taken = handling(t, port)
  await until('as many as it takes', () => taken.length === 200)
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(taken.length, 200)
  for (let at = 0; at < ids.length; at += 1) {
    await until('the next', () => taken[at] !== undefined)
    taken[at]?.()
  }
  await until('all are acknowledged', () => acknowledged[0]?.length === ids.length)
  assert.deepEqual(acknowledged, [ids])
})
