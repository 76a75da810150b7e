/** Messages that clients publish: their authorization, acknowledgement and routing. */
import type { BrokerAuthority, Message as PublishedMessage } from '../port.ts'
import type { Client, MqttSession } from './client.ts'
import type { Durability } from './durability.ts'
import type { EmbeddedBrokerLimits } from './limits.ts'
import type { Message } from './message.ts'
import { QUOTA_EXCEEDED } from './reason-codes.ts'
import type { RetainedMessages } from './retained-messages.ts'
import type { Router } from './router.ts'
import { PACKET } from './codec/packet-types.ts'
import { PacketError } from './codec/reader.ts'
import { acknowledgementPacket, refusedMessagePacket } from './codec/writer.ts'

export interface PublishingParts {
  limits: EmbeddedBrokerLimits
  retained: RetainedMessages
  durability: Durability
  router: Router
  /** Calls the authority and logs its errors. */
  notify: (call: (authority: BrokerAuthority) => void) => void
}

const NOT_AUTHORIZED = 0x87
const TOPIC_NAME_INVALID = 0x90
const IDENTIFIER_NOT_FOUND = 0x92
const RECEIVE_MAXIMUM_EXCEEDED = 0x93
const TOPIC_ALIAS_INVALID = 0x94

const published = ({ topic, payload, qos, retain }: Message): PublishedMessage => ({
  topic,
  payload: Buffer.from(payload),
  qos,
  retain,
})

export class Publishing {
  #parts: PublishingParts

  constructor(parts: PublishingParts) {
    this.#parts = parts
  }

  /** A PUBLISH of a client. */
  take(client: Client, session: MqttSession, message: Message): void {
    this.#resolveAlias(client, message)
    const { limits, durability } = this.#parts
    if (message.qos === 2 && this.#isRepeated(session, message.id)) {
      // The first copy may have come over an earlier connection, and may not be committed yet.
      return durability.after(() => client.send(acknowledgementPacket(PACKET.pubrec, message.id)))
    }
    if (isDeeper(message.topic, limits.topicLevels)) {
      throw new PacketError(TOPIC_NAME_INVALID, 'A topic has too many levels.')
    }
    if (!session.mayPublish(message.topic, message.responseTopic)) {
      const { info } = session
      this.#parts.notify((authority) => authority.denied?.(info, 'publish', message.topic))
      return this.#refuse(client, session, message, NOT_AUTHORIZED)
    }
    if (session.info.grant.meter?.isSpent === true) {
      return this.#refuse(client, session, message, QUOTA_EXCEEDED)
    }
    const { writes } = durability
    this.#accept(session, message)
    this.#acknowledge(client, session, message, writes)
    durability.throttle(client)
  }

  /** Replaces a topic alias by its topic (MQTT 5.0, 3.3.2.3.4). */
  #resolveAlias(client: Client, message: Message): void {
    const { topicAlias } = message
    if (topicAlias === undefined) return
    if (topicAlias > this.#parts.limits.topicAliasesPerSession) {
      throw new PacketError(TOPIC_ALIAS_INVALID, 'A topic alias is too great.')
    }
    client.aliases ??= new Map()
    if (message.topic !== '') {
      client.aliases.set(topicAlias, message.topic)
      return
    }
    const topic = client.aliases.get(topicAlias)
    if (topic === undefined) throw new PacketError(TOPIC_ALIAS_INVALID, 'An alias is unknown.')
    message.topic = topic
  }

  #isRepeated({ received }: MqttSession, id: number): boolean {
    if (received === undefined || received.has(id)) return received !== undefined
    if (received.size >= this.#parts.limits.inboundInFlightPerSession) {
      throw new PacketError(RECEIVE_MAXIMUM_EXCEEDED, 'Too many messages are in flight.')
    }
    return false
  }

  #accept(session: MqttSession, message: Message): void {
    if (session.info.grant.mayRetain === false) message.retain = false
    message.sender = session.name
    this.distribute(message)
    session.count(message.payload)
    const { info } = session
    this.#parts.notify((authority) => authority.published(info, published(message)))
  }

  /** Retains an authorized message if it asks for that, and hands it to its receivers. */
  distribute(message: Message): void {
    if (message.retain) this.#parts.retained.store(message)
    this.#parts.router.route(message)
    message.dropBytes()
  }

  /** @param writes the value of `Durability.writes` before the message was handled */
  #acknowledge(
    client: Client,
    session: MqttSession,
    { qos, id }: Message,
    writes = this.#parts.durability.writes,
  ): void {
    if (qos === 0) return
    const { durability } = this.#parts
    if (qos === 2) {
      ;(session.received ??= new Set()).add(id)
      durability.note(session, 'receive', id)
    }
    const packet = acknowledgementPacket(qos === 1 ? PACKET.puback : PACKET.pubrec, id)
    durability.answer(client, packet, writes)
  }

  /**
   * MQTT 3 can only refuse a message by closing the connection, and a device with one stray topic
   * in its firmware would then reconnect for ever: it is acknowledged like any other.
   */
  #refuse(client: Client, session: MqttSession, message: Message, reasonCode: number): void {
    if (!client.isVersion5) return this.#acknowledge(client, session, message)
    if (message.qos === 0) return
    const { meter } = session.info.grant
    const explanation = reasonCode === QUOTA_EXCEEDED ? meter?.explain?.() : undefined
    const type = message.qos === 1 ? PACKET.puback : PACKET.pubrec
    const packet =
      explanation === undefined
        ? acknowledgementPacket(type, message.id, reasonCode)
        : refusedMessagePacket(type, message.id, reasonCode, explanation, client.wishes)
    const { durability } = this.#parts
    durability.answer(client, packet, durability.writes)
  }

  /** A PUBREL. */
  release(client: Client, session: MqttSession, id: number): void {
    const { durability } = this.#parts
    const { writes } = durability
    const isKnown = session.received?.delete(id) === true
    if (isKnown) durability.note(session, 'unreceive', id)
    if (session.received?.size === 0) session.received = undefined
    const code = isKnown || !client.isVersion5 ? 0 : IDENTIFIER_NOT_FOUND
    // After this packet the client may use the identifier again.
    durability.answer(client, acknowledgementPacket(PACKET.pubcomp, id, code), writes)
  }

  /**
   * The will of a session that ends is checked against its rights at that time. It is reported
   * before the session is reported as closed.
   */
  will(session: MqttSession, message: Message): void {
    if (session.mayPublish(message.topic, message.responseTopic)) {
      return this.#accept(session, message)
    }
    const { info } = session
    this.#parts.notify((authority) => authority.denied?.(info, 'publish', message.topic))
  }
}

function isDeeper(topic: string, levels: number): boolean {
  let found = 1
  for (let at = topic.indexOf('/'); at !== -1; at = topic.indexOf('/', at + 1)) found += 1
  return found > levels
}
