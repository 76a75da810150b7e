/**
 * Which sessions the last cut of a principal was about: one that came back as it may must not look
 * as if the cut had failed. Who may not come back must have none.
 */
const REMEMBERED = 10_000

export class CutMemory {
  /** Names of sessions, by the principal. */
  readonly #cuts = new Map<string, ReadonlySet<string>>()

  remember(principalId: string, sessions: Iterable<string>): void {
    this.#cuts.delete(principalId)
    this.#cuts.set(principalId, new Set(sessions))
    const [oldest] = this.#cuts.keys()
    if (this.#cuts.size > REMEMBERED && oldest !== undefined) this.#cuts.delete(oldest)
  }

  /** Whether what is listed now agrees with the last cut having succeeded. */
  hasEnded(principalId: string, listed: readonly string[], mayReturn: boolean): boolean {
    if (!mayReturn) return listed.length === 0
    const ended = this.#cuts.get(principalId)
    return listed.every((name) => ended?.has(name) !== true)
  }
}
