/**
 * Re-checks live sessions when the change feed reports a change: ends those whose principal or
 * secret is no longer valid, and replaces the rules of the others. The present state is read from
 * the database.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { RevokeTarget } from '../../../adapters/broker/external-port.ts'
import type { Broker } from '../../../adapters/broker/port.ts'
import { retryUntilDone } from '../../../platform/lib/retry-until-done.ts'
import { SetMap } from '../../../platform/lib/set-map.ts'
import type { CredentialAuthority } from '../credentials/authority.ts'
import { type Credential, hasRulesOf } from '../credentials/credential.ts'
import { ANY_SESSION } from '../credentials/deciders.ts'
import { nameOf, readIdentity } from '../credentials/identity.ts'
import { ExpiryTimers } from './expiry-timers.ts'
import type { Closing, SessionSubscriber } from './session-events.ts'
import type { LiveSession, SessionRegistry } from './session-registry.ts'
import type { Services } from '../../../context.ts'

export interface ReauthorizationServices extends Pick<Services, 'feed' | 'clock'> {
  authority: Pick<CredentialAuthority, 'isUnchanged' | 'read' | 'refusalOf'>
  registry: SessionRegistry
  broker: Pick<Broker, 'disconnect' | 'regrant'>
  target: Pick<RevokeTarget, 'disconnect'>
  /** Called when a device's sessions got other rules. @param deviceId UUID */
  onRegranted: (deviceId: string) => void
  log: (message: string, error: unknown) => void
}

const RETRY_MS = 250
/** Sessions that are re-checked together after a gap in the feed. */
const BATCH = 100

/**
 * Principals whose rights depend on rows that are not their own: a phone's depend on its identity,
 * the session that created its login, and its devices. Finds the principals that a change affects.
 */
class Dependents {
  readonly #refs = new Map<string, readonly string[]>()
  readonly #names = new SetMap<string>()

  /** @param refs UUIDs; an empty list deletes the name */
  set(name: string, refs: readonly string[]): void {
    for (const ref of this.#refs.get(name) ?? []) this.#names.delete(ref, name)
    this.#refs.delete(name)
    if (refs.length > 0) this.#refs.set(name, refs)
    for (const ref of refs) this.#names.add(ref, name)
  }

  of(ref: string): readonly string[] {
    return [...this.#names.of(ref)]
  }
}

export class Reauthorization implements SessionSubscriber {
  readonly #services: ReauthorizationServices
  readonly #dependents = new Dependents()
  /** User names whose check is in progress. */
  readonly #inProgress = new Set<string>()
  readonly #expiries: ExpiryTimers
  #stopped = false

  constructor(services: ReauthorizationServices) {
    this.#services = services
    const { feed } = services
    this.#expiries = new ExpiryTimers(services.clock, (name) => this.#check(name))
    feed.on('device', (ref) => this.#check(nameOf('device', ref)))
    feed.on('mqtt-principal', (ref) => this.#check(nameOf('principal', ref)))
    for (const kind of ['device', 'moid-devices', 'moid-session', 'mqtt-login'] as const) {
      feed.on(kind, (ref) => {
        for (const name of this.#dependents.of(ref)) this.#check(name)
      })
    }
    // A template or a workspace has many devices; only the registry knows which are connected.
    feed.on('template', () => void this.#checkAll())
    feed.on('workspace', () => void this.#checkAll())
    feed.onGap(() => void this.#checkAll())
  }

  stop(): void {
    this.#stopped = true
    this.#expiries.stop()
  }

  opened({ session: { grant }, identity }: LiveSession): void {
    if (identity.kind === 'phone') this.#dependents.set(identity.name, identity.refs)
    this.#expiries.set(identity.name, grant.expiresAt)
    // A right may have been revoked after the decision, when there was no session to end yet.
    if (!this.#services.authority.isUnchanged(grant)) this.#check(identity.name)
  }

  closed({ identity }: LiveSession, { last }: Closing): void {
    if (last === undefined) return
    this.#expiries.set(identity.name, null)
    this.#dependents.set(identity.name, [])
  }

  /**
   * Re-checks one principal, repeatedly until the check succeeds. A disconnected client may have a
   * stored session with queued messages: revoking its right deletes that session too.
   */
  #check(name: string): void {
    if (this.#inProgress.has(name)) return
    this.#inProgress.add(name)
    const check = async (): Promise<void> => {
      this.#inProgress.delete(name)
      await this.#checkNow(name).catch((error: unknown) => {
        if (!this.#stopped) throw error
      })
    }
    const failed = (error: unknown): void => {
      this.#services.log('a live session could not be reviewed', error)
      this.#inProgress.add(name)
    }
    void retryUntilDone(check, { pauseMs: RETRY_MS, failed })
  }

  async #checkNow(name: string): Promise<void> {
    const { authority, registry, broker } = this.#services
    const identity = readIdentity(name)
    const credential = identity && (await authority.read(identity))
    // A stopping broker ends every session itself.
    if (this.#stopped) return
    if (registry.has(name)) {
      this.#expiries.set(name, credential?.expiresAt ?? null)
      if (identity?.kind === 'phone') this.#dependents.set(name, credential?.refs ?? [])
    }
    // Collected before the next await: a client that connects later may have a newer secret.
    const sessions = registry.sessionsOf(name)
    if (credential === undefined || (await authority.refusalOf(ANY_SESSION, credential))) {
      await this.#disconnect(name, credential)
      return
    }
    // Before the questions about single sessions, which may look up their host names.
    await this.#regrant(credential)
    const refusals = await Promise.all(
      sessions.map(async (session) => authority.refusalOf(session, credential)),
    )
    const lost = sessions
      .filter((_, at) => refusals[at] !== undefined)
      .map(({ sessionId }) => sessionId)
    if (lost.length > 0) await broker.disconnect(name, 'administrative', lost)
  }

  /** The will of an ended session is checked against the current rules, like any message. */
  async #disconnect(name: string, credential: Credential | undefined): Promise<void> {
    const { broker, target } = this.#services
    const isGone = credential === undefined || credential.isGone
    await Promise.all([
      credential && broker.regrant(name, credential.rules),
      target.disconnect(name, isGone ? 'not_authorized' : 'administrative'),
    ])
  }

  /** Gives live and stored sessions the current rules. */
  async #regrant(credential: Credential): Promise<void> {
    const { registry, broker, onRegranted } = this.#services
    const { kind, id, name, rules } = credential
    const sessions = registry.sessionsOf(name)
    const isCurrent = sessions.length > 0 && sessions.every((each) => hasRulesOf(credential, each))
    if (isCurrent) return
    await broker.regrant(name, rules)
    if (kind === 'device') onRegranted(id)
  }

  async #checkAll(): Promise<void> {
    const names = this.#services.registry.names()
    for (let at = 0; at < names.length; at += BATCH) {
      for (const name of names.slice(at, at + BATCH)) this.#check(name)
      await nextTurn()
    }
  }
}
