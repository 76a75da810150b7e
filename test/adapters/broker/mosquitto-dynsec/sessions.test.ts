/** Sessions at Mosquitto: their lines in its log, and their end. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { describe, test, type TestContext } from 'node:test'
import { openBridge } from '../../../../src/adapters/broker/bridge/bridge.ts'
import {
  ControlChannel,
  endSession,
} from '../../../../src/adapters/broker/mosquitto-dynsec/control-channel.ts'
import { SessionLog } from '../../../../src/adapters/broker/mosquitto-dynsec/session-log.ts'

const BEGIN =
  "1795194498: New client connected from 127.0.0.1:58472 as dev_x (p2, c1, k60, u'dev_x')."

describe('the log of sessions', () => {
  test('lists a session until it ends', () => {
    const log = new SessionLog()
    log.read(BEGIN)
    assert.equal(log.of('dev_x').length, 1)
    log.read('1795194499: Client dev_x disconnected.')
    assert.deepEqual(log.of(), [])
  })

  test('ignores the end of a session from a client that was not accepted', () => {
    for (const id of ['dev_x', 'dev_x disconnected.', 'dev_x closed its connection.']) {
      const log = new SessionLog()
      log.read(BEGIN)
      log.read(`1795194499: Client ${id} disconnected, not authorised.`)
      assert.equal(log.of('dev_x').length, 1, id)
    }
  })
})

async function serve(t: TestContext, handler: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    t.after(() => socket.destroy())
    handler(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('ending a session fails, without an endless wait,', () => {
  test('on a port that closes at once', async (t) => {
    const url = await serve(t, (socket) => socket.end())
    await assert.rejects(endSession(url, { clientId: 'dev_x' }), /closed/)
  })

  test('at a broker that never responds', async (t) => {
    const url = await serve(t, () => {})
    await assert.rejects(endSession(url, { clientId: 'dev_x', connectTimeout: 200 }), /timeout/)
  })

  test('at a broker that refuses, and then closes the connection', async (t) => {
    const url = await serve(t, (socket) => {
      socket.once('data', () => {
        socket.write(Buffer.from([0x20, 2, 0, 5]), () => socket.resetAndDestroy())
      })
    })
    await assert.rejects(endSession(url, { clientId: 'dev_x', protocolVersion: 4 }))
  })
})

describe('a broker that refuses the service', () => {
  const login = { username: 'mooring', password: 'word' }

  /** Refuses each CONNECT with the bytes; settles with the second one. */
  const refuseWith = async (t: TestContext, refusal: readonly number[]) => {
    let count = 0
    const { promise: again, resolve } = Promise.withResolvers<void>()
    const url = await serve(t, (socket) => {
      count += 1
      if (count === 2) resolve()
      socket.once('data', () => socket.end(Buffer.from(refusal)))
    })
    return { url, again }
  }

  test('is reported, and its administration needs another request', async (t) => {
    const { url, again } = await refuseWith(t, [0x20, 3, 0, 0x87, 0])
    const received: string[] = []
    const channel = new ControlChannel(
      { name: 'site', url, ...login },
      {
        connected() {},
        lost() {},
        failed: ({ message }) => void received.push(message),
        logged() {},
      },
    )
    t.after(() => channel.stop())
    channel.start()
    await again
    assert.match(received[0] ?? '', /Broker site: there is no connection to it: .*Not authorized/)
  })

  test('is reported, and a bridge needs another request', async (t) => {
    const { url, again } = await refuseWith(t, [0x20, 2, 0, 5])
    const received: string[] = []
    const bridge = openBridge(
      { url, ...login },
      {
        clientId: 'mooring-x',
        filters: [],
        onMessage: () => Promise.resolve(),
        warn: (message) => void received.push(message),
      },
    )
    t.after(() => bridge.stop())
    await again
    assert.deepEqual(received, ['a bridge is not connected'])
  })
})
