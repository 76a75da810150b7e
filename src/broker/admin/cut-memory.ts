/**
 * Which sessions the last cut of a principal was about. Who is cut but may come back soon does, and
 * the new session must not look as if the cut had failed; who may not come back must have none.
 */
import type { CutReason } from '../port.ts'

interface Cut {
  reason: CutReason
  sessions: ReadonlySet<string>
}

const REMEMBERED = 10_000

export class CutMemory {
  readonly #cuts = new Map<string, Cut>()

  remember(principalId: string, reason: CutReason, sessions: Iterable<string>): void {
    this.#cuts.delete(principalId)
    this.#cuts.set(principalId, { reason, sessions: new Set(sessions) })
    const [oldest] = this.#cuts.keys()
    if (this.#cuts.size > REMEMBERED && oldest !== undefined) this.#cuts.delete(oldest)
  }

  /** Whether what is listed now is compatible with the last cut having succeeded. */
  hasEnded(principalId: string, listed: readonly string[]): boolean {
    const cut = this.#cuts.get(principalId)
    if (cut?.reason !== 'administrative') return listed.length === 0
    return listed.every((name) => !cut.sessions.has(name))
  }
}
