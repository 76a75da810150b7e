/** Which sessions the service has ended in this process, so that a receipt can say how many. */
import type { Session, SessionEnd } from '../../../adapters/broker/port.ts'

const REMEMBERED = 20_000

interface Entry {
  principalId: string
  workspaceId: string
}

export class CutLog {
  readonly #entries: Entry[] = []
  #dropped = 0

  /** Grows with each session that is ended. */
  get sequence(): number {
    return this.#dropped + this.#entries.length
  }

  add({ grant }: Session, end: SessionEnd): void {
    if (end !== 'administrative' && end !== 'not_authorized') return
    const { principalId, workspaceId } = grant
    this.#entries.push({ principalId, workspaceId })
    if (this.#entries.length < 2 * REMEMBERED) return
    this.#entries.splice(0, REMEMBERED)
    this.#dropped += REMEMBERED
  }

  /** How many of these were ended after the sequence was `since`. Ids as callers see them. */
  countSince(since: number, isMeant: (ended: Entry) => boolean): number {
    return this.#entries.slice(Math.max(0, since - this.#dropped)).filter(isMeant).length
  }
}
