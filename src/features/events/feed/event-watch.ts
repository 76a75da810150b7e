/**
 * Waits for events: one query serves all waiting requests of a process, a few times a second, and
 * none runs while nobody waits. Writing an event costs nothing extra.
 */
import { ChangeWaits } from '../../../platform/database/change-waits.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { Debounced } from '../../../platform/lib/debounced.ts'
import { createEventTails, type EventTails } from './event-tail.ts'
import { SafeSequence } from './safe-sequence.ts'
import type { Position } from './schema.ts'
import { findAwake } from './store.ts'

export interface EventServices {
  safeSequence: SafeSequence
  eventWatch: EventWatch
  eventTails: EventTails
}

interface Waiting extends Position {
  number: number
  workspaceId: string
}

const POLL_MS = 250

class EventWatch {
  readonly #db: Db
  readonly #safeSequence: SafeSequence
  readonly #waiting = new Map<number, Waiting>()
  readonly #waits = new ChangeWaits()
  readonly #polls = new Debounced(() => this.#poll(), { pauseMs: POLL_MS, againMs: POLL_MS })
  #last = 0
  /** Whether waiting is no longer possible. */
  isEnded = false

  constructor(db: Db, safeSequence: SafeSequence) {
    this.#db = db
    this.#safeSequence = safeSequence
  }

  /**
   * Waits for an event after the position. False after `ms` milliseconds, when `signal` aborts, or
   * when the process stops.
   */
  async next(
    workspaceId: string,
    after: Position,
    ms: number,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (this.isEnded || signal.aborted || ms <= 0) return false
    this.#last = (this.#last + 1) % 2 ** 31
    const number = this.#last
    this.#waiting.set(number, { ...after, number, workspaceId })
    this.#polls.wake()
    const isFound = await this.#waits.next(String(number), ms, signal)
    this.#waiting.delete(number)
    return isFound
  }

  /** Ends all waits and refuses new ones, for shutdown. */
  end(): void {
    this.isEnded = true
    this.#polls.stop()
    this.#waits.end()
  }

  /** @returns whether nobody waits any more */
  async #poll(): Promise<boolean> {
    try {
      const safe = await this.#safeSequence.advance()
      const numbers = await findAwake(this.#db, [...this.#waiting.values()], safe)
      for (const number of numbers) this.#waits.wake(String(number))
    } catch {
      // Without a database nobody is woken; each wait times out.
    }
    return this.isEnded || this.#waiting.size === 0
  }
}

export function createEventServices(db: Db): EventServices {
  const safeSequence = new SafeSequence(db)
  const eventWatch = new EventWatch(db, safeSequence)
  return { safeSequence, eventWatch, eventTails: createEventTails(eventWatch) }
}
