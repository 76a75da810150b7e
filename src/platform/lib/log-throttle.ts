/** Throttles repeated log messages, by default to one per minute. */
const PAUSE_MS = 60_000

export class LogThrottle {
  readonly #silentUntil = new Map<string, number>()
  readonly #pauseMs: number

  constructor(pauseMs = PAUSE_MS) {
    this.#pauseMs = pauseMs
  }

  /**
   * Whether to log now.
   * @param what one of a small set of keys; each is remembered
   */
  isDue(what = ''): boolean {
    const now = performance.now()
    if (now < (this.#silentUntil.get(what) ?? 0)) return false
    this.#silentUntil.set(what, now + this.#pauseMs)
    return true
  }

  /** The next message is due. */
  reset(what = ''): void {
    this.#silentUntil.delete(what)
  }
}
