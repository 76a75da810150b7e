/**
 * The embedded broker: aedes 2.0.0-beta.1 behind the service's port; MQTT 3.1, 3.1.1 and 5 on TCP,
 * TLS and WebSocket.
 *
 * What it lacks:
 * - Shared subscriptions. `$share/…` is refused, and the CONNACK says so to MQTT 5 clients.
 * - Persistence. Sessions, queued and retained messages live in memory and are lost at restart.
 * - Clustering. A session is known to the process that holds its socket.
 * - The Receive Maximum and Maximum Packet Size of MQTT 5 clients, topic aliases, and enhanced
 *   authentication.
 * - A message that matches several subscriptions of one client is delivered once, with the QoS of
 *   any of them; a durable session may then get it a second time when its client comes back.
 *
 * When the broker ends a session, its will is published, as MQTT 5.0 section 3.1.2.5 requires
 * unless the client itself sent a DISCONNECT. Two ends publish none: a session that is no longer
 * authorized must not publish, and at a stop no subscriber is left.
 */
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises'
import type {
  Broker,
  BrokerAuthority,
  DisconnectReason,
  Message,
  Session,
  TopicRule,
} from '../port.ts'
import { isTopicName } from '../topics.ts'
import { Engine } from './engine.ts'
import { DEFAULT_LIMITS, type EmbeddedBrokerLimits } from './limits.ts'
import {
  type BrokerPorts,
  type Listeners,
  openListeners,
  type TlsIdentity,
  type TlsSettings,
} from './listeners.ts'
import type { BrokerLog } from './log.ts'
import { isOpen } from './registry.ts'

export interface EmbeddedBrokerOptions {
  /** The interface to listen on, for instance `127.0.0.1`. */
  host: string
  ports: BrokerPorts
  /** Needed for the ports `tls` and `wss`. */
  tls?: TlsSettings | undefined
  log: BrokerLog
  /** What differs from `DEFAULT_LIMITS`. */
  limits?: Partial<EmbeddedBrokerLimits>
}

export interface EmbeddedBroker extends Broker {
  /** The port of the plain listener, once started. */
  readonly port: number
  /** The ports that are listened on, once started. */
  readonly ports: Listeners['ports']
  /** Shows another certificate from the next handshake on. */
  renewCertificate(identity: TlsIdentity): void
}

/** How long a stop waits for clients to read their DISCONNECT. */
const STOP_TIMEOUT_MS = 2_000

class AedesBroker implements EmbeddedBroker {
  #options: EmbeddedBrokerOptions
  #limits: EmbeddedBrokerLimits
  #running: { engine: Engine; listeners: Listeners } | undefined

  constructor(options: EmbeddedBrokerOptions) {
    this.#options = options
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits }
  }

  get port(): number {
    const { tcp } = this.ports
    if (tcp === undefined) throw new Error('The broker has no plain listener.')
    return tcp
  }

  get ports(): Listeners['ports'] {
    return this.#require().listeners.ports
  }

  renewCertificate(identity: TlsIdentity): void {
    this.#require().listeners.renew(identity)
  }

  async start(authority: BrokerAuthority): Promise<void> {
    if (this.#running !== undefined) throw new Error('The broker is started already.')
    const { log, host, ports, tls } = this.#options
    const engine = new Engine({ authority, log, limits: this.#limits })
    await engine.aedes.listen()
    try {
      const listeners = await openListeners({
        host,
        ports,
        tls,
        limits: this.#limits,
        accept: (stream, listener) => engine.accept(stream, listener),
        onError: (error, listener) =>
          log.error({ err: error, listener }, 'The MQTT listener failed.'),
      })
      this.#running = { engine, listeners }
    } catch (error) {
      engine.aedes.close()
      throw error
    }
  }

  async stop(): Promise<void> {
    if (this.#running === undefined) return
    const { engine, listeners } = this.#running
    this.#running = undefined
    const closed = listeners.close()
    const ended = Promise.withResolvers<void>()
    for (const connection of engine.registry.all()) connection.ending ??= 'stopping'
    engine.aedes.close(() => ended.resolve())
    await Promise.race([ended.promise, wait(STOP_TIMEOUT_MS, undefined, { ref: false })])
    for (const stream of engine.streams.keys()) stream.destroy()
    listeners.disconnect()
    await closed
  }

  async publish(message: Message): Promise<void> {
    const { engine } = this.#require()
    if (!isTopicName(message.topic)) throw new Error('The topic of a message is malformed.')
    const published = Promise.withResolvers<void>()
    engine.aedes.publish({ cmd: 'publish', dup: false, ...message }, (error) => {
      if (error) published.reject(error)
      else published.resolve()
    })
    await published.promise
  }

  async disconnect(
    principalId: string,
    reason: DisconnectReason,
    sessionIds?: readonly string[],
  ): Promise<number> {
    const { engine } = this.#require()
    const { registry, lifecycle, persistence, disconnects } = engine
    disconnects.note(principalId)
    const connections = registry
      .ofPrincipal(principalId)
      .filter(({ session }) => sessionIds?.includes(session.sessionId) ?? true)
    const open = connections.filter(isOpen)
    const gone = connections.map((connection) => lifecycle.end(connection, reason))
    if (sessionIds === undefined && reason === 'not_authorized') {
      persistence.retained.discard(principalId)
    }
    const stored =
      sessionIds === undefined
        ? persistence.sessions.namesOf(principalId)
        : connections.map(({ name }) => name)
    for (const name of stored) lifecycle.endStored(name, reason === 'administrative')
    await Promise.all(gone)
    return open.length
  }

  async regrant(principalId: string, rules: readonly TopicRule[]): Promise<number> {
    const live = this.#require().engine.regrant(principalId, rules)
    // A message that was let through is written a turn later.
    await turn()
    await turn()
    return live
  }

  connections(principalId?: string): Session[] {
    const registry = this.#running?.engine.registry
    const found = principalId === undefined ? registry?.all() : registry?.ofPrincipal(principalId)
    return (found ?? []).filter(isOpen).map(({ session }) => session)
  }

  #require(): { engine: Engine; listeners: Listeners } {
    if (this.#running === undefined) throw new Error('The broker is stopped.')
    return this.#running
  }
}

/**
 * The embedded broker, not started yet.
 * A disconnect with `not_authorized` also deletes the principal's will and retained messages.
 */
export function createEmbeddedBroker(options: EmbeddedBrokerOptions): EmbeddedBroker {
  return new AedesBroker(options)
}
