/** The sessions that the service ended in this process, so that a receipt can report how many. */
import type { Closing, SessionSubscriber } from './session-events.ts'
import type { LiveSession } from './session-registry.ts'

const REMEMBERED = 20_000

interface Entry {
  principalId: string
  workspaceId: string
}

export class DisconnectLog implements SessionSubscriber {
  readonly #entries: Entry[] = []
  #dropped = 0

  /** Incremented with each session that the service ends. */
  get sequence(): number {
    return this.#dropped + this.#entries.length
  }

  closed({ session: { grant } }: LiveSession, { end }: Closing): void {
    if (end !== 'administrative' && end !== 'not_authorized') return
    const { principalId, workspaceId } = grant
    this.#entries.push({ principalId, workspaceId })
    if (this.#entries.length < 2 * REMEMBERED) return
    this.#entries.splice(0, REMEMBERED)
    this.#dropped += REMEMBERED
  }

  /** How many matching sessions were ended after the sequence was `since`; ids are public ids. */
  countSince(since: number, matches: (ended: Entry) => boolean): number {
    return this.#entries.slice(Math.max(0, since - this.#dropped)).filter(matches).length
  }
}
