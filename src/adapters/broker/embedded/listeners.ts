/**
 * The listeners of the embedded broker: plain TCP, TLS, and WebSocket with and without TLS
 * (MQTT 5.0 section 6). The engine gets a stream of bytes from each.
 */
import { once } from 'node:events'
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import {
  createServer as createTlsServer,
  Server as TlsServer,
  type TlsOptions,
  type TLSSocket,
} from 'node:tls'
import { createWebSocketStream, type WebSocket, WebSocketServer } from 'ws'
import type { Transport } from '../port.ts'
import { addressOf, PendingConnections, type ByteStream } from './pending-connections.ts'
import type { EmbeddedBrokerLimits } from './limits.ts'

/** The certificate and key that a server proves itself with, in PEM. */
export interface TlsIdentity {
  cert: string | Buffer
  key: string | Buffer
}

export interface TlsSettings extends TlsIdentity {
  /**
   * 48 bytes that encrypt session tickets (RFC 5077): processes with the same bytes resume each
   * other's sessions, and their own after a restart. By default each process generates its own.
   */
  ticketKeys?: Buffer
  /** Finds another certificate by the name that the client asks for (RFC 6066 section 3). */
  SNICallback?: NonNullable<TlsOptions['SNICallback']>
}

/** The ports to listen on; 0 takes a free one, and a listener that is left out stays closed. */
export interface BrokerPorts {
  tcp?: number | undefined
  tls?: number | undefined
  ws?: number | undefined
  wss?: number | undefined
}
export type ListenerKind = keyof BrokerPorts & Transport

/** The path of MQTT over WebSocket. */
const WEBSOCKET_PATH = '/mqtt'
/** MQTT 5.0 section 6, and what clients of MQTT 3.1 ask for. */
const SUBPROTOCOLS = ['mqtt', 'mqttv3.1']

/** The most fragments of a message. Only attackers send more, since each takes up memory. */
const FRAGMENTS = 1_024

/** The most bytes of WebSocket framing around a CONNECT. */
const FRAMING_BYTES = FRAGMENTS * 8

/** How long a client that broke the protocol may take to close; ws would wait half a minute. */
const CLOSING_MS = 1_000

/** How often Node checks for handshakes that take too long; its default is 30 s. */
const CHECK_MS = 5_000

type Accept = (byteStream: ByteStream) => void

/** Connections that may wait to be accepted; the kernel lowers it to `net.core.somaxconn`. */
const BACKLOG = 8_192

/**
 * Answers a request for an upgrade with a plain response. Node has detached the socket from its
 * HTTP server, and an error of a socket without a listener would end the process.
 */
const respondPlain = (socket: Socket, status: string): void => {
  socket.on('error', () => socket.destroy())
  socket.once('finish', () => socket.destroy())
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}

/** The server name of the TLS handshake; empty without TLS, or if the client sent no name. */
function serverNameOf(socket: Socket): string[] {
  const { servername } = socket as Partial<TLSSocket>
  return typeof servername === 'string' && servername !== '' ? [servername] : []
}

/** A `Host` without its port; an IPv6 address is no name. */
const named = (host: string | undefined): string[] =>
  host === undefined ? [] : [host.replace(/:\d*$/, '')]

/**
 * Closes a WebSocket that sends more bytes than a CONNECT may have before its CONNECT is accepted:
 * ws buffers a whole message before it passes on any part of it.
 * @returns a function that removes this bound
 */
function boundUntilAdmitted(webSocket: WebSocket, socket: Socket, bytes: number): () => void {
  let received = 0
  const count = (chunk: Buffer): void => {
    received += chunk.length
    if (received > bytes + FRAMING_BYTES) webSocket.close(1009, 'Too much before a CONNECT')
  }
  socket.on('data', count)
  return () => void socket.off('data', count)
}

/** Limits connections that wait for their upgrade, like sockets that wait for their CONNECT. */
function countHandshakes(server: HttpServer, limits: EmbeddedBrokerLimits): PendingConnections {
  const handshakes = new PendingConnections(limits)
  const opened = server instanceof TlsServer ? 'secureConnection' : 'connection'
  server.on(opened, (socket: Socket) => {
    if (handshakes.enter(socket, addressOf(socket))) {
      socket.once('close', () => handshakes.leave(socket))
    } else socket.destroy()
  })
  return handshakes
}

/** Accepts WebSocket handshakes of MQTT, and refuses all other HTTP requests. */
function serveWebSocket(server: HttpServer, accept: Accept, limits: EmbeddedBrokerLimits): void {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: limits.packetBytes,
    maxFragments: FRAGMENTS,
    perMessageDeflate: false,
    clientTracking: false,
    handleProtocols: (offered) => SUBPROTOCOLS.find((each) => offered.has(each)) ?? false,
  })
  const handshakes = countHandshakes(server, limits)
  server.headersTimeout = limits.connectTimeoutMs
  server.requestTimeout = limits.connectTimeoutMs
  server.on('request', (_request, response) => {
    response.writeHead(426, { upgrade: 'websocket', connection: 'close' }).end()
  })
  server.on('upgrade', (request, socket: Socket, head) => {
    handshakes.leave(socket)
    const offers = request.headers['sec-websocket-protocol'] ?? ''
    // A regular expression for the blanks would take quadratic time on a long run of them.
    const offered = offers.split(',').map((each) => each.trim())
    if (request.url?.split('?')[0] !== WEBSOCKET_PATH) return respondPlain(socket, '404 Not Found')
    if (!SUBPROTOCOLS.some((each) => offered.includes(each))) {
      return respondPlain(socket, '400 Bad Request')
    }
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      webSocket.on('message', (_data, isBinary) => {
        if (!isBinary) webSocket.close(1003, 'MQTT is sent in binary frames')
      })
      webSocket.on('error', () => setTimeout(() => webSocket.terminate(), CLOSING_MS).unref())
      const stream = createWebSocketStream(webSocket)
      accept(
        Object.assign(stream, {
          remoteAddress: socket.remoteAddress,
          hosts: [...named(request.headers.host), ...serverNameOf(socket)],
          setKeepAlive: (on: boolean, ms: number) => socket.setKeepAlive(on, ms),
          admitted: boundUntilAdmitted(webSocket, socket, limits.connectPacketBytes),
        }),
      )
    })
  })
}

/** A server of one kind, not listening yet. */
function createListener(
  listener: ListenerKind,
  accept: Accept,
  limits: EmbeddedBrokerLimits,
  tls: TlsSettings | undefined,
): Server {
  const handshake = { ...tls, handshakeTimeout: limits.connectTimeoutMs, noDelay: true }
  switch (listener) {
    case 'tcp':
      return createServer({ noDelay: true }, accept)
    case 'tls': {
      const server = createTlsServer(handshake, (socket) =>
        accept(Object.assign(socket, { hosts: serverNameOf(socket) })),
      )
      server.on('tlsClientError', (_error, socket) => socket.destroy())
      return server
    }
    default: {
      const checks = { connectionsCheckingInterval: CHECK_MS }
      const server =
        listener === 'ws'
          ? createHttpServer(checks)
          : createHttpsServer({ ...handshake, ...checks })
      serveWebSocket(server, accept, limits)
      return server
    }
  }
}

/** Collects the sockets below TLS and WebSocket while they are open. */
function remember(server: Server, sockets: Set<Socket>): void {
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
}

export interface Listeners {
  /** The ports as they were bound. */
  ports: Readonly<Partial<Record<ListenerKind, number>>>
  /** Uses another certificate for new handshakes; open sessions stay open. */
  renew(identity: TlsIdentity): void
  /** Stops accepting connections; resolves when the ports are free and all connections ended. */
  close(): Promise<void>
  /** Destroys the sockets below TLS and WebSocket, also in the middle of a handshake. */
  disconnect(): void
}

const LISTENER_KINDS: readonly ListenerKind[] = ['tcp', 'tls', 'ws', 'wss']

export interface ListenerOptions {
  host: string
  ports: BrokerPorts
  tls: TlsSettings | undefined
  limits: EmbeddedBrokerLimits
  /** Takes a connection: `Engine.accept`. */
  accept: (byteStream: ByteStream, listener: ListenerKind) => void
  onError: (error: Error, listener: ListenerKind) => void
}

/** Opens each listener that has a port. If one fails, closes the others and throws its error. */
export async function openListeners(options: ListenerOptions): Promise<Listeners> {
  const { host, ports, tls, limits, accept, onError } = options
  const servers = new Map<ListenerKind, Server>()
  const inProgress = new Set<Socket>()
  const close = async (): Promise<void> => {
    const closing = [...servers.values()].map(async (server) => {
      const closed = once(server, 'close')
      server.close()
      await closed
    })
    await Promise.all(closing)
  }
  try {
    for (const listener of LISTENER_KINDS) {
      const port = ports[listener]
      if (port === undefined) continue
      if (tls === undefined && (listener === 'tls' || listener === 'wss'))
        throw new Error(`The listener ${listener} needs a certificate.`)
      const server = createListener(
        listener,
        (byteStream) => accept(byteStream, listener),
        limits,
        tls,
      )
      // The engine knows plain TCP sockets from the start, without a handshake.
      if (listener !== 'tcp') remember(server, inProgress)
      server.maxConnections = limits.sockets
      // All clients of a fleet may reconnect at once; a client that finds no room repeats its SYN.
      server.listen({ host, port, backlog: BACKLOG })
      await once(server, 'listening')
      server.on('error', (error) => onError(error, listener))
      servers.set(listener, server)
    }
  } catch (error) {
    await close()
    throw error
  }
  const bound = [...servers].map(([listener, server]) => [
    listener,
    (server.address() as AddressInfo).port,
  ])
  return {
    ports: Object.fromEntries(bound) as Listeners['ports'],
    renew(identity) {
      for (const server of servers.values()) {
        if (server instanceof TlsServer) server.setSecureContext({ ...tls, ...identity })
      }
    },
    close,
    disconnect() {
      for (const socket of inProgress) socket.destroy()
    },
  }
}
