/**
 * Waits for changes by name: a long poll or a stream sleeps here, without a database connection,
 * until it is woken, such as by the change feed.
 */
import { SetMap } from '../lib/set-map.ts'

type Wake = (changed: boolean) => void

export class ChangeWaits {
  readonly #waiting = new SetMap<Wake>()
  #ended = false

  /** Whether `ref` was woken before `ms` milliseconds, an abort of `signal`, or the end. */
  next(ref: string, ms: number, signal: AbortSignal): Promise<boolean> {
    if (this.#ended || signal.aborted || ms <= 0) return Promise.resolve(false)
    return new Promise((resolve) => {
      const giveUp = (): void => wake(false)
      const wake: Wake = (changed) => {
        clearTimeout(timer)
        signal.removeEventListener('abort', giveUp)
        this.#waiting.delete(ref, wake)
        resolve(changed)
      }
      const timer = setTimeout(giveUp, ms)
      signal.addEventListener('abort', giveUp)
      this.#waiting.add(ref, wake)
    })
  }

  wake(ref: string): void {
    this.#end(ref, true)
  }

  wakeAll(): void {
    for (const ref of this.#waiting.keys()) this.#end(ref, true)
  }

  /** Ends all waits and refuses new ones. */
  end(): void {
    this.#ended = true
    for (const ref of this.#waiting.keys()) this.#end(ref, false)
  }

  #end(ref: string, changed: boolean): void {
    for (const wake of this.#waiting.of(ref)) wake(changed)
  }
}
