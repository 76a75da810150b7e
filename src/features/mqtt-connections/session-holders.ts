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
  /** The one with the highest incarnation since the first of these opened; it may be over. */
  latest: Session
  device: DeviceSession | undefined
}

const isLater = (one: Session, other: Session): boolean => one.incarnation > other.incarnation

export class SessionHolders {
  readonly #bySession = new Map<string, Live>()
  /** By the user name. */
  readonly #holders = new Map<string, Holder>()

  open(live: Live): void {
    const { session, identity, device } = live
    this.#bySession.set(session.sessionId, live)
    const known = this.#holders.get(identity.name)
    known?.sessionIds.add(session.sessionId)
    const latest = known && isLater(known.latest, session) ? known.latest : session
    const sessionIds = known?.sessionIds ?? new Set([session.sessionId])
    this.#holders.set(identity.name, { sessionIds, latest, device })
  }

  /** @returns what it was, and the latest session of its holder if that has none any more. */
  close(sessionId: string): (Live & { last: Session | undefined }) | undefined {
    const live = this.#bySession.get(sessionId)
    if (live === undefined) return undefined
    this.#bySession.delete(sessionId)
    const { name } = live.identity
    const known = this.#holders.get(name)
    known?.sessionIds.delete(sessionId)
    const last = known?.sessionIds.size === 0 ? known.latest : undefined
    if (last !== undefined) this.#holders.delete(name)
    return { ...live, last }
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
