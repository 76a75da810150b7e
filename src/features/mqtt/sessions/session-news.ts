/**
 * What has opened and closed, on its way to presence, the list of connections and their log. It
 * waits here until these are written: making the rows of many sessions at a time costs a fraction
 * of making each between two sockets, and no CONNECT is held up by it.
 */
import type { SessionEnd } from '../../../adapters/broker/port.ts'
import type { Clock } from '../../../platform/lib/clock.ts'
import type { ConnectionAttempts } from '../connection-log/attempts.ts'
import type { ConnectionRegister } from './connection-register.ts'
import type { Presence } from './presence.ts'
import type { PrincipalContacts } from './principal-contacts.ts'
import type { Ended, Live } from './session-holders.ts'

export interface SessionNewsServices {
  presence: Presence
  contacts: PrincipalContacts
  connections: ConnectionRegister
  attempts: ConnectionAttempts
  clock: Clock
}

interface Closing {
  end: SessionEnd
  /** Milliseconds since the Unix epoch. */
  at: number
  /** The sessions of its holder, if that has none any more. */
  last: Ended | undefined
}

interface News {
  live: Live
  /** Undefined: it opened. */
  closing: Closing | undefined
}

/** While nothing can be written, the receivers keep less than all that happened. */
const MAX_WAITING = 10_000

export class SessionNews {
  readonly #services: SessionNewsServices
  #waiting: News[] = []

  constructor(services: SessionNewsServices) {
    this.#services = services
  }

  opened(live: Live): void {
    this.#add({ live, closing: undefined })
  }

  closed(live: Live, end: SessionEnd, last: Ended | undefined): void {
    this.#add({ live, closing: { end, at: this.#services.clock.now(), last } })
  }

  /** Hands on what waits, in its order. To be called before what the receivers have is written. */
  deliver(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const { live, closing } of waiting) {
      if (closing === undefined) this.#tellOpened(live)
      else this.#tellClosed(live, closing)
    }
  }

  #add(news: News): void {
    if (this.#waiting.push(news) >= MAX_WAITING) this.deliver()
  }

  #tellOpened({ session, identity, workspaceId, device }: Live): void {
    const { presence, contacts, connections, attempts } = this.#services
    if (device) presence.opened(session, device, session.grant.isFirst)
    if (identity.kind === 'principal') {
      contacts.opened(session, { workspaceId, principalId: identity.id })
    }
    attempts.opened(session, identity)
    connections.opened(session, workspaceId)
  }

  #tellClosed({ session, identity, workspaceId, device }: Live, { end, at, last }: Closing): void {
    const { presence, connections, attempts } = this.#services
    attempts.closed(session, identity, end, at)
    connections.closed(session, workspaceId)
    // Presence is ordered by incarnation: what the last session says must not look older than what
    // a later one, which closed before it, has said already.
    if (device && last) presence.closed(last.latest, device, at)
  }
}
