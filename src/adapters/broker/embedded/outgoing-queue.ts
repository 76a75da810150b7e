/** The QoS 1 and 2 messages of one durable session that its client hasn't acknowledged yet. */
import type { AedesPublishPacket } from 'aedes'

/** A message, or the PUBREL that took its place once the client answered with PUBREC. */
export interface QueuedPacket {
  cmd: 'publish' | 'pubrel'
  brokerId: string
  brokerCounter: number
  messageId?: number | undefined
  /** Of a message, not of a PUBREL. */
  topic?: string
  payload?: string | Buffer
  dup?: boolean
}

const LAST_MESSAGE_ID = 65_535

export class OutgoingQueue {
  /** In the order of arrival, by aedes' own number of the message. */
  #packets = new Map<number, QueuedPacket>()
  #byMessageId = new Map<number, number>()
  #bytes = 0

  get size(): number {
    return this.#packets.size
  }

  get bytes(): number {
    return this.#bytes
  }

  add(packet: AedesPublishPacket): void {
    this.#packets.set(packet.brokerCounter, packet)
    this.#bytes += packet.payload.length
  }

  /**
   * Notes the packet identifier under which a message is sent, or that a PUBREL took its place.
   * Gives the packet a free identifier when its own is still in use for another message.
   */
  update(packet: QueuedPacket): void {
    if (packet.cmd === 'pubrel') return this.#release(packet)
    const queued = this.#packets.get(packet.brokerCounter)
    if (queued === undefined || packet.messageId === undefined) return
    let messageId = packet.messageId
    for (let tries = 0; tries < this.#byMessageId.size; tries += 1) {
      const user = this.#byMessageId.get(messageId)
      if (user === undefined || user === packet.brokerCounter) break
      messageId = (messageId % LAST_MESSAGE_ID) + 1
    }
    packet.messageId = messageId
    queued.messageId = messageId
    this.#byMessageId.set(messageId, packet.brokerCounter)
  }

  #release(pubrel: QueuedPacket): void {
    if (pubrel.messageId === undefined) return
    const counter = this.#byMessageId.get(pubrel.messageId)
    const queued = counter === undefined ? undefined : this.#packets.get(counter)
    if (counter === undefined || queued === undefined) return
    this.#bytes -= queued.payload?.length ?? 0
    const { brokerId, brokerCounter } = queued
    const { messageId } = pubrel
    this.#packets.set(counter, { cmd: 'pubrel', brokerId, brokerCounter, messageId })
  }

  /** Removes an acknowledged message, or one that was never sent and has no identifier yet. */
  remove(packet: QueuedPacket): QueuedPacket | undefined {
    const counter =
      packet.messageId === undefined
        ? packet.brokerCounter
        : this.#byMessageId.get(packet.messageId)
    const queued = counter === undefined ? undefined : this.#packets.get(counter)
    if (counter === undefined || queued === undefined) return undefined
    this.#packets.delete(counter)
    this.#bytes -= queued.payload?.length ?? 0
    if (queued.messageId !== undefined) this.#byMessageId.delete(queued.messageId)
    return queued
  }

  /** Keeps the messages on these topics alone; a PUBREL has to be sent in any case. */
  keep(isKept: (topic: string) => boolean): void {
    for (const packet of this.#packets.values()) {
      if (packet.topic !== undefined && !isKept(packet.topic)) this.remove(packet)
    }
  }

  /** What is to be sent to a client that came back, oldest first; DUP on what was sent before. */
  pending(): QueuedPacket[] {
    return Array.from(this.#packets.values(), (packet) =>
      packet.cmd === 'publish' && packet.messageId !== undefined
        ? { ...packet, dup: true }
        : packet,
    )
  }
}
