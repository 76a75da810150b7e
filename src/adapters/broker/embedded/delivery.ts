/** Messages on their way to clients: to a socket, or to the queue of a session. */
import type { Client, MqttSession, Subscription } from './client.ts'
import type { Durability } from './durability.ts'
import type { EmbeddedBrokerLimits } from './limits.ts'
import type { Message } from './message.ts'
import { type Outgoing, OutgoingQueue, type QueueAccount } from './outgoing-queue.ts'
import type { RetainedMessages } from './retained-messages.ts'
import type { Delivery } from './router.ts'
import { PACKET } from './codec/packet-types.ts'
import { acknowledgementPacket } from './codec/writer.ts'

export interface DeliveriesParts {
  limits: EmbeddedBrokerLimits
  retained: RetainedMessages
  durability: Durability
  /** Ends the session of a client that reads its messages too slowly. */
  tooSlow: (client: Client) => void
}

/** Retained messages wait while their client has more bytes of unsent output than this. */
const REPLAY_BYTES = 65_536
/** How many retained messages are handled in one turn of the event loop. */
const REPLAYED_AT_ONCE = 500

const IDENTIFIER_NOT_FOUND = 0x92
/** Reason codes from here on are refusals. */
const FIRST_REFUSAL = 0x80

/** Messages that were not sent, counted once for each subscriber. */
export interface LostMessages {
  /** QoS 1 and 2: a limit of the queue or of all queues is reached. */
  queue_full: number
  /** QoS 0: the client does not read its earlier messages. */
  slow_reader: number
}

export class Deliveries {
  readonly account: QueueAccount = { bytes: 0 }
  readonly lost: LostMessages = { queue_full: 0, slow_reader: 0 }
  #parts: DeliveriesParts

  constructor(parts: DeliveriesParts) {
    this.#parts = parts
  }

  /**
   * Hands a message to a session if the rules of the session allow its topic, whatever filter the
   * session has subscribed to. @returns false if the session does not take it
   */
  readonly deliver = (message: Message, delivery: Delivery): boolean => {
    const { session, qos } = delivery
    if (!session.mayReceive(message.topic)) return false
    const { client } = session
    if (client === undefined) return qos > 0 && this.#queue(message, delivery)
    if (client.unsent > this.#parts.limits.unsentBytesPerSession) {
      if (qos === 0) return this.#lose(delivery, 'slow_reader')
      this.#parts.tooSlow(client)
      return !session.isOver && this.#queue(message, delivery)
    }
    if (qos > 0) return this.#queue(message, delivery)
    if (client.publish(message, delivery)) session.count(message.payload)
    return true
  }

  /** Counts a lost message, unless another member of a shared subscription may take it. */
  #lose(delivery: Delivery, reason: keyof LostMessages): false {
    if (delivery.share === undefined) this.lost[reason] += 1
    else delivery.share.isOverLimit = true
    return false
  }

  /** A message that exceeds a limit is not queued. */
  #queue(message: Message, delivery: Delivery): boolean {
    const { session, qos, retain, identifiers, group } = delivery
    if (qos === 0) return false
    const { limits, durability } = this.#parts
    const queue = this.#queueOf(session)
    const { client } = session
    const isFlowing =
      client !== undefined && !client.isHeld && queue.inFlight < client.receiveMaximum
    const isFull =
      queue.waiting >= limits.queuedMessagesPerSession ||
      queue.waitingBytes + message.size > limits.queuedBytesPerSession ||
      this.account.bytes + message.size > limits.queuedBytes
    if ((!isFlowing && isFull) || !queue.hasIds) return this.#lose(delivery, 'queue_full')
    message.own()
    const state = { id: 0, isSent: false, isReleased: false, isHeld: false, seq: 0 }
    const outgoing = { message, qos, retain, identifiers, group, ...state }
    queue.add(outgoing)
    durability.queue(session, outgoing, () => this.resume(session))
    if (client !== undefined) this.pump(client)
    if (client !== undefined && queue.inFlightBytes > limits.unacknowledgedBytesPerSession) {
      this.#parts.tooSlow(client)
    }
    return true
  }

  #queueOf(session: MqttSession): OutgoingQueue {
    if (session.queue !== undefined) return session.queue
    session.queue = new OutgoingQueue(this.account)
    if (session.key !== undefined) session.queue.store(this.#parts.durability.onGone(session))
    return session.queue
  }

  /** Continues to send, since the next message of the queue is stored now. */
  resume({ client }: MqttSession): void {
    if (client === undefined) return
    this.pump(client)
    this.replay(client)
  }

  /** Queues the messages that an earlier process has stored. */
  restore(session: MqttSession, kept: readonly Outgoing[]): void {
    if (kept.length > 0) this.#queueOf(session).restore(kept)
  }

  /** Sends waiting messages, up to the client's Receive Maximum ([MQTT-3.3.4-9]). */
  pump(client: Client): void {
    const { session } = client
    const queue = session?.queue
    if (session === undefined || queue === undefined || client.isEnding || client.isHeld) return
    const now = Date.now()
    while (queue.next?.isReleased === true || queue.inFlight < client.receiveMaximum) {
      if (queue.waiting === 0 || queue.next?.isHeld === true) return
      const isRepeated = queue.next?.isSent === true
      if (!isRepeated && queue.next?.message?.isExpired(now) === true) {
        queue.dropNext()
        continue
      }
      const outgoing = queue.send()
      if (outgoing === undefined) return
      this.#send(client, session, outgoing, isRepeated)
    }
  }

  #send(client: Client, session: MqttSession, outgoing: Outgoing, isRepeated: boolean): void {
    const { message, id } = outgoing
    if (message === undefined) client.send(acknowledgementPacket(PACKET.pubrel, id))
    else if (client.publishQueued(message, outgoing, isRepeated)) session.count(message.payload)
    // [MQTT-3.1.2-25]: as if it had been delivered.
    else session.queue?.complete(id)
  }

  /** A PUBACK or a PUBCOMP. */
  acknowledged(client: Client, id: number): void {
    client.session?.queue?.complete(id)
    this.pump(client)
    this.replay(client)
  }

  /** A PUBREC. A message that it refuses is not sent again. */
  received(client: Client, id: number, reasonCode: number): void {
    const { session } = client
    if (reasonCode >= FIRST_REFUSAL) return this.acknowledged(client, id)
    const { durability } = this.#parts
    const { writes } = durability
    const released = session?.queue?.release(id)
    if (session !== undefined && released !== undefined)
      durability.note(session, 'release', released.seq)
    const code = released !== undefined || !client.isVersion5 ? 0 : IDENTIFIER_NOT_FOUND
    // If it were sent before the commit, the message would be sent again after a crash.
    durability.answer(client, acknowledgementPacket(PACKET.pubrel, id, code), writes)
  }

  /** Sends the retained messages of a subscription, no faster than its client reads them. */
  sendRetained(client: Client, subscription: Subscription): void {
    const { session, topic, qos, identifier } = subscription
    const messages = this.#parts.retained.matching(topic)
    const identifiers = identifier === undefined ? undefined : [identifier]
    const next = (): boolean => {
      const { value, done } = messages.next()
      if (done === true) return false
      const sent = { session, retain: true, identifiers, group: undefined }
      this.deliver(value, { ...sent, qos: qos < value.qos ? qos : value.qos })
      value.dropBytes()
      return true
    }
    ;(client.backlog ??= []).push(next)
    this.replay(client)
  }

  /** Sends retained messages: a bounded number in a turn, counting messages not allowed, too. */
  replay(client: Client): void {
    for (let count = 0; client.backlog !== undefined && count < REPLAYED_AT_ONCE; count += 1) {
      if (!this.#replayNext(client)) return
    }
    if (client.backlog !== undefined) setImmediate(() => this.replay(client))
  }

  /** @returns false if its client accepts no retained message now */
  #replayNext(client: Client): boolean {
    const { backlog, session } = client
    const { queue } = session ?? {}
    if (backlog === undefined || client.isEnding) return false
    if (client.unsent > REPLAY_BYTES || (queue !== undefined && queue.waiting > 0)) return false
    if (backlog[0]?.() === true) return true
    backlog.shift()
    if (backlog.length === 0) client.backlog = undefined
    return true
  }

  /**
   * Gives the unsent messages of shared subscriptions to other members, when a client has left.
   * @param isOver the session has ended, too: unacknowledged QoS 1 messages are given away as well
   */
  handOver(session: MqttSession, isOver: boolean): void {
    const { queue } = session
    const taken = queue?.takeWaiting(
      ({ group, isSent, qos }) => group !== undefined && (!isSent || (isOver && qos === 1)),
    )
    for (const { message, group } of taken ?? []) {
      if (message !== undefined) group?.redeliver(message)
    }
  }
}
