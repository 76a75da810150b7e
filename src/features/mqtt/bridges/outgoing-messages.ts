/**
 * The send queue of one bridge, in order. A hanging broker only delays its own messages: they are
 * dropped after a while, and only a few arrive late.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bridge } from '../../../adapters/broker/bridge-port.ts'
import type { Message } from '../../../adapters/broker/port.ts'

/** Unacknowledged messages in flight. */
const IN_FLIGHT = 20
/** Queue capacity; further messages are refused. */
const MAX_WAITING = 2_000
const MAX_WAITING_BYTES = 16 * 2 ** 20
/** Messages that waited this long are dropped, as nobody expects them any more. */
const TIMEOUT_MS = 5_000
/** From this length on, producers wait, as long as the broker makes progress. */
const CROWDED = 200
const STALLED_MS = 500

interface Waiting {
  message: Message
  /** By `performance.now()`. */
  since: number
  resolve: () => void
  reject: (error: unknown) => void
}

export class OutgoingMessages {
  readonly #bridge: Pick<Bridge, 'publish'>
  readonly #waiting: Waiting[] = []
  #bytes = 0
  #inFlight = 0
  /** When the broker last accepted a message or the queue was empty. */
  #movedAt = 0

  constructor(bridge: Pick<Bridge, 'publish'>) {
    this.#bridge = bridge
  }

  /** Messages that are not sent yet. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** Rejects if the broker does not accept it in time, or the queue is full. */
  send(message: Message): Promise<void> {
    if (this.#waiting.length >= MAX_WAITING || this.#bytes > MAX_WAITING_BYTES) {
      return Promise.reject(new Error('Too many messages wait for the broker.'))
    }
    if (this.#inFlight === 0) this.#movedAt = performance.now()
    this.#bytes += message.payload.length
    return new Promise((resolve, reject) => {
      this.#waiting.push({ message, since: performance.now(), resolve, reject })
      this.#next()
    })
  }

  /** Resolves when there is room: immediately if the queue is short or the broker is stuck. */
  async room(): Promise<void> {
    while (this.#waiting.length > CROWDED) {
      const left = this.#movedAt + STALLED_MS - performance.now()
      if (left <= 0) return
      await sleep(5)
    }
  }

  #next(): void {
    while (this.#inFlight < IN_FLIGHT) {
      const next = this.#waiting.shift()
      if (next === undefined) return
      const { message, since, resolve, reject } = next
      this.#bytes -= message.payload.length
      if (performance.now() - since > TIMEOUT_MS) {
        reject(new Error('A message was queued too long for the broker.'))
        continue
      }
      this.#inFlight += 1
      this.#bridge
        .publish(message)
        .then(() => {
          this.#movedAt = performance.now()
          resolve()
        }, reject)
        .finally(() => {
          this.#inFlight -= 1
          this.#next()
        })
    }
  }
}
