/**
 * Remembers which sessions the last disconnect of a principal ended, so that a client that rightly
 * reconnects does not look like a failed disconnect. A principal without access must have no
 * session at all.
 */
import { LRUCache } from 'lru-cache'

const REMEMBERED = 10_000

export class EndedSessionMemory {
  /** Session names by principal. */
  readonly #ended = new LRUCache<string, ReadonlySet<string>>({ max: REMEMBERED })

  remember(principalId: string, sessions: Iterable<string>): void {
    this.#ended.set(principalId, new Set(sessions))
  }

  /** Whether the listed sessions are consistent with a successful disconnect. */
  hasEnded(principalId: string, listed: readonly string[], mayReturn: boolean): boolean {
    if (!mayReturn) return listed.length === 0
    const ended = this.#ended.get(principalId)
    return listed.every((name) => ended?.has(name) !== true)
  }
}
