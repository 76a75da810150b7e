/**
 * The host names that live sessions have come by. When one of them becomes somebody's domain, or
 * another's, the sessions that it would not admit any more are ended.
 */
import type { Broker, BrokerAuthority, Session } from '../../../adapters/broker/port.ts'
import type { ChangeFeed } from '../../../platform/database/change-feed.ts'
import { parseId } from '../../../platform/lib/ids.ts'
import { admitsByHosts } from '../../domains/ownership/domain-admission.ts'
import type { DomainDirectory } from '../../domains/ownership/directory.ts'

export interface HostWatchServices {
  domains: Pick<DomainDirectory, 'find' | 'refOf'>
  feed: ChangeFeed
  log: (message: string, error: unknown) => void
}

interface Watched {
  session: Session
  hosts: readonly string[]
  refs: readonly string[]
}

const RETRY_MS = 250

/** Stands before the authority that decides and hears of everything else. */
export class HostWatch implements BrokerAuthority {
  readonly #services: HostWatchServices
  readonly #authority: BrokerAuthority
  /** By the ids of sessions; only those that came by a name that can be a domain. */
  readonly #watched = new Map<string, Watched>()
  readonly #byRef = new Map<string, Set<Watched>>()
  #broker: Pick<Broker, 'disconnect'> | undefined

  constructor(authority: BrokerAuthority, services: HostWatchServices) {
    this.#authority = authority
    this.#services = services
    services.feed.on('domain', (ref) => {
      for (const each of this.#byRef.get(ref) ?? []) void this.#look(each)
    })
    services.feed.onGap(() => {
      for (const each of this.#watched.values()) void this.#look(each)
    })
  }

  /** The broker and its authority need each other. */
  serve<B extends Pick<Broker, 'disconnect'>>(make: (authority: BrokerAuthority) => B): B {
    const broker = make(this)
    this.#broker = broker
    return broker
  }

  connect: BrokerAuthority['connect'] = (request) => this.#authority.connect(request)

  sessionOpened(session: Session): void {
    this.#authority.sessionOpened(session)
    const { hosts = [] } = session
    const refs = hosts.flatMap((host) => this.#services.domains.refOf(host) ?? [])
    if (refs.length === 0) return
    const watched: Watched = { session, hosts, refs }
    this.#watched.set(session.sessionId, watched)
    for (const ref of refs) {
      const others = this.#byRef.get(ref)
      if (others === undefined) this.#byRef.set(ref, new Set([watched]))
      else others.add(watched)
    }
    // The name may have become a domain since the CONNECT was decided.
    void this.#look(watched)
  }

  sessionClosed: BrokerAuthority['sessionClosed'] = (session, end) => {
    this.#authority.sessionClosed(session, end)
    const watched = this.#watched.get(session.sessionId)
    if (watched === undefined) return
    this.#watched.delete(session.sessionId)
    for (const ref of watched.refs) {
      const others = this.#byRef.get(ref)
      others?.delete(watched)
      if (others?.size === 0) this.#byRef.delete(ref)
    }
  }

  refused: BrokerAuthority['refused'] = (request, refusal) =>
    this.#authority.refused(request, refusal)

  subscribed: BrokerAuthority['subscribed'] = (session, filters) =>
    this.#authority.subscribed(session, filters)

  published: BrokerAuthority['published'] = (session, message) =>
    this.#authority.published(session, message)

  denied: BrokerAuthority['denied'] = (session, action, topic) =>
    this.#authority.denied(session, action, topic)

  /** Until it could be looked at, or the session is over. */
  async #look(watched: Watched): Promise<void> {
    const { session, hosts } = watched
    const { principalId, workspaceId } = session.grant
    try {
      const id = parseId('ws', workspaceId) ?? ''
      if (await admitsByHosts(this.#services.domains, hosts, id)) return
      await this.#broker?.disconnect(principalId, 'administrative', [session.sessionId])
    } catch (error) {
      if (!this.#watched.has(session.sessionId)) return
      this.#services.log('the host of a live session could not be looked at', error)
      setTimeout(() => void this.#look(watched), RETRY_MS).unref()
    }
  }
}
