/**
 * Bounds what the clients of an HTTP server may take up: connections, also by address, and
 * requests on one connection. Requests of one connection are handled one after the other, as their
 * responses are sent, so one connection costs no more at once than any other.
 */
import {
  createServer as createHttp,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http'
import { createServer as createHttps, type ServerOptions as TlsOptions } from 'node:https'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { type AddressBlocks, addressBlocks } from '../lib/address-block.ts'
import { Networks } from '../lib/networks.ts'
import { Tally } from '../lib/tally.ts'

export interface ConnectionLimits {
  /** Connections of the server. */
  connections: number
  /** Connections of one address, except of a trusted proxy. */
  connectionsPerAddress: number
}

/** More pipelined requests are sent by nobody who reads the responses. */
const MAX_PIPELINED = 32
const TLS_HANDSHAKE_MS = 10_000
/** How often Node checks for requests that take too long; its default is 30 s. */
const CHECK_MS = 5_000

interface Exchange {
  request: IncomingMessage
  response: ServerResponse
}

/** A connection after its TLS handshake, if any. */
interface Connection {
  /** The request that is being handled. */
  current: Exchange | undefined
  /** Pipelined requests behind it. */
  waiting: Exchange[]
  /** Bytes that had been read when it was last idle. */
  readBefore: number
}

export class HttpConnections {
  /** Connections that were closed because they were too many or sent too much, since the start. */
  readonly refused = { total: 0, address: 0, pipeline: 0 }
  readonly #limits: ConnectionLimits
  readonly #proxies: Networks
  readonly #perBlock = new Tally()
  /** All connections, also during their TLS handshake. */
  #count = 0
  readonly #open = new Map<Socket, Connection>()

  constructor(limits: ConnectionLimits, trustedProxies: readonly string[] = []) {
    this.#limits = limits
    this.#proxies = new Networks(trustedProxies)
  }

  /** A server that is bounded so. */
  createServer(
    options: ServerOptions,
    tls: Pick<TlsOptions, 'cert' | 'key'> | undefined,
    listener: RequestListener,
  ): Server {
    const handle: RequestListener = (request, response) =>
      this.#take({ request, response }, listener)
    const all = { connectionsCheckingInterval: CHECK_MS, ...options }
    const server = tls
      ? createHttps({ ...all, ...tls, handshakeTimeout: TLS_HANDSHAKE_MS }, handle)
      : createHttp(all, handle)
    // Without a listener, Node itself would respond to other expectations, with an empty body.
    server.on('checkExpectation', handle)
    server.on('connection', (socket: Socket) => this.#admit(socket))
    server.on(tls ? 'secureConnection' : 'connection', (socket: Socket) => this.#track(socket))
    return server
  }

  /** Whether a part of a response has been sent, and the rest has not. */
  isResponding(socket: Socket): boolean {
    return this.#open.get(socket)?.current?.response.headersSent === true
  }

  /** Connections by what they do. */
  states(): Record<'incomplete' | 'handling' | 'idle', number> {
    const states = { incomplete: this.#count - this.#open.size, handling: 0, idle: 0 }
    for (const [socket, { current, readBefore }] of this.#open) {
      if (current?.request.complete === true) states.handling += 1
      else if (current !== undefined || socket.bytesRead > readBefore) states.incomplete += 1
      // One that has sent nothing yet has no request that is complete either.
      else if (readBefore === 0) states.incomplete += 1
      else states.idle += 1
    }
    return states
  }

  /** Requests that are being handled, and those that wait behind one of their connection. */
  requests(): Record<'handling' | 'waiting', number> {
    const requests = { handling: 0, waiting: 0 }
    for (const { current, waiting } of this.#open.values()) {
      if (current !== undefined) requests.handling += 1
      requests.waiting += waiting.length
    }
    return requests
  }

  #admit(socket: Socket): void {
    const { connections, connectionsPerAddress } = this.#limits
    const blocks = this.#blocksOf(socket)
    const isFull = blocks.some(
      ({ name, budget }) => this.#perBlock.of(name) >= connectionsPerAddress * budget,
    )
    if (isFull || this.#count >= connections) {
      this.refused[isFull ? 'address' : 'total'] += 1
      socket.destroy()
      return
    }
    this.#count += 1
    for (const { name } of blocks) this.#perBlock.add(name, 1)
    socket.once('close', () => {
      this.#count -= 1
      for (const { name } of blocks) this.#perBlock.add(name, -1)
    })
  }

  /** The key to count a connection by; none for proxies, whose clients share their address. */
  #blocksOf({ remoteAddress }: Socket): AddressBlocks | readonly [] {
    const blocks = addressBlocks(remoteAddress)
    const plain = (remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/i, '')
    return this.#proxies.has(plain) ? [] : blocks
  }

  #track(socket: Socket): void {
    if (socket.destroyed) return
    this.#open.set(socket, { current: undefined, waiting: [], readBefore: 0 })
    socket.once('close', () => this.#open.delete(socket))
  }

  #take(exchange: Exchange, listener: RequestListener): void {
    const { socket } = exchange.request
    const connection = this.#open.get(socket)
    // It was closed in the meantime, and nobody waits for the response.
    if (connection === undefined) return
    if (connection.current === undefined) return this.#handle(connection, exchange, listener)
    connection.waiting.push(exchange)
    if (connection.waiting.length <= MAX_PIPELINED) return
    this.refused.pipeline += 1
    // Each of them is parsed and in memory, and no response can overtake the ones before it.
    this.#open.delete(socket)
    socket.destroy()
  }

  #handle(connection: Connection, exchange: Exchange, listener: RequestListener): void {
    const { request, response } = exchange
    const { socket } = request
    connection.current = exchange
    // Once the response is handed to the system, or its connection is closed.
    response.once('close', () => {
      connection.current = undefined
      connection.readBefore = socket.bytesRead
      const next = connection.waiting.shift()
      if (next !== undefined && this.#open.has(socket)) this.#handle(connection, next, listener)
    })
    listener(request, response)
  }
}

const STALL_MS = 60_000

/**
 * A plugin for `createServer` that disconnects clients which do not read their response, to free
 * what it holds. Streams have a limit of their own.
 * @param stallMs how long a client may read nothing
 */
export const destroyStalled =
  (stallMs = STALL_MS) =>
  (app: FastifyInstance): void => {
    app.addHook('onSend', (_request, { raw }, payload, done) => {
      const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload)
      // Small ones too: the buffers of the system may be full of earlier responses.
      if (isWhole) raw.setTimeout(stallMs, () => raw.destroy())
      done(null, payload)
    })
  }
