/**
 * Re-checks the host names through which live sessions connected. When such a name becomes a domain
 * or changes its owner, the sessions that it no longer admits are ended.
 */
import type { Broker, Session } from '../../../adapters/broker/port.ts'
import type { ChangeFeed } from '../../../platform/database/change-feed.ts'
import { retryUntilDone } from '../../../platform/lib/retry-until-done.ts'
import { SetMap } from '../../../platform/lib/set-map.ts'
import type { DomainDirectory } from '../../domains/ownership/directory.ts'
import type { decideByHosts } from '../credentials/deciders.ts'
import type { SessionSubscriber } from './session-events.ts'
import type { LiveSession } from './session-registry.ts'

export interface HostCheckServices {
  broker: Pick<Broker, 'disconnect'>
  domains: Pick<DomainDirectory, 'refOf'>
  /** Decides CONNECTs as well. */
  decide: ReturnType<typeof decideByHosts>
  feed: ChangeFeed
  log: (message: string, error: unknown) => void
}

interface HostedSession {
  session: Session
  workspaceId: string
  refs: readonly string[]
}

const RETRY_MS = 250

export class HostCheck implements SessionSubscriber {
  readonly #services: HostCheckServices
  /** By session id; only sessions with a host name that can be a domain. */
  readonly #sessions = new Map<string, HostedSession>()
  readonly #byRef = new SetMap<HostedSession>()

  constructor(services: HostCheckServices) {
    this.#services = services
    services.feed.on('domain', (ref) => {
      for (const each of this.#byRef.of(ref)) void this.#check(each)
    })
    services.feed.onGap(() => {
      for (const each of this.#sessions.values()) void this.#check(each)
    })
  }

  opened({ session, workspaceId }: Pick<LiveSession, 'session' | 'workspaceId'>): void {
    const { hosts = [] } = session
    const refs = hosts.flatMap((host) => this.#services.domains.refOf(host) ?? [])
    if (refs.length === 0) return
    const hosted: HostedSession = { session, workspaceId, refs }
    this.#sessions.set(session.sessionId, hosted)
    for (const ref of refs) this.#byRef.add(ref, hosted)
    // The name may have become a domain since the CONNECT was decided.
    void this.#check(hosted)
  }

  closed({ session }: Pick<LiveSession, 'session'>): void {
    const hosted = this.#sessions.get(session.sessionId)
    if (hosted === undefined) return
    this.#sessions.delete(session.sessionId)
    for (const ref of hosted.refs) this.#byRef.delete(ref, hosted)
  }

  /** Repeats until the check succeeds or the session has ended. */
  async #check(hosted: HostedSession): Promise<void> {
    const { session } = hosted
    const { decide, broker, log } = this.#services
    const isOpen = (): boolean => this.#sessions.has(session.sessionId)
    const check = async (): Promise<void> => {
      if ((await decide(session, hosted)) === undefined) return
      await broker.disconnect(session.grant.principalId, 'administrative', [session.sessionId])
    }
    const failed = (error: unknown): void => {
      if (isOpen()) log('the host of a live session could not be checked', error)
    }
    await retryUntilDone(check, { pauseMs: RETRY_MS, failed, isWanted: isOpen })
  }
}
