/**
 * Holds a client to a rate of messages by reading from it more slowly. Its own socket then fills up
 * and makes it wait: nothing is lost, and a device that brings what it gathered while it was
 * offline isn't cut for that.
 */
import type { ClientInternals } from './internals.ts'
import type { EmbeddedBrokerLimits } from './limits.ts'
import { TokenBucket } from './token-bucket.ts'

/** How many seconds' worth of messages may come at once. */
const BURST_SECONDS = 10
/** How often a client that has to wait is looked at: it is not silent, whatever its keepalive. */
const POLL_MS = 500

export class Pace {
  #client: ClientInternals
  #perSecond: number
  #bucket: TokenBucket | undefined
  #waiting = false

  constructor(client: ClientInternals, limits: Pick<EmbeddedBrokerLimits, 'publishesPerSecond'>) {
    this.#client = client
    this.#perSecond = limits.publishesPerSecond
  }

  /** Packets of this weight have come; reading stops if there were too many. */
  note(count: number): void {
    this.#bucket ??= new TokenBucket(this.#perSecond, this.#perSecond * BURST_SECONDS)
    if (this.#bucket.borrow(count) > 0 && !this.#waiting) this.#wait(this.#bucket)
  }

  #wait(bucket: TokenBucket): void {
    this.#waiting = true
    const client = this.#client
    const { conn } = client
    // aedes has a pause of its own, but loses count of its packets in it and never continues.
    conn.read = () => null
    const check = (): void => {
      if (client.closed) return
      client._keepaliveTimer?.refresh()
      const debtMs = bucket.debtMs()
      if (debtMs > 0) {
        setTimeout(check, Math.min(debtMs, POLL_MS)).unref()
        return
      }
      this.#waiting = false
      Reflect.deleteProperty(conn, 'read')
      client._nextBatch()
    }
    check()
  }
}
