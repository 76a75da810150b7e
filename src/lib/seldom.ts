/** For a log: what goes wrong again and again is told once in a minute. */
const PAUSE_MS = 60_000

export class Seldom {
  readonly #silentUntil = new Map<string, number>()

  /**
   * Whether it is to be told now; then not again for a while.
   * @param what one of a few: each is remembered.
   */
  isDue(what = ''): boolean {
    const now = performance.now()
    if (now < (this.#silentUntil.get(what) ?? 0)) return false
    this.#silentUntil.set(what, now + PAUSE_MS)
    return true
  }
}
