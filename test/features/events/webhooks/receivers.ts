/** Receivers of webhooks on loopback: good ones, and every kind of bad one. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcp, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { gzipSync } from 'node:zlib'
import { defer } from '../../../support/cleanup.ts'
import { until } from '../../../support/until.ts'

export const badBehaviours = [
  'fails',
  'hangs',
  'endless',
  'drips',
  'bomb',
  'headers',
  'redirects',
  'garbage',
  'closes',
] as const
export type Behaviour = 'good' | (typeof badBehaviours)[number]

export interface Got {
  /** The event's id. */
  id: string
  timestamp: string
  signature: string
  body: string
  /** When it came, in milliseconds since the epoch. */
  at: number
}

export interface Receiver {
  url: string
  /** The accepted requests, in the order in which they came. */
  got: Got[]
  /** The ids of accepted deliveries. */
  ids: Set<string>
  /** Requests, whatever became of them. */
  requests: number
  behaviour: Behaviour
  /** Milliseconds that a successful response takes. */
  delayMs: number
  /** Where it redirects to. */
  elsewhere: string
  /** Refuses connections. */
  die(): Promise<void>
  /** Is there again, at the same place. */
  rise(): Promise<unknown>
}

const gotOf = (headers: IncomingHttpHeaders, body: string): Got => ({
  id: String(headers['webhook-id']),
  timestamp: String(headers['webhook-timestamp']),
  signature: String(headers['webhook-signature']),
  body,
  at: Date.now(),
})

const bomb = gzipSync(Buffer.alloc(20_000_000))

/** Writes for as long as somebody listens. */
function pour(socket: Socket, text: string): void {
  const more = (): void => {
    if (!socket.destroyed) socket.write(text, () => setImmediate(more))
  }
  more()
}

/** A byte in a second: the bytes are never a whole response. */
function drip(socket: Socket): void {
  const text = 'HTTP/1.1 200 OK\r\nX-Filling: '
  let at = 0
  const timer = setInterval(() => {
    socket.write(text[at] ?? 'x')
    at += 1
  }, 1_000)
  socket.once('close', () => clearInterval(timer))
}

function respond(response: ServerResponse, receiver: Receiver): void {
  const socket = response.socket as Socket
  switch (receiver.behaviour) {
    case 'good':
      response.writeHead(200, { 'content-type': 'text/plain' }).end('taken')
      break
    case 'fails':
      response.writeHead(500).end('no')
      break
    case 'endless':
      socket.write('HTTP/1.1 500 No\r\n\r\n')
      pour(socket, 'x'.repeat(16_384))
      break
    case 'headers':
      socket.write('HTTP/1.1 200 OK\r\n')
      pour(socket, 'x-filling: x\r\n'.repeat(1_000))
      break
    case 'drips':
      drip(socket)
      break
    case 'bomb':
      response.writeHead(500, { 'content-encoding': 'gzip' }).end(bomb)
      break
    case 'redirects':
      response.writeHead(307, { location: receiver.elsewhere }).end()
      break
    case 'closes':
      socket.destroy()
      break
    default:
  }
}

/** Starts one on a free port; it is closed after the test. */
export async function startReceiver(
  t: Pick<TestContext, 'after'>,
  behaviour: Behaviour = 'good',
): Promise<Receiver> {
  const sockets = new Set<Socket>()
  const serve = createServer((request, response) => {
    receiver.requests += 1
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const finish = (): void => {
        if (receiver.behaviour === 'good') {
          const got = gotOf(request.headers, Buffer.concat(chunks).toString())
          receiver.got.push(got)
          receiver.ids.add(got.id)
        }
        respond(response, receiver)
      }
      if (receiver.delayMs > 0) setTimeout(finish, receiver.delayMs)
      else finish()
    })
  })
  // A client that speaks TLS does not accept this.
  const babble = createTcp((socket) => void socket.end('\x16\x03\x01\xff\xff'.repeat(99)))
  const server = behaviour === 'garbage' ? babble : serve
  server.on('connection', (socket: Socket) => {
    sockets.add(socket.on('error', () => {}))
    socket.once('close', () => sockets.delete(socket))
  })
  const die = async (): Promise<void> => {
    if (!server.listening) return
    const closed = once(server, 'close')
    server.close()
    for (const socket of sockets) socket.destroy()
    await closed
  }
  let port = 0
  // While it was away, the port may have been lent to a connection of somebody else.
  const rise = (): Promise<unknown> =>
    until('the port is free', async () => {
      server.listen(port, '127.0.0.1')
      const isUp = await once(server, 'listening').then(
        () => true,
        () => false,
      )
      if (isUp) ({ port } = server.address() as AddressInfo)
      return isUp
    })
  await rise()
  defer(t, die)
  const receiver: Receiver = {
    url: `${behaviour === 'garbage' ? 'https' : 'http'}://127.0.0.1:${port}/in`,
    got: [],
    ids: new Set(),
    requests: 0,
    behaviour,
    delayMs: 0,
    elsewhere: '',
    die,
    rise,
  }
  return receiver
}

/** Counts who comes to a place where nobody should. */
export async function startSink(t: Pick<TestContext, 'after'>) {
  const sink = { port: 0, hits: 0 }
  const listen = async (host: string): Promise<void> => {
    const server = createTcp((socket) => {
      sink.hits += 1
      socket.destroy()
    })
    server.listen(sink.port, host)
    await once(server, 'listening')
    sink.port = (server.address() as AddressInfo).port
    defer(t, () => void server.close())
  }
  await listen('0.0.0.0')
  return sink
}
