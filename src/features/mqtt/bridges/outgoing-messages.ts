/**
 * The send queue of one bridge, in order. A hanging broker only delays its own messages: they are
 * dropped after a while, and only a few arrive late.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bridge } from '../../../adapters/broker/bridge-port.ts'
import type { Message } from '../../../adapters/broker/port.ts'
import { Semaphore } from '../../../platform/lib/semaphore.ts'

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

export class OutgoingMessages {
  readonly #bridge: Pick<Bridge, 'publish'>
  readonly #turns = new Semaphore({ concurrency: IN_FLIGHT })
  #waiting = 0
  /** The payload bytes of waiting messages. */
  #bytes = 0
  /** When the broker last accepted a message or the queue was empty. */
  #movedAt = 0

  constructor(bridge: Pick<Bridge, 'publish'>) {
    this.#bridge = bridge
  }

  /** Messages that are not sent yet. */
  get waiting(): number {
    return this.#waiting
  }

  /** Rejects if the broker does not accept it in time, or the queue is full. */
  async send(message: Message): Promise<void> {
    if (this.#waiting >= MAX_WAITING || this.#bytes > MAX_WAITING_BYTES) {
      throw new Error('Too many messages wait for the broker.')
    }
    const since = performance.now()
    if (this.#turns.isIdle) this.#movedAt = since
    this.#waiting += 1
    this.#bytes += message.payload.length
    await this.#turns.run(async () => {
      this.#waiting -= 1
      this.#bytes -= message.payload.length
      if (performance.now() - since > TIMEOUT_MS) {
        throw new Error('A message was queued too long for the broker.')
      }
      await this.#bridge.publish(message)
      this.#movedAt = performance.now()
    })
  }

  /** Resolves when there is room: immediately if the queue is short or the broker is stuck. */
  async room(): Promise<void> {
    while (this.#waiting > CROWDED) {
      const left = this.#movedAt + STALLED_MS - performance.now()
      if (left <= 0) return
      await sleep(5)
    }
  }
}
