/**
 * The share of the API that clients may take up: connections, requests on one of them, and time.
 */
import assert from 'node:assert/strict'
import { type AddressInfo, connect, type NetConnectOpts, type Socket } from 'node:net'
import { describe, test, type TestContext } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { type ConnectionLimits, HttpConnections } from '../../../src/platform/http/connections.ts'
import { destroyStalled } from '../../../src/platform/http/connections.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { defer } from '../../support/cleanup.ts'
import { secondServer } from '../../support/second-server.ts'
import { useApp } from '../../support/suite-app.ts'
import { until } from '../../support/until.ts'

const HALF_OPEN = 600
const PIPELINES = 200
/** The one that is handled, and those that may wait behind it. */
const IN_A_PIPELINE = 33

const enough: ConnectionLimits = { connections: 10_000, connectionsPerAddress: 10_000 }

interface Client {
  socket: Socket
  text: () => string
  isClosed: () => boolean
}

function open(t: TestContext, port: number, options: Partial<NetConnectOpts> = {}): Client {
  const socket = connect({ port, host: '127.0.0.1', ...options } as NetConnectOpts)
  let text = ''
  socket.on('data', (bytes: Buffer) => (text += bytes.toString()))
  socket.on('error', () => {})
  defer(t, () => socket.destroy())
  return { socket, text: () => text, isClosed: () => socket.destroyed }
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`

describe('connections', () => {
  const app = useApp()

  async function listen(
    t: TestContext,
    connections: HttpConnections,
    ...plugins: ((server: FastifyInstance) => void)[]
  ): Promise<number> {
    const server = secondServer(app(), [], { connections, plugins })
    await server.listen({ host: '127.0.0.1', port: 0 })
    defer(t, async () => {
      server.server.closeAllConnections()
      await server.close()
    })
    return (server.server.address() as AddressInfo).port
  }

  test('with half a request get a 408 and are closed, also if the client keeps its side open', async (t) => {
    const connections = new HttpConnections(enough)
    const port = await listen(t, connections)
    const clients = Array.from({ length: HALF_OPEN }, () => open(t, port, { allowHalfOpen: true }))
    for (const { socket } of clients) socket.write('GET /api/v1/healthz HTTP/1.1\r\nHost: x\r\n')
    await until('all are there', () => connections.states().incomplete === HALF_OPEN)
    await until('all were closed by the service', () => connections.states().incomplete === 0)
    await until('all clients have a response', () =>
      clients.every(({ text }) => / 408 /.test(text())),
    )
    assert.deepEqual(connections.states(), { incomplete: 0, handling: 0, idle: 0 })
  })

  test('that pipeline requests and read nothing have one of them handled, and keep nobody waiting', async (t) => {
    const connections = new HttpConnections(enough)
    const gate = Promise.withResolvers<string>()
    let begun = 0
    const port = await listen(t, connections, (server) => {
      server.get('/gated', () => {
        begun += 1
        return gate.promise
      })
      server.get('/open', () => 'open')
    })
    const clients = Array.from({ length: PIPELINES }, () => open(t, port))
    for (const { socket } of clients) {
      socket.pause()
      socket.write(get('/gated').repeat(IN_A_PIPELINE))
    }
    const waiting = PIPELINES * (IN_A_PIPELINE - 1)
    await until('all requests are there', () => connections.requests().waiting === waiting)
    assert.deepEqual(connections.requests(), { handling: PIPELINES, waiting })
    assert.equal(begun, PIPELINES)
    const honest = open(t, port)
    honest.socket.write(get('/open'))
    await until('an honest request is answered', () => honest.text().endsWith('\r\n\r\nopen'))
    assert.equal(begun, PIPELINES)
    // One more than may wait ends the connection, since no response can overtake those before it.
    const [greedy, ...others] = clients as [Client, ...Client[]]
    greedy.socket.resume()
    greedy.socket.write(get('/gated'))
    await until('the greedy connection is closed', () => greedy.isClosed())
    assert.equal(greedy.text(), '')
    assert.deepEqual(connections.refused, { total: 0, address: 0, pipeline: 1 })
    gate.resolve('gated')
    for (const { socket } of others) socket.resume()
    const responses = ({ text }: Client): number => text().split('\r\n\r\ngated').length - 1
    await until('all others are answered, in order', () =>
      others.every((client) => responses(client) === IN_A_PIPELINE),
    )
    assert.deepEqual(connections.requests(), { handling: 0, waiting: 0 })
  })

  test('that pipeline requests with an expectation have them wait as well', async (t) => {
    const connections = new HttpConnections(enough)
    const gate = Promise.withResolvers<string>()
    const port = await listen(t, connections, (server) => {
      server.get('/gated', () => gate.promise)
    })
    const client = open(t, port)
    client.socket.write(get('/gated') + get('/gated').replace('\r\n\r\n', '\r\nExpect: x\r\n\r\n'))
    const seen = () => connections.requests().handling + connections.requests().waiting
    await until('both are there', () => seen() === 2)
    assert.deepEqual(connections.requests(), { handling: 1, waiting: 1 })
    gate.resolve('gated')
    await until('both are answered', () => /gated[^]* 417 /.test(client.text()))
  })

  test('that send requests and never read the responses are closed', async (t) => {
    const connections = new HttpConnections(enough)
    let received = 0
    const port = await listen(t, connections, destroyStalled(200), (server) => {
      server.get('/long', () => {
        received += 1
        return 'x'.repeat(60_000)
      })
    })
    const { socket } = open(t, port)
    socket.pause()
    socket.write(get('/long'))
    let seen = 0
    await until('the service has closed it', () => {
      // One at a time: they are not too many, they are not read.
      if (received > seen) socket.write(get('/long'))
      seen = received
      return received > 0 && connections.states().handling + connections.states().idle === 0
    })
    assert.equal(connections.refused.pipeline, 0)
  })

  test('are limited in all and for each address', async (t) => {
    const connections = new HttpConnections({ connections: 5, connectionsPerAddress: 3 })
    const port = await listen(t, connections)
    const from = (localAddress: string): Client => open(t, port, { localAddress })
    const count = (): number => connections.states().incomplete
    const first = [from('127.0.0.1'), from('127.0.0.1'), from('127.0.0.1')]
    await until('three of an address', () => count() === 3)
    const fourth = from('127.0.0.1')
    await until('the fourth is closed', () => fourth.isClosed())
    const second = [from('127.0.0.2'), from('127.0.0.2')]
    await until('two of another', () => count() === 5)
    const sixth = from('127.0.0.3')
    await until('the sixth in all is closed', () => sixth.isClosed())
    assert.deepEqual(connections.refused, { total: 1, address: 1, pipeline: 0 })
    assert.ok([...first, ...second].every(({ isClosed }) => !isClosed()))
    first[0]?.socket.destroy()
    await until('one has left', () => count() === 4)
    from('127.0.0.1')
    await until('another takes its place', () => count() === 5)
  })

  test('of a trusted proxy are only limited in all', async (t) => {
    const limits = { connections: 3, connectionsPerAddress: 1 }
    const connections = new HttpConnections(limits, ['127.0.0.0/30', '::1'])
    const port = await listen(t, connections)
    const clients = [1, 2, 3].map(() => open(t, port))
    await until('all are there', () => connections.states().incomplete === 3)
    const more = open(t, port)
    await until('one too many is closed', () => more.isClosed())
    assert.ok(clients.every(({ isClosed }) => !isClosed()))
    assert.deepEqual(connections.refused, { total: 1, address: 0, pipeline: 0 })
  })
})

test('the operator sees the connections of the API, and sets their limits', async (t) => {
  const environment = { MOORING_HTTP_MAX_CONNECTIONS_PER_ADDRESS: '2' }
  const app: TestApp = await startApp(t, { environment })
  const { http, operator } = app.app.ports
  const metrics = async (): Promise<string> =>
    (await fetch(`http://127.0.0.1:${operator}/metrics`)).text()
  open(t, http).socket.write('GET /')
  const idle = open(t, http)
  idle.socket.write(get('/api/v1/nowhere'))
  await until('a response', () => idle.text() !== '')
  const third = open(t, http)
  await until('the third is closed', () => third.isClosed())
  await until('all is reported', async () => {
    const text = await metrics()
    return [
      'mooring_http_connections{state="incomplete"} 1',
      'mooring_http_connections{state="handling"} 0',
      'mooring_http_connections{state="idle"} 1',
      'mooring_http_requests{state="waiting"} 0',
      'mooring_http_connections_refused_total{reason="address"} 1',
    ].every((line) => text.split('\n').includes(line))
  })
})
