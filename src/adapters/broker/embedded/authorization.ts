/** The hooks through which aedes asks for every message and every subscription of a session. */
import type { AedesPublishPacket, Client, PublishPacket, Subscription } from 'aedes'
import type { BrokerAuthority, Grant, Message } from '../port.ts'
import {
  matches,
  mayPublish,
  mayReceive,
  maySubscribe,
  readSubscription,
  type CompiledRules,
} from '../topics.ts'
import { refusePublish, type Will } from './internals.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { EmbeddedBrokerLimits } from './limits.ts'
import type { MemoryPersistence } from './persistence.ts'
import { QUOTA_EXCEEDED } from './reason-codes.ts'
import { deletesState, type Connection, type Registry } from './registry.ts'

type Callback = (error?: Error | null) => void

export interface AuthorizationParts {
  authority: BrokerAuthority
  limits: EmbeddedBrokerLimits
  registry: Registry
  persistence: MemoryPersistence
  lifecycle: Lifecycle
}

/**
 * Where a refused message of an MQTT 3 client goes: no subscription reaches it. It is acknowledged
 * like any other, since these versions can only answer by closing the connection, and a device
 * with one stray topic in its firmware would then reconnect for ever.
 */
const REFUSED_TOPIC = '$SYS/refused'

/** Whether a grant allows this message, and a response on the topic that its sender names. */
export function mayPublishMessage(
  rules: CompiledRules,
  topic: string,
  responseTopic: string | undefined,
): boolean {
  // The responder may have wider rights than the requester, who must not be able to use them.
  return (
    mayPublish(rules, topic) && (responseTopic === undefined || mayReceive(rules, responseTopic))
  )
}

/** Has a message acknowledged, and reach nobody. */
function swallow(packet: PublishPacket): void {
  packet.topic = REFUSED_TOPIC
  packet.retain = false
}

function count({ meter }: Grant, { payload }: Pick<PublishPacket, 'payload'>): void {
  if (meter === undefined) return
  meter.messages += 1
  meter.bytes += payload.length
}

function toMessage({ topic, payload, qos, retain }: PublishPacket | Will): Message {
  return { topic, payload: Buffer.from(payload), qos: qos ?? 0, retain: retain ?? false }
}

export class Authorization {
  #parts: AuthorizationParts

  constructor(parts: AuthorizationParts) {
    this.#parts = parts
  }

  readonly authorizePublish = (
    client: Client | null,
    packet: PublishPacket,
    callback: Callback,
  ) => {
    const connection = client === null ? undefined : this.#parts.registry.ofClient(client)
    if (connection === undefined)
      return callback(new Error('The publisher of the message is unknown.'))
    const { rules, will, ending } = connection
    if ((packet as Will) === will) return this.#authorizeWill(connection, will, callback)
    // Without a decision nothing is acknowledged: the client may resend it in its next session.
    if (ending !== undefined || this.#exceedsInFlight(connection, packet)) return
    if (mayPublishMessage(rules, packet.topic, packet.properties?.responseTopic)) {
      if (connection.session.grant.meter?.isSpent === true) {
        return this.#refuseSpent(connection, packet, callback)
      }
      // aedes notes the sender only after it has stored and queued the message.
      Object.assign(packet, { clientId: connection.name })
      if (connection.session.grant.mayRetain === false) packet.retain = false
      return callback(null)
    }
    this.#denied(connection, 'publish', packet.topic)
    if (connection.session.protocolVersion === 5) return callback(new Error('Not authorized.'))
    swallow(packet)
    callback(null)
  }

  /** Its sessions stay, so that its devices can still be commanded, and their secrets rotated. */
  #refuseSpent({ client, session }: Connection, packet: PublishPacket, callback: Callback): void {
    const { grant, protocolVersion } = session
    if (protocolVersion !== 5) swallow(packet)
    else refusePublish(client, packet, QUOTA_EXCEEDED, () => grant.meter?.explain?.())
    callback(null)
  }

  /**
   * The will of an established session is checked against its rights at the end: a session that
   * was disconnected because it is no longer authorized leaves none.
   */
  #authorizeWill(connection: Connection, will: Will, callback: Callback): void {
    const { rules, ending, registered, name, session } = connection
    if (session.grant.mayRetain === false) will.retain = false
    this.#parts.lifecycle.willIsDue(connection)
    const silenced = ending === 'not_authorized' || ending === 'stopping' || !registered
    if (silenced) return callback(new Error('The session leaves no will.'))
    if (!mayPublishMessage(rules, will.topic, will.properties?.responseTopic)) {
      this.#denied(connection, 'publish', will.topic)
      return callback(new Error('Not authorized.'))
    }
    // Reported here, since aedes publishes the will of a session after it has closed it.
    count(session.grant, will)
    this.#parts.lifecycle.notify(() => this.#parts.authority.published(session, toMessage(will)))
    if (will.properties !== undefined) {
      const { willDelayInterval: _, ...forwarded } = will.properties
      will.properties = forwarded
    }
    Object.assign(will, { clientId: name })
    callback(null)
  }

  #exceedsInFlight(connection: Connection, { qos, messageId = 0 }: PublishPacket): boolean {
    const { persistence, limits, lifecycle } = this.#parts
    const waiting = qos === 2 ? persistence.incomingOf(connection.name) : undefined
    if (waiting === undefined || waiting.has(messageId)) return false
    if (waiting.size < limits.inboundInFlightPerSession) return false
    void lifecycle.end(connection, 'in_flight_exceeded')
    return true
  }

  readonly published = (packet: AedesPublishPacket, client: Client | null, done: Callback) => {
    const connection = client === null ? undefined : this.#parts.registry.ofClient(client)
    const isOwn = packet.topic !== REFUSED_TOPIC && (packet as Will) !== connection?.will
    if (connection !== undefined && isOwn) {
      const { authority, lifecycle } = this.#parts
      count(connection.session.grant, packet)
      lifecycle.notify(() => authority.published(connection.session, toMessage(packet)))
    }
    done(null)
  }

  readonly authorizeSubscribe = (
    client: Client,
    subscription: Subscription,
    callback: (error: Error | null, granted?: Subscription | null) => void,
  ) => {
    const { registry, limits, persistence } = this.#parts
    const connection = registry.ofClient(client)
    if (connection === undefined || connection.ending !== undefined) return callback(null, null)
    const { filters, rules, name, registered } = connection
    const { topic, qos } = subscription
    const shared = readSubscription(topic)?.group !== undefined
    const tooMany = filters.size >= limits.subscriptionsPerSession && !filters.has(topic)
    // A durable session comes back with what it was granted once, as a live one keeps it when its
    // rights change: its client doesn't subscribe again. What it may receive is decided each time.
    const allowed = !registered || maySubscribe(rules, topic)
    if (shared || tooMany || !allowed) {
      persistence.sessions.unsubscribe(name, [topic])
      this.#denied(connection, 'subscribe', topic)
      return callback(null, null)
    }
    filters.set(topic, qos)
    callback(null, subscription)
  }

  /** The last gate before a socket: nothing is delivered that the grant doesn't allow by itself. */
  readonly authorizeForward = (client: Client, packet: AedesPublishPacket) => {
    const connection = this.#parts.registry.ofClient(client)
    if (connection === undefined || !mayReceive(connection.rules, packet.topic)) return null
    if (connection.ending !== undefined) return this.#hold(connection, packet)
    if (client.conn.writableLength > this.#parts.limits.unsentBytesPerSession) {
      if (packet.qos === 0) return null
      void this.#parts.lifecycle.end(connection, 'too_slow')
      return this.#hold(connection, packet)
    }
    // aedes lowers the QoS only for subscriptions without wildcards.
    if (packet.qos === 2) packet.qos = grantedQos(connection, packet.topic)
    count(connection.session.grant, packet)
    return packet
  }

  /** For a durable session, refusing a message would also take it from the queue. */
  #hold(connection: Connection, packet: AedesPublishPacket): AedesPublishPacket | null {
    return connection.client.clean || deletesState(connection) ? null : packet
  }

  #denied(connection: Connection, action: 'publish' | 'subscribe', topic: string): void {
    const { authority, lifecycle } = this.#parts
    // A stored subscription that fell away isn't asked for again, and the session isn't open yet.
    if (!connection.registered) return
    lifecycle.notify(() => authority.denied(connection.session, action, topic))
  }
}

function grantedQos({ filters }: Connection, topic: string): 0 | 1 | 2 {
  let granted: 1 | 2 = 1
  for (const [filter, qos] of filters) {
    if (qos === 2 && matches(filter, topic)) granted = 2
  }
  return granted
}
