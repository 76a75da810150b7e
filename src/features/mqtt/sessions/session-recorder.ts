/**
 * Holds opened and closed sessions back for subscribers that write them to the database in batches.
 * They get them right before a write: building the rows of many sessions together costs a fraction
 * of building each between two sockets, and delays no CONNECT.
 */
import type { ConnectRefusal, ConnectRequest } from '../../../adapters/broker/port.ts'
import { toEach } from '../../../platform/lib/to-each.ts'
import type { Closing, SessionSubscriber } from './session-events.ts'
import type { LiveSession } from './session-registry.ts'

interface SessionEvent {
  live: LiveSession
  isOnly: boolean
  /** Undefined: the session opened. */
  closing: Closing | undefined
}

/** Beyond this, events are passed on early, since subscribers keep less than every event. */
const MAX_WAITING = 10_000

export class SessionRecorder implements SessionSubscriber {
  readonly #subscribers: readonly SessionSubscriber[]
  readonly #failed: (error: unknown) => void
  #waiting: SessionEvent[] = []

  /** @param failed called with the error of a subscriber */
  constructor(subscribers: readonly SessionSubscriber[], failed: (error: unknown) => void) {
    this.#subscribers = subscribers
    this.#failed = failed
  }

  opened(live: LiveSession, isOnly: boolean): void {
    this.#add({ live, isOnly, closing: undefined })
  }

  closed(live: LiveSession, closing: Closing): void {
    this.#add({ live, isOnly: false, closing })
  }

  /** Not held back: equal refusals are already combined when they are counted. */
  refused(request: ConnectRequest, refusal: ConnectRefusal): void {
    this.#toEach((each) => each.refused?.(request, refusal))
  }

  /** Not held back either: an external broker may ask again at once. */
  admitted(live: LiveSession, broker: string): void {
    this.#toEach((each) => each.admitted?.(live, broker))
  }

  /** Passes waiting events on, in order. Call it before a subscriber writes. */
  deliver(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const { live, isOnly, closing } of waiting) {
      this.#toEach((each) =>
        closing === undefined ? each.opened?.(live, isOnly) : each.closed?.(live, closing),
      )
    }
  }

  #toEach(pass: (subscriber: SessionSubscriber) => void): void {
    toEach(this.#subscribers, pass, this.#failed)
  }

  #add(event: SessionEvent): void {
    if (this.#waiting.push(event) >= MAX_WAITING) this.deliver()
  }
}
