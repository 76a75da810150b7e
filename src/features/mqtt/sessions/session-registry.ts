/** The live sessions of this process, by session and by principal. */
import type { GrantBasis, Session } from '../../../adapters/broker/port.ts'

export interface DeviceSession {
  workspaceId: string
  deviceId: string
  /** The levels that its topics start with, without a trailing slash. */
  topicPrefix: string
}

export interface LiveSession {
  session: Session
  /** The credential, as of the decision about the CONNECT. */
  identity: GrantBasis['credential']
  /** UUID. */
  workspaceId: string
  /** Set if the principal is a device. */
  device: DeviceSession | undefined
}

interface PrincipalSessions {
  live: LiveSession[]
  /** The session that opened when there was no other; it may have closed. */
  first: Session
  /** The one with the highest incarnation since `first` opened; it may have closed. */
  latest: Session
}

export type LastSessions = Pick<PrincipalSessions, 'first' | 'latest'>

export class SessionRegistry {
  readonly #bySession = new Map<string, LiveSession>()
  /** By user name. */
  readonly #byPrincipal = new Map<string, PrincipalSessions>()

  /** @returns whether the principal had no other session */
  open(live: LiveSession): boolean {
    const { session, identity } = live
    this.#bySession.set(session.sessionId, live)
    const known = this.#byPrincipal.get(identity.name)
    if (known === undefined) {
      this.#byPrincipal.set(identity.name, { live: [live], first: session, latest: session })
      return true
    }
    known.live.push(live)
    if (known.latest.incarnation <= session.incarnation) known.latest = session
    return false
  }

  /** @returns the session; `last` is set if the principal has none any more */
  close(sessionId: string): { live: LiveSession; last: LastSessions | undefined } | undefined {
    const live = this.#bySession.get(sessionId)
    if (live === undefined) return undefined
    this.#bySession.delete(sessionId)
    const { name } = live.identity
    const known = this.#byPrincipal.get(name)
    if (known === undefined) return { live, last: undefined }
    known.live = known.live.filter((other) => other !== live)
    if (known.live.length > 0) return { live, last: undefined }
    this.#byPrincipal.delete(name)
    return { live, last: known }
  }

  has(name: string): boolean {
    return this.#byPrincipal.has(name)
  }

  deviceOf(sessionId: string): DeviceSession | undefined {
    return this.#bySession.get(sessionId)?.device
  }

  sessionsOf(name: string): Session[] {
    return (this.#byPrincipal.get(name)?.live ?? []).map(({ session }) => session)
  }

  all(): LiveSession[] {
    return [...this.#bySession.values()]
  }

  /** The user names of all principals. */
  names(): string[] {
    return [...this.#byPrincipal.keys()]
  }

  /** All connected devices, each with its latest session. */
  devices(): { device: DeviceSession; latest: Session }[] {
    return [...this.#byPrincipal.values()].flatMap(({ live: [live], latest }) =>
      live?.device === undefined ? [] : [{ device: live.device, latest }],
    )
  }
}
