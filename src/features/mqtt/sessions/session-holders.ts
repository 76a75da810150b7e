/** Who holds which of the live sessions of this process. */
import type { Session } from '../../../adapters/broker/port.ts'
import type { Identity } from '../credentials/identity.ts'
import type { DeviceSession } from './presence.ts'

export interface Live {
  session: Session
  identity: Identity
  /** UUID. */
  workspaceId: string
  /** Only a device has presence, a state and commands. */
  device: DeviceSession | undefined
}

interface Holder {
  lives: Live[]
  /** The session that came when there was no other; it may be over. */
  first: Session
  /** The one with the highest incarnation since the first of these opened; it may be over. */
  latest: Session
}

export type Ended = Pick<Holder, 'first' | 'latest'>

export class SessionHolders {
  readonly #bySession = new Map<string, Live>()
  /** By the user name. */
  readonly #holders = new Map<string, Holder>()

  /** @returns whether its holder had no other session. */
  open(live: Live): boolean {
    const { session, identity } = live
    this.#bySession.set(session.sessionId, live)
    const known = this.#holders.get(identity.name)
    if (known === undefined) {
      this.#holders.set(identity.name, { lives: [live], first: session, latest: session })
      return true
    }
    known.lives.push(live)
    if (known.latest.incarnation <= session.incarnation) known.latest = session
    return false
  }

  /** @returns what it was, and the sessions of its holder if that has none any more. */
  close(sessionId: string): { live: Live; last: Ended | undefined } | undefined {
    const live = this.#bySession.get(sessionId)
    if (live === undefined) return undefined
    this.#bySession.delete(sessionId)
    const { name } = live.identity
    const known = this.#holders.get(name)
    if (known === undefined) return { live, last: undefined }
    known.lives = known.lives.filter((other) => other !== live)
    if (known.lives.length > 0) return { live, last: undefined }
    this.#holders.delete(name)
    return { live, last: known }
  }

  has(name: string): boolean {
    return this.#holders.has(name)
  }

  deviceOf(sessionId: string): DeviceSession | undefined {
    return this.#bySession.get(sessionId)?.device
  }

  sessionsOf(name: string): Session[] {
    return (this.#holders.get(name)?.lives ?? []).map(({ session }) => session)
  }

  all(): Live[] {
    return [...this.#bySession.values()]
  }

  /** The user names of all holders. */
  names(): string[] {
    return [...this.#holders.keys()]
  }

  /** The devices among them, with the latest session of each. */
  devices(): { device: DeviceSession; latest: Session }[] {
    return [...this.#holders.values()].flatMap(({ lives: [live], latest }) =>
      live?.device === undefined ? [] : [{ device: live.device, latest }],
    )
  }
}
