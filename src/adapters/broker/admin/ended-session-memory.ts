/**
 * Remembers which sessions the last disconnect of a principal ended, so that a client that rightly
 * reconnects does not look like a failed disconnect. A principal without access must have no
 * session at all.
 */
const REMEMBERED = 10_000

export class EndedSessionMemory {
  /** Session names by principal. */
  readonly #ended = new Map<string, ReadonlySet<string>>()

  remember(principalId: string, sessions: Iterable<string>): void {
    this.#ended.delete(principalId)
    this.#ended.set(principalId, new Set(sessions))
    const [oldest] = this.#ended.keys()
    if (this.#ended.size > REMEMBERED && oldest !== undefined) this.#ended.delete(oldest)
  }

  /** Whether the listed sessions are consistent with a successful disconnect. */
  hasEnded(principalId: string, listed: readonly string[], mayReturn: boolean): boolean {
    if (!mayReturn) return listed.length === 0
    const ended = this.#ended.get(principalId)
    return listed.every((name) => ended?.has(name) !== true)
  }
}
