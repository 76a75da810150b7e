/**
 * The QoS 1 and 2 messages of one session that its client has not acknowledged yet: those in
 * flight, and behind them those that wait for room in the client's Receive Maximum.
 */
import type { Message } from './message.ts'
import type { Qos } from './codec/packet-types.ts'

/** Something that a message came through and that gets it back if it cannot be delivered here. */
export interface ShareGroup {
  /** As its members have asked for it, with `$share`. */
  readonly topic: string
  /** Finds another member, or queues it for one that is away. */
  redeliver(message: Message): void
}

export interface Outgoing {
  /** Undefined: a PUBREL took its place, or its receiver may no longer have it. */
  message: Message | undefined
  qos: Qos
  retain: boolean
  identifiers: readonly number[] | undefined
  /** The shared subscription that it came through. */
  group: ShareGroup | undefined
  /** 0: it has none yet. */
  id: number
  /** Whether it was sent, or may have been by an earlier process. */
  isSent: boolean
  /** Whether its client answered with PUBREC, and is owed a PUBREL. */
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
/** Places of messages that were taken, before they are cleared away. */
const MAX_SHIFTED = 1_024

const sizeOf = ({ message }: Outgoing): number => message?.size ?? 0

export class OutgoingQueue {
  /** By packet identifier, in the order in which they were sent. */
  #inFlight = new Map<number, Outgoing>()
  /** Waiting messages stand from `#head` on: taking the first of many would move all others. */
  #waiting: Outgoing[] = []
  #head = 0
  #lastId = 0
  #account: QueueAccount
  /** Of a stored queue. */
  #onGone: ((outgoing: Outgoing) => void) | undefined
  #lastSeq = 0
  /** Of a stored queue, whose messages have theirs from the start: all that are taken. */
  #ids = new Set<number>()
  /** Payloads and properties of what waits, and of what is in flight. */
  waitingBytes = 0
  inFlightBytes = 0

  constructor(account: QueueAccount) {
    this.#account = account
  }

  /**
   * From now on it is stored; nothing is in flight.
   * @param onGone called for each message that is not to be kept any longer
   * @returns what waits, with its numbers and identifiers
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

  /** From now on it is in memory alone; nothing is in flight. */
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

  /** Takes what an earlier process has left, in its order. */
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

  /** It has left the queue. */
  #gone(outgoing: Outgoing): void {
    if (this.#onGone === undefined) return
    this.#ids.delete(outgoing.id)
    this.#onGone(outgoing)
  }

  /** Takes the next one that waits, and gives it an identifier if it has none. */
  send(): Outgoing | undefined {
    const next = this.#shift()
    if (next === undefined) return undefined
    // A message that was sent before comes before any new one, so its identifier is its own.
    if (next.id === 0) next.id = this.#freeId()
    next.isSent = true
    this.#inFlight.set(next.id, next)
    this.#count(-sizeOf(next), sizeOf(next))
    return next
  }

  /** Takes the next one that waits away from the queue. */
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

  /** The client has acknowledged it. @returns undefined if there is no such message */
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

  /** Keeps the messages on these topics alone; a PUBREL has to be sent in any case. */
  keep(isKept: (topic: string) => boolean): void {
    this.takeWaiting(({ message }) => message !== undefined && !isKept(message.topic))
    for (const outgoing of this.#inFlight.values()) {
      if (outgoing.message === undefined || isKept(outgoing.message.topic)) continue
      this.#dropMessage(outgoing)
      this.#onGone?.(outgoing)
    }
  }

  /** Takes those that wait and for which this is so. */
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
