/** Reports when the credential of a connected principal expires. */
import type { Clock } from '../../../platform/lib/clock.ts'

const CHECK_MS = 250

export class ExpiryTimers {
  /** Milliseconds since the epoch, by user name. */
  readonly #expiries = new Map<string, number>()
  readonly #clock: Clock
  readonly #onExpired: (name: string) => void
  #timer: NodeJS.Timeout | undefined

  /** @param onExpired called once; a principal that is still connected must be set again */
  constructor(clock: Clock, onExpired: (name: string) => void) {
    this.#clock = clock
    this.#onExpired = onExpired
  }

  /** @param at milliseconds since the epoch; null: never */
  set(name: string, at: number | null): void {
    if (at === null) this.#expiries.delete(name)
    else this.#expiries.set(name, at)
    this.#run()
  }

  stop(): void {
    this.#expiries.clear()
    this.#run()
  }

  /** The timer runs only while some connected principal can expire. */
  #run(): void {
    if (this.#expiries.size === 0) {
      clearInterval(this.#timer)
      this.#timer = undefined
    } else {
      this.#timer ??= setInterval(() => this.#check(), CHECK_MS).unref()
    }
  }

  #check(): void {
    const now = this.#clock.now()
    for (const [name, at] of this.#expiries) {
      if (at > now) continue
      this.#expiries.delete(name)
      this.#onExpired(name)
    }
    this.#run()
  }
}
