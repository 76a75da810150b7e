/** Throttles repeated log messages to one per minute. */
const PAUSE_MS = 60_000

export class LogThrottle {
  readonly #silentUntil = new Map<string, number>()

  /**
   * Whether to log now.
   * @param what one of a small set of keys; each is remembered
   */
  isDue(what = ''): boolean {
    const now = performance.now()
    if (now < (this.#silentUntil.get(what) ?? 0)) return false
    this.#silentUntil.set(what, now + PAUSE_MS)
    return true
  }
}
