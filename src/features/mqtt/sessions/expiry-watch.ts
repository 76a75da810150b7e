/** Tells when the time of somebody who is connected is up. */
import type { Clock } from '../../../platform/lib/clock.ts'

const LOOK_MS = 250

export class ExpiryWatch {
  /** Milliseconds since the epoch, by the name of who is connected. */
  readonly #ends = new Map<string, number>()
  readonly #clock: Clock
  readonly #onEnd: (name: string) => void
  #timer: NodeJS.Timeout | undefined

  /** @param onEnd told once for each end; whoever is still there then has to be set anew. */
  constructor(clock: Clock, onEnd: (name: string) => void) {
    this.#clock = clock
    this.#onEnd = onEnd
  }

  /** @param at milliseconds since the epoch; null: no end. */
  set(name: string, at: number | null): void {
    if (at === null) this.#ends.delete(name)
    else this.#ends.set(name, at)
    this.#run()
  }

  stop(): void {
    this.#ends.clear()
    this.#run()
  }

  /** The timer runs only while somebody's time can be up. */
  #run(): void {
    if (this.#ends.size === 0) {
      clearInterval(this.#timer)
      this.#timer = undefined
    } else {
      this.#timer ??= setInterval(() => this.#look(), LOOK_MS).unref()
    }
  }

  #look(): void {
    const now = this.#clock.now()
    for (const [name, at] of this.#ends) {
      if (at > now) continue
      this.#ends.delete(name)
      this.#onEnd(name)
    }
    this.#run()
  }
}
