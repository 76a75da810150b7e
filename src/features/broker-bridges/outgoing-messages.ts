/**
 * What goes out over one bridge, in the order in which it came. A broker that hangs keeps only its
 * own messages: they are given up after a while, and a few of them at most come late.
 */
import type { Bridge } from '../../broker/bridge-port.ts'
import type { Message } from '../../broker/port.ts'

/** Messages that wait for the broker's word at once. */
const IN_FLIGHT = 20
/** Beyond these a message is refused. */
const MAX_WAITING = 2_000
const MAX_WAITING_BYTES = 16 * 2 ** 20
/** What has waited so long is not sent any more: nobody expects it by then. */
const PATIENCE_MS = 5_000
/** From so many on whoever brings more has to wait, as long as the broker gets on. */
const CROWDED = 200
const STALLED_MS = 500

interface Waiting {
  message: Message
  /** On the clock of `performance`. */
  since: number
  resolve: () => void
  reject: (error: unknown) => void
}

export class OutgoingMessages {
  readonly #bridge: Pick<Bridge, 'publish'>
  readonly #waiting: Waiting[] = []
  #bytes = 0
  #inFlight = 0
  /** When the broker took the last message, or had nothing to take. */
  #movedAt = 0

  constructor(bridge: Pick<Bridge, 'publish'>) {
    this.#bridge = bridge
  }

  /** Rejects when the broker does not take it in time, or too much waits for it already. */
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

  /** Resolves when more may be brought: at once if few wait, or if waiting helps nobody. */
  async room(): Promise<void> {
    while (this.#waiting.length > CROWDED) {
      const left = this.#movedAt + STALLED_MS - performance.now()
      if (left <= 0) return
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }

  #next(): void {
    while (this.#inFlight < IN_FLIGHT) {
      const next = this.#waiting.shift()
      if (next === undefined) return
      const { message, since, resolve, reject } = next
      this.#bytes -= message.payload.length
      if (performance.now() - since > PATIENCE_MS) {
        reject(new Error('A message waited too long for the broker.'))
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
