/** A bridge whose line breaks: what was not acknowledged fails at once, and never comes late. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import { openBridge } from '../../../../src/adapters/broker/bridge/bridge.ts'
import { until } from '../../../support/until.ts'

const CONNECT = 1
const PUBLISH = 3

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

test('a message whose line breaks fails at once, and is not sent again later', async (t) => {
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
