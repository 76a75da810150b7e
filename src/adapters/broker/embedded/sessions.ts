/**
 * All sessions, by name and by principal, and the sessions whose client is away: their number is
 * limited, in total and for each principal. The session whose client left first has to end first.
 */
import { principalOf } from './client-id.ts'
import type { EmbeddedBrokerLimits } from './limits.ts'
import type { MqttSession } from './client.ts'

export class Sessions {
  #byName = new Map<string, MqttSession>()
  /** Most principals have one session, which needs no set. */
  #byPrincipal = new Map<string, MqttSession | Set<MqttSession>>()
  #away = new Set<MqttSession>()
  #limits: EmbeddedBrokerLimits

  constructor(limits: EmbeddedBrokerLimits) {
    this.#limits = limits
  }

  get(name: string): MqttSession | undefined {
    return this.#byName.get(name)
  }

  all(): MqttSession[] {
    return [...this.#byName.values()]
  }

  ofPrincipal(principalId: string): MqttSession[] {
    const found = this.#byPrincipal.get(principalId)
    if (found === undefined) return []
    return found instanceof Set ? [...found] : [found]
  }

  /** How many sessions of a principal have a connection. */
  liveOf(principalId: string): number {
    const found = this.#byPrincipal.get(principalId)
    if (found === undefined) return 0
    if (!(found instanceof Set)) return found.client === undefined ? 0 : 1
    let live = 0
    for (const { client } of found) if (client !== undefined) live += 1
    return live
  }

  add(session: MqttSession): void {
    this.#byName.set(session.name, session)
    const principalId = principalOf(session.name)
    const others = this.#byPrincipal.get(principalId)
    if (others === undefined) this.#byPrincipal.set(principalId, session)
    else if (others instanceof Set) others.add(session)
    else this.#byPrincipal.set(principalId, new Set([others, session]))
  }

  remove(session: MqttSession): void {
    this.#byName.delete(session.name)
    this.#away.delete(session)
    const principalId = principalOf(session.name)
    const others = this.#byPrincipal.get(principalId)
    if (others instanceof Set) others.delete(session)
    if (others === session || (others instanceof Set && others.size === 0)) {
      this.#byPrincipal.delete(principalId)
    }
  }

  cameBack(session: MqttSession): void {
    this.#away.delete(session)
  }

  /** Notes that its client left. @returns the sessions that exceed a limit and have to end */
  wentAway(session: MqttSession): MqttSession[] {
    this.#away.delete(session)
    this.#away.add(session)
    const tooMany: MqttSession[] = []
    const others = this.#byPrincipal.get(principalOf(session.name))
    const max = this.#limits.storedSessionsPerPrincipal
    if (others instanceof Set && others.size > max) {
      const away = [...others].filter((other) => this.#away.has(other))
      if (away.length > max) tooMany.push(this.#longestAway(away))
    }
    if (this.#away.size > this.#limits.storedSessions) {
      const [oldest] = this.#away
      if (oldest !== undefined) tooMany.push(oldest)
    }
    return tooMany
  }

  #longestAway(sessions: readonly MqttSession[]): MqttSession {
    return sessions.reduce((one, other) => (one.awaySince <= other.awaySince ? one : other))
  }
}
