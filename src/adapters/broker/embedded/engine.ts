/** One run of the embedded broker, from start to stop: its parts, and the handler of packets. */
import type { BrokerAuthority, Transport } from '../port.ts'
import type { BrokerStore } from '../store-port.ts'
import { Client, type ClientHost } from './client.ts'
import { Connecting, REFUSAL_MS } from './connecting.ts'
import { Deliveries, type LostMessages } from './delivery.ts'
import { Durability } from './durability.ts'
import { Lifecycle } from './lifecycle.ts'
import type { EmbeddedBrokerLimits } from './limits.ts'
import type { Link } from './link.ts'
import type { BrokerLog } from './log.ts'
import { addressOf, type ByteStream, PendingConnections } from './pending-connections.ts'
import { Publishing } from './publishing.ts'
import type { EndReason } from './reason-codes.ts'
import { RecentDisconnects } from './recent-disconnects.ts'
import { RetainedMessages } from './retained-messages.ts'
import { restore } from './restore.ts'
import { Router } from './router.ts'
import { Sessions } from './sessions.ts'
import { Subscribing } from './subscribing.ts'
import { Wheel } from './wheel.ts'
import { PACKET } from './codec/packet-types.ts'
import {
  readAcknowledgement,
  readDisconnect,
  readPublish,
  readSubscribe,
  readUnsubscribe,
} from './codec/packets.ts'
import { malformed, protocolError, type Reader } from './codec/reader.ts'
import { PINGRESP } from './codec/writer.ts'

export interface EngineParts {
  authority: BrokerAuthority
  limits: EmbeddedBrokerLimits
  log: BrokerLog
  /** Keeps sessions; undefined: they end with the process. */
  store: BrokerStore | undefined
}

const NORMAL_DISCONNECTION = 0

export class Engine implements ClientHost {
  readonly limits: EmbeddedBrokerLimits
  readonly wheel = new Wheel()
  readonly sessions: Sessions
  readonly retained: RetainedMessages
  readonly disconnects = new RecentDisconnects()
  readonly lifecycle: Lifecycle
  readonly publishing: Publishing
  readonly clients = new Set<Client>()
  readonly durability: Durability
  #store: BrokerStore | undefined
  #deliveries: Deliveries
  #subscribing: Subscribing
  #connecting: Connecting
  #pendingConnections: PendingConnections
  #log: BrokerLog
  /** The connections to which something was sent in this turn. */
  #unflushed: Link[] = []
  #pieces: readonly Buffer[] = []
  #joined: Buffer | undefined

  constructor({ authority, limits, log, store }: EngineParts) {
    this.limits = limits
    this.#log = log
    this.#pendingConnections = new PendingConnections(limits)
    const sessions = new Sessions(limits)
    const durability = new Durability(store)
    const retained = new RetainedMessages(limits, durability)
    const tooSlow = (client: Client): void => void this.lifecycle.end(client, 'too_slow')
    const deliveries = new Deliveries({ limits, retained, durability, tooSlow })
    const router = new Router(deliveries.deliver, () => (deliveries.lost.queue_full += 1))
    const notify: Lifecycle['notify'] = (call) => this.lifecycle.notify(call)
    const publishing = new Publishing({ limits, retained, durability, router, notify })
    const subscribing = new Subscribing({ limits, router, deliveries, durability, notify })
    const kept = { sessions, retained, durability, wheel: this.wheel }
    const parts = { authority, limits, log, ...kept, deliveries, publishing, subscribing }
    this.sessions = sessions
    this.retained = retained
    this.durability = durability
    this.#store = store
    this.lifecycle = new Lifecycle(parts)
    this.publishing = publishing
    this.#deliveries = deliveries
    this.#subscribing = subscribing
    const { disconnects, lifecycle } = this
    const pendingConnections = this.#pendingConnections
    this.#connecting = new Connecting({ ...parts, disconnects, lifecycle, pendingConnections })
  }

  get lost(): LostMessages {
    return this.#deliveries.lost
  }

  /** Opens the store, and restores its sessions and retained messages. */
  async restore(): Promise<void> {
    const restored = await this.#store?.open({
      drained: () => this.durability.drained(),
      lost: () => this.#superseded(),
    })
    const { lifecycle, retained } = this
    const parts = { lifecycle, retained, deliveries: this.#deliveries }
    if (restored !== undefined) restore({ ...parts, subscribing: this.#subscribing }, restored)
  }

  /** Disconnects all clients: another process has the store, so this one can store nothing. */
  #superseded(): void {
    this.durability.isLost = true
    this.#log.warn({}, 'Another process has taken over the sessions of MQTT clients.')
    for (const client of this.clients) void this.stop(client)
  }

  /** Takes a connection that was just accepted. */
  accept(stream: ByteStream, transport: Transport): void {
    if (!this.#pendingConnections.enter(stream, addressOf(stream))) {
      stream.on('error', () => {})
      stream.destroy()
      return
    }
    const client = new Client(stream, transport, this)
    this.clients.add(client)
    client.open()
  }

  packet(client: Client, first: number, reader: Reader): void {
    const type = first >> 4
    if (type === PACKET.connect) return this.#connecting.take(client, reader)
    const { session, protocolVersion } = client
    if (session === undefined) return
    switch (type) {
      case PACKET.publish: {
        const message = readPublish(reader, first, protocolVersion)
        client.note(type, message.qos)
        return this.publishing.take(client, session, message)
      }
      case PACKET.subscribe:
        return this.#subscribing.take(client, session, readSubscribe(reader, protocolVersion))
      case PACKET.unsubscribe:
        return this.#subscribing.drop(client, session, readUnsubscribe(reader, protocolVersion))
      case PACKET.pingreq:
        if (!reader.isAtEnd) malformed('A PINGREQ has a body.')
        client.note(type)
        return client.send(PINGRESP)
      case PACKET.disconnect:
        return this.#disconnected(client, reader)
      case PACKET.auth:
        return protocolError('Its CONNECT named no authentication method.')
      default:
        return this.#acknowledged(client, type, reader)
    }
  }

  #acknowledged(client: Client, type: number, reader: Reader): void {
    const { id, reasonCode } = readAcknowledgement(reader, client.protocolVersion)
    const { session } = client
    client.note(type)
    if (type === PACKET.pubrec) this.#deliveries.received(client, id, reasonCode)
    else if (type !== PACKET.pubrel) this.#deliveries.acknowledged(client, id)
    else if (session !== undefined) this.publishing.release(client, session, id)
  }

  #disconnected(client: Client, reader: Reader): void {
    const { session, protocolVersion } = client
    if (session === undefined) return
    const { reasonCode, sessionExpiry } = readDisconnect(reader, protocolVersion)
    if (sessionExpiry !== undefined) {
      // [MQTT-3.1.2-23] and 3.14.2.2.2.
      if (session.expirySeconds === 0 && sessionExpiry > 0) {
        protocolError('A session that ends with its connection cannot be kept after all.')
      }
      session.expirySeconds = Math.min(sessionExpiry, this.limits.sessionExpirySeconds)
    }
    if (reasonCode === NORMAL_DISCONNECTION) session.will = undefined
    client.leave()
    this.lifecycle.depart(client)
  }

  broken(client: Client, reason: EndReason, reasonCode: number): void {
    if (client.session === undefined) client.finish(undefined, REFUSAL_MS)
    else void this.lifecycle.end(client, reason, reasonCode)
  }

  writable(client: Client): void {
    this.#deliveries.replay(client)
  }

  closed(client: Client): void {
    this.clients.delete(client)
    this.#pendingConnections.leave(client.stream)
    this.lifecycle.depart(client)
  }

  /** Ends a connection; its session ends with the reason `stopping`. */
  stop(client: Client): Promise<void> {
    if (client.session === undefined) client.stream.destroy()
    return client.session === undefined
      ? client.whenClosed()
      : this.lifecycle.end(client, 'stopping')
  }

  failed(error: unknown): void {
    this.#log.error({ err: error }, 'The embedded broker could not finish a task.')
  }

  flushLater(link: Link): void {
    if (this.#unflushed.length === 0) setImmediate(this.#flush)
    this.#unflushed.push(link)
  }

  #flush = (): void => {
    const links = this.#unflushed
    this.#unflushed = []
    for (const link of links) link.flush(this.#join)
    this.#pieces = []
    this.#joined = undefined
    for (const link of links) if (link instanceof Client) this.#deliveries.replay(link)
  }

  /** Concatenates output. Links with the same output follow one another, and share one buffer. */
  #join = (pieces: readonly Buffer[]): Buffer => {
    const [first] = pieces
    if (first !== undefined && pieces.length === 1) return first
    const last = this.#pieces
    const isSame =
      pieces.length === last.length && pieces.every((piece, index) => piece === last[index])
    if (isSame && this.#joined !== undefined) return this.#joined
    this.#pieces = pieces
    this.#joined = Buffer.concat(pieces)
    return this.#joined
  }
}
