/**
 * The embedded broker behind the service's port: MQTT 3.1, 3.1.1 and 5 on TCP, TLS and WebSocket.
 *
 * It lacks:
 * - Clustering. A session is known to the process that holds its socket.
 * - Enhanced authentication.
 *
 * When the broker ends a session, its will is published, as MQTT 5.0 section 3.1.2.5 requires
 * unless the client itself sent a DISCONNECT. Two ends publish none: a session that is no longer
 * authorized must not publish, and at a stop no subscriber is left.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { withDeadline } from '../../../platform/lib/deadline.ts'
import type {
  Broker,
  BrokerAuthority,
  DisconnectReason,
  Message,
  Session,
  TopicRule,
} from '../port.ts'
import type { BrokerStore } from '../store-port.ts'
import { isTopicName } from '../topics.ts'
import type { LostMessages } from './delivery.ts'
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
import { Message as BrokerMessage } from './message.ts'

export interface EmbeddedBrokerOptions {
  /** The interface to listen on, for instance `127.0.0.1`. */
  host: string
  ports: BrokerPorts
  /** Needed for the ports `tls` and `wss`. */
  tls?: TlsSettings | undefined
  log: BrokerLog
  /** Keeps sessions and retained messages; without a store they end with the process. */
  store?: BrokerStore | undefined
  /** Limits that differ from `DEFAULT_LIMITS`. */
  limits?: Partial<EmbeddedBrokerLimits>
}

/** How long a stop waits for clients to read their DISCONNECT. */
const STOP_TIMEOUT_MS = 2_000

/** A disconnect with `not_authorized` also deletes the principal's will and retained messages. */
export class EmbeddedBroker implements Broker {
  #options: EmbeddedBrokerOptions
  #limits: EmbeddedBrokerLimits
  #running: { engine: Engine; listeners: Listeners } | undefined

  constructor(options: EmbeddedBrokerOptions) {
    this.#options = options
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits }
  }

  /** The port of the plain listener, once started. */
  get port(): number {
    const { tcp } = this.ports
    if (tcp === undefined) throw new Error('The broker has no plain listener.')
    return tcp
  }

  /** The ports of all listeners, once started. */
  get ports(): Listeners['ports'] {
    return this.#require().listeners.ports
  }

  /** Messages that were lost since the start of the broker. */
  get lost(): Readonly<LostMessages> {
    return this.#running?.engine.lost ?? { queue_full: 0, slow_reader: 0 }
  }

  /** Uses another certificate from the next handshake on. */
  renewCertificate(identity: TlsIdentity): void {
    this.#require().listeners.renew(identity)
  }

  async start(authority: BrokerAuthority): Promise<void> {
    if (this.#running !== undefined) throw new Error('The broker is started already.')
    const { log, host, ports, tls, store } = this.#options
    const engine = new Engine({ authority, log, limits: this.#limits, store })
    await engine.restore()
    const listeners = await openListeners({
      host,
      ports,
      tls,
      limits: this.#limits,
      accept: (stream, listener) => engine.accept(stream, listener),
      onError: (error, listener) =>
        log.error({ err: error, listener }, 'The MQTT listener failed.'),
    })
    engine.wheel.start()
    this.#running = { engine, listeners }
  }

  async stop(): Promise<void> {
    if (this.#running === undefined) return
    const { engine, listeners } = this.#running
    this.#running = undefined
    const closed = listeners.close()
    const ended = Promise.all([...engine.clients].map((client) => engine.stop(client)))
    await withDeadline(STOP_TIMEOUT_MS, ended, () => [])
    for (const { stream } of engine.clients) stream.destroy()
    engine.wheel.stop()
    listeners.disconnect()
    await closed
    await this.#options.store?.close()
  }

  async publish(message: Message): Promise<void> {
    const { engine } = this.#require()
    if (!isTopicName(message.topic)) throw new Error('The topic of a message is malformed.')
    const { topic, payload, qos, retain, workspaceId } = message
    const own = new BrokerMessage(topic, payload, qos, retain)
    own.workspaceId = workspaceId
    engine.publishing.distribute(own)
  }

  async disconnect(
    principalId: string,
    reason: DisconnectReason,
    sessionIds?: readonly string[],
  ): Promise<number> {
    const { engine } = this.#require()
    const { sessions, lifecycle, retained, disconnects } = engine
    disconnects.note(principalId)
    const found = sessions
      .ofPrincipal(principalId)
      .filter(
        ({ client, info }) =>
          sessionIds === undefined || (client !== undefined && sessionIds.includes(info.sessionId)),
      )
    if (sessionIds === undefined && reason === 'not_authorized') retained.discard(principalId)
    const open = found.filter(({ client }) => client !== undefined).length
    const gone = found.map(async (session) => {
      if (session.client !== undefined) return await lifecycle.end(session.client, reason)
      lifecycle.endStored(session, reason === 'administrative')
    })
    await Promise.all(gone)
    return open
  }

  async regrant(principalId: string, rules: readonly TopicRule[]): Promise<number> {
    const { engine } = this.#require()
    const live = engine.lifecycle.regrant(principalId, rules)
    engine.disconnects.note(principalId)
    // Messages that the previous rules allowed are written at the end of this turn.
    await nextTurn()
    return live
  }

  connections(principalId?: string): Session[] {
    const sessions = this.#running?.engine.sessions
    const found = principalId === undefined ? sessions?.all() : sessions?.ofPrincipal(principalId)
    return (found ?? []).filter(({ client }) => client !== undefined).map(({ info }) => info)
  }

  #require(): { engine: Engine; listeners: Listeners } {
    if (this.#running === undefined) throw new Error('The broker is stopped.')
    return this.#running
  }
}
