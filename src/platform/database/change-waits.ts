/**
 * Waits for changes by name: a long poll or a stream sleeps here, without a database connection,
 * until it is woken, such as by the change feed.
 */

type Wake = (changed: boolean) => void

export class ChangeWaits {
  readonly #waiting = new Map<string, Set<Wake>>()
  #ended = false

  /** Whether `ref` was woken before `ms` milliseconds, an abort of `signal`, or the end. */
  next(ref: string, ms: number, signal: AbortSignal): Promise<boolean> {
    if (this.#ended || signal.aborted || ms <= 0) return Promise.resolve(false)
    return new Promise((resolve) => {
      const giveUp = (): void => wake(false)
      const wake: Wake = (changed) => {
        clearTimeout(timer)
        signal.removeEventListener('abort', giveUp)
        this.#evict(ref, wake)
        resolve(changed)
      }
      const timer = setTimeout(giveUp, ms)
      signal.addEventListener('abort', giveUp)
      const waiting = this.#waiting.get(ref)
      if (waiting === undefined) this.#waiting.set(ref, new Set([wake]))
      else waiting.add(wake)
    })
  }

  wake(ref: string): void {
    for (const wake of this.#waiting.get(ref) ?? []) wake(true)
  }

  wakeAll(): void {
    for (const ref of this.#waiting.keys()) this.wake(ref)
  }

  /** Ends all waits and refuses new ones. */
  end(): void {
    this.#ended = true
    for (const waiting of this.#waiting.values()) for (const wake of waiting) wake(false)
  }

  #evict(ref: string, wake: Wake): void {
    const waiting = this.#waiting.get(ref)
    waiting?.delete(wake)
    if (waiting?.size === 0) this.#waiting.delete(ref)
  }
}
