/** Opens and ends sessions, and notifies the authority in order. */
import type { Client } from 'aedes'
import type { BrokerAuthority, ConnectRequest } from '../port.ts'
import type { CompiledRules } from '../topics.ts'
import type { AedesInternals, ClientInternals } from './internals.ts'
import type { BrokerLog } from './log.ts'
import type { MemoryPersistence } from './persistence.ts'
import { DISCONNECT_CODES, type EndReason, type Refused } from './reason-codes.ts'
import {
  isByService,
  deletesState,
  isOpen,
  markGone,
  whenGone,
  type Connection,
  type Registry,
} from './registry.ts'

export interface LifecycleParts {
  authority: BrokerAuthority
  registry: Registry
  persistence: MemoryPersistence
  log: BrokerLog
}

/** How long a client may take to read its DISCONNECT before its socket is destroyed. */
const DISCONNECT_TIMEOUT_MS = 500

export class Lifecycle {
  #parts: LifecycleParts
  /** The sessions whose will waits for its delay, by name. */
  #withDelayedWill = new Map<string, Connection>()
  #aedes: AedesInternals | undefined

  constructor(parts: LifecycleParts) {
    this.#parts = parts
  }

  /** Follows the events of the broker that this life cycle belongs to. */
  attach(aedes: AedesInternals): void {
    this.#aedes = aedes
    aedes.on('client', (client) => this.#registered(client))
    aedes.on('clientDisconnect', (client) => this.#unregistered(client))
    // Subscriptions of a durable session are restored before it opens, and reported only here.
    aedes.on('clientReady', (client) => this.#subscribed(client, undefined))
    aedes.on('subscribe', (subscriptions, client) =>
      this.#subscribed(
        client,
        subscriptions.map(({ topic }) => topic),
      ),
    )
    aedes.on('keepaliveTimeout', (client) => {
      const connection = this.#parts.registry.ofClient(client)
      if (connection === undefined) return
      void this.end(connection, 'keepalive_timeout')
      // aedes destroys the socket right after this: the DISCONNECT has to leave now.
      client.conn.uncork()
    })
    aedes.on('unsubscribe', (filters, client) => {
      const held = this.#parts.registry.ofClient(client)?.filters
      for (const filter of filters) held?.delete(filter)
    })
  }

  /** Calls the authority; its errors are logged and do not affect the session. */
  notify(call: () => void): void {
    try {
      call()
    } catch (error) {
      this.#parts.log.error({ err: error }, 'A broker event could not be handled.')
    }
  }

  refused(request: ConnectRequest, { refusal, ...why }: Refused): void {
    const reason = refusal === 'too_often' ? 'busy' : refusal
    this.notify(() => this.#parts.authority.refused(request, { reason, ...why }))
  }

  /** Called right before aedes sends the CONNACK: the session exists before the client knows. */
  #registered(client: Client): void {
    const connection = this.#parts.registry.ofClient(client)
    // aedes itself would never unregister a client that was closed meanwhile.
    if (connection === undefined || client.closed) return this.#aedes?.unregisterClient(client)
    connection.registered = true
    this.#withDelayedWill.delete(connection.name)
    const { sessions, retained } = this.#parts.persistence
    sessions.cameBack(connection.name)
    sessions.regrant(connection.name, connection.rules)
    retained.handOver(connection.session.grant)
    this.notify(() => this.#parts.authority.sessionOpened(connection.session))
  }

  #unregistered(client: Client): void {
    const connection = this.#parts.registry.ofClient(client)
    if (connection?.registered !== true || connection.unregistered) return
    const { persistence, authority } = this.#parts
    const { name, session } = connection
    connection.unregistered = true
    if (client.clean || deletesState(connection)) {
      persistence.discard(name)
    } else {
      persistence.sessions.wentAway(name)
    }
    if (this.#aedes?.delayedWills.has(name) === true) this.#withDelayedWill.set(name, connection)
    this.notify(() => authority.sessionClosed(session, connection.ending ?? 'client'))
    this.#settle(connection)
  }

  /** @param asked filters of a SUBSCRIBE; undefined: all filters of the session */
  #subscribed(client: Client, asked: readonly string[] | undefined): void {
    const connection = this.#parts.registry.ofClient(client)
    if (connection === undefined || !isOpen(connection)) return
    const { filters, session } = connection
    const granted = (asked ?? [...filters.keys()]).filter((filter) => filters.has(filter))
    if (granted.length === 0) return
    this.notify(() => this.#parts.authority.subscribed(session, granted))
  }

  socketClosed(client: Client): void {
    const connection = this.#parts.registry.ofClient(client)
    if (connection === undefined) return
    connection.socketClosed = true
    this.#settle(connection)
  }

  #settle(connection: Connection): void {
    const { registered, unregistered, socketClosed } = connection
    if (!socketClosed || (registered && !unregistered)) return
    this.#parts.registry.remove(connection)
    markGone(connection)
  }

  /**
   * Ends a live session; resolves when its socket is closed. The client gets the first reason;
   * a disconnect by the service also applies to a session that is already ending.
   */
  end(connection: Connection, reason: EndReason): Promise<void> {
    const first = connection.ending === undefined
    if (first || isByService(reason)) connection.ending = reason
    const client = connection.client as ClientInternals
    // The session ends now, and its will is published without delay.
    if (isByService(reason)) client.sessionExpiryInterval = 0
    if (first) {
      sendDisconnect(client, connection.registered, DISCONNECT_CODES[reason])
      setTimeout(() => client.conn.destroy(), DISCONNECT_TIMEOUT_MS).unref()
    }
    return whenGone(connection)
  }

  /** A delayed will is checked against the rules that apply when it is due. */
  regrantWills(principalId: string, rules: CompiledRules): void {
    for (const connection of this.#withDelayedWill.values()) {
      if (connection.session.grant.principalId === principalId) connection.rules = rules
    }
  }

  willIsDue({ name }: Connection): void {
    this.#withDelayedWill.delete(name)
  }

  /** Ends a stored session whose client is disconnected, and its delayed will. */
  endStored(name: string, publishWill: boolean): void {
    this.#parts.persistence.discard(name)
    this.#aedes?.clearSessionExpiry(name)
    const departed = this.#withDelayedWill.get(name)
    if (departed?.will === undefined) return
    this.#withDelayedWill.delete(name)
    this.#aedes?.clearDelayedWill(name)
    if (publishWill) this.#aedes?.publishWill(departed.client, departed.will)
  }
}

function sendDisconnect(client: Client, registered: boolean, reasonCode: number): void {
  // A DISCONNECT behind a full buffer would wait as long as the buffer does.
  if (client.conn.writableNeedDrain) return client.close()
  // aedes sends no DISCONNECT before a durable session has received its queue.
  if (registered && !client.connected) {
    client.once('connected', () => client.disconnect({ reasonCode }))
  } else {
    client.disconnect({ reasonCode })
  }
}
