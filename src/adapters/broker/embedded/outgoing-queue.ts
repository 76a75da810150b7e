/**
 * The QoS 1 and 2 messages of one session that its client has not acknowledged yet: those in
 * flight, and behind them those that wait for room in the client's Receive Maximum.
 */
import type { Message } from './message.ts'
import type { Qos } from './codec/packet-types.ts'

/** A shared subscription, which takes a message back if one member cannot receive it. */
export interface ShareGroup {
  /** The filter of its members' SUBSCRIBE packets, with `$share` and the group. */
  readonly topic: string
  /** Delivers the message to a connected member, or queues it for one that is away. */
  redeliver(message: Message): void
}

export interface Outgoing {
  /** Undefined: a PUBREL took its place, or its receiver has lost the right to receive it. */
  message: Message | undefined
  qos: Qos
  retain: boolean
  identifiers: readonly number[] | undefined
  /** The shared subscription that it came through. */
  group: ShareGroup | undefined
  /** The packet identifier; 0: none yet. */
  id: number
  /** Whether it was sent; also true if an earlier process may have sent it. */
  isSent: boolean
  /** Whether its client has answered with PUBREC, so that a PUBREL is sent next. */
  isReleased: boolean
  /** Whether it must not be sent before it is stored. */
  isHeld: boolean
  /** Its number in a stored queue. */
  seq: number
}

/** The size of all queues of a broker together. */
export interface QueueAccount {
  bytes: number
}

const LAST_ID = 65_535
/** Places of removed messages that stay in the array before it is copied without them. */
const MAX_SHIFTED = 1_024

const sizeOf = ({ message }: Outgoing): number => message?.size ?? 0

export class OutgoingQueue {
  /** By packet identifier, in the order in which they were sent. */
  #inFlight = new Map<number, Outgoing>()
  /** Waiting messages, from `#head` on: removing the first of an array would move all others. */
  #waiting: Outgoing[] = []
  #head = 0
  #lastId = 0
  #account: QueueAccount
  /** Called for each message that leaves a stored queue; undefined: the queue is not stored. */
  #onGone: ((outgoing: Outgoing) => void) | undefined
  #lastSeq = 0
  /** All identifiers in use, of a stored queue: its messages get them when they are added. */
  #ids = new Set<number>()
  /** Bytes of payloads and properties: of waiting messages, and of messages in flight. */
  waitingBytes = 0
  inFlightBytes = 0

  constructor(account: QueueAccount) {
    this.#account = account
  }

  /**
   * Makes it a stored queue; called while nothing is in flight.
   * @param onGone called for each message that does not have to be stored any longer
   * @returns the waiting messages, with their numbers and identifiers
   */
  store(onGone: (outgoing: Outgoing) => void): readonly Outgoing[] {
    this.#compact()
    this.#onGone = onGone
    for (const { id } of this.#waiting) if (id !== 0) this.#ids.add(id)
    for (const outgoing of this.#waiting) this.#number(outgoing)
    return this.#waiting
  }

  /** Whether there is an identifier for each message that waits. */
  get isStorable(): boolean {
    return this.waiting <= LAST_ID
  }

  /** Makes it a queue in memory only; called while nothing is in flight. */
  keepInMemory(): void {
    this.#onGone = undefined
    this.#ids.clear()
  }

  #number(outgoing: Outgoing): void {
    this.#lastSeq += 1
    outgoing.seq = this.#lastSeq
    if (outgoing.id === 0) outgoing.id = this.#freeId()
    this.#ids.add(outgoing.id)
  }

  get waiting(): number {
    return this.#waiting.length - this.#head
  }

  get inFlight(): number {
    return this.#inFlight.size
  }

  #count(waiting: number, inFlight: number): void {
    this.waitingBytes += waiting
    this.inFlightBytes += inFlight
    this.#account.bytes += waiting + inFlight
  }

  add(outgoing: Outgoing): void {
    if (this.#onGone !== undefined) this.#number(outgoing)
    this.#waiting.push(outgoing)
    this.#count(sizeOf(outgoing), 0)
  }

  /** Takes the messages that an earlier process has stored: first PUBRELs, each kind in order. */
  restore(kept: readonly Outgoing[]): void {
    for (const outgoing of kept) {
      this.#lastSeq = outgoing.seq
      this.#lastId = outgoing.id
      this.#ids.add(outgoing.id)
      this.#count(sizeOf(outgoing), 0)
    }
    const released = kept.filter(({ isReleased }) => isReleased)
    this.#waiting = [...released, ...kept.filter(({ isReleased }) => !isReleased)]
  }

  /** The number of a stored queue's first message that was never sent. */
  get unsentFrom(): number {
    const unsent = this.#waiting.slice(this.#head).find(({ isSent }) => !isSent)
    return unsent?.seq ?? this.#lastSeq + 1
  }

  /** Whether a stored queue has an identifier for one more. */
  get hasIds(): boolean {
    return this.#ids.size < LAST_ID
  }

  /** Reports that a message has left the queue. */
  #gone(outgoing: Outgoing): void {
    if (this.#onGone === undefined) return
    this.#ids.delete(outgoing.id)
    this.#onGone(outgoing)
  }

  /** Moves the next waiting message to those in flight, and gives it an identifier. */
  send(): Outgoing | undefined {
    const next = this.#shift()
    if (next === undefined) return undefined
    // Messages that were sent before come first, so no new message has taken their identifiers.
    if (next.id === 0) next.id = this.#freeId()
    next.isSent = true
    this.#inFlight.set(next.id, next)
    this.#count(-sizeOf(next), sizeOf(next))
    return next
  }

  /** Removes the next waiting message. */
  dropNext(): void {
    const next = this.#shift()
    if (next === undefined) return
    this.#count(-sizeOf(next), 0)
    this.#gone(next)
  }

  get next(): Outgoing | undefined {
    return this.#waiting[this.#head]
  }

  #shift(): Outgoing | undefined {
    const { next } = this
    if (next === undefined) return undefined
    this.#head += 1
    if (this.#head === this.#waiting.length || this.#head > MAX_SHIFTED) this.#compact()
    return next
  }

  #compact(): void {
    this.#waiting = this.#waiting.slice(this.#head)
    this.#head = 0
  }

  #freeId(): number {
    do this.#lastId = (this.#lastId % LAST_ID) + 1
    while (this.#inFlight.has(this.#lastId) || this.#ids.has(this.#lastId))
    return this.#lastId
  }

  /** Removes a message that was acknowledged. @returns undefined if there is no such message */
  complete(id: number): Outgoing | undefined {
    const outgoing = this.#inFlight.get(id)
    if (outgoing === undefined) return undefined
    this.#inFlight.delete(id)
    this.#count(0, -sizeOf(outgoing))
    this.#gone(outgoing)
    return outgoing
  }

  /** A PUBREL takes the place of a message of QoS 2. @returns undefined if there is none */
  release(id: number): Outgoing | undefined {
    const outgoing = this.#inFlight.get(id)
    if (outgoing?.qos !== 2) return undefined
    this.#dropMessage(outgoing)
    outgoing.isReleased = true
    return outgoing
  }

  #dropMessage(outgoing: Outgoing): void {
    this.#count(0, -sizeOf(outgoing))
    outgoing.message = undefined
  }

  /**
   * The connection is gone: packets that were in flight are sent again first, in their order. The
   * PUBRELs come before the messages, whose number is limited ([MQTT-3.3.4-10]).
   */
  rewind(): void {
    const inFlight = [...this.#inFlight.values()]
    const released = inFlight.filter(({ isReleased }) => isReleased)
    const again = inFlight.filter(({ isReleased, message }) => !isReleased && message !== undefined)
    for (const { id, isReleased, message } of inFlight) {
      if (!isReleased && message === undefined) this.#ids.delete(id)
    }
    this.#inFlight.clear()
    this.#compact()
    this.#waiting = [...released, ...again, ...this.#waiting]
    this.#count(this.inFlightBytes, -this.inFlightBytes)
  }

  /** Drops messages on all other topics; PUBRELs stay, because they have to be sent. */
  keep(isKept: (topic: string) => boolean): void {
    this.takeWaiting(({ message }) => message !== undefined && !isKept(message.topic))
    for (const outgoing of this.#inFlight.values()) {
      if (outgoing.message === undefined || isKept(outgoing.message.topic)) continue
      this.#dropMessage(outgoing)
      this.#onGone?.(outgoing)
    }
  }

  /** Removes the waiting messages for which `isTaken` returns true. @returns these messages */
  takeWaiting(isTaken: (outgoing: Outgoing) => boolean): Outgoing[] {
    this.#compact()
    const taken = this.#waiting.filter(isTaken)
    if (taken.length === 0) return taken
    this.#waiting = this.#waiting.filter((outgoing) => !isTaken(outgoing))
    for (const outgoing of taken) {
      this.#count(-sizeOf(outgoing), 0)
      this.#gone(outgoing)
    }
    return taken
  }

  /** Empties it. */
  close(): void {
    this.#inFlight.clear()
    this.#waiting = []
    this.#head = 0
    this.#count(-this.waitingBytes, -this.inFlightBytes)
  }
}
