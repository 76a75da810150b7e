/** Who holds which of the live sessions of this process. */
import type { Session } from '../../broker/port.ts'
import type { Identity } from '../mqtt-credentials/identity.ts'
import type { DeviceSession } from './presence.ts'

export interface Live {
  session: Session
  identity: Identity
  /** Only a device has presence, a state and commands. */
  device: DeviceSession | undefined
}

interface Holder {
  sessionIds: Set<string>
  /** The one that came when there was no other; it may be over. */
  first: Session
  /** The one with the highest incarnation since the first of these opened; it may be over. */
  latest: Session
  device: DeviceSession | undefined
}

export type Ended = Pick<Holder, 'first' | 'latest'>

const isLater = (one: Session, other: Session): boolean => one.incarnation > other.incarnation

export class SessionHolders {
  readonly #bySession = new Map<string, Live>()
  /** By the user name. */
  readonly #holders = new Map<string, Holder>()

  /** @returns whether its holder had no other session. */
  open(live: Live): boolean {
    const { session, identity, device } = live
    this.#bySession.set(session.sessionId, live)
    const known = this.#holders.get(identity.name)
    known?.sessionIds.add(session.sessionId)
    const latest = known && isLater(known.latest, session) ? known.latest : session
    const sessionIds = known?.sessionIds ?? new Set([session.sessionId])
    const first = known?.first ?? session
    this.#holders.set(identity.name, { sessionIds, first, latest, device })
    return known === undefined
  }

  /** @returns what it was, and the sessions of its holder if that has none any more. */
  close(sessionId: string): (Live & { last: Ended | undefined }) | undefined {
    const live = this.#bySession.get(sessionId)
    if (live === undefined) return undefined
    this.#bySession.delete(sessionId)
    const { name } = live.identity
    const known = this.#holders.get(name)
    known?.sessionIds.delete(sessionId)
    const last = known?.sessionIds.size === 0 ? known : undefined
    if (last !== undefined) this.#holders.delete(name)
    return { ...live, last }
  }

  has(name: string): boolean {
    return this.#holders.has(name)
  }

  deviceOf(sessionId: string): DeviceSession | undefined {
    return this.#bySession.get(sessionId)?.device
  }

  sessionsOf(name: string): Session[] {
    const { sessionIds } = this.#holders.get(name) ?? { sessionIds: [] }
    return [...sessionIds].flatMap((id) => this.#bySession.get(id)?.session ?? [])
  }

  sessions(): Session[] {
    return [...this.#bySession.values()].map(({ session }) => session)
  }

  /** The user names of all holders. */
  names(): string[] {
    return [...this.#holders.keys()]
  }

  /** The devices among them, with the latest session of each. */
  devices(): { device: DeviceSession; latest: Session }[] {
    return [...this.#holders.values()].flatMap(({ device, latest }) =>
      device === undefined ? [] : [{ device, latest }],
    )
  }
}
