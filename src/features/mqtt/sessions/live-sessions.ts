/**
 * The live sessions of this process's broker: who they are, the end of those whose secret or whose
 * admission has gone, and other rules for those that go on. The change feed says that something has
 * changed; the database says what holds now.
 */
import type { RevokeTarget } from '../../../adapters/broker/external-port.ts'
import type {
  Broker,
  BrokerAuthority,
  ConnectRequest,
  Grant,
  Refusal,
  Session,
  SessionEnd,
} from '../../../adapters/broker/port.ts'
import type { ChangeFeed } from '../../../platform/database/change-feed.ts'
import type { Clock } from '../../../platform/lib/clock.ts'
import type { ConnectionAttempts } from '../connection-log/attempts.ts'
import type { CredentialAuthority } from '../credentials/authority.ts'
import {
  basisOf,
  type Credential,
  denialReason,
  hasRulesOf,
  stillAdmitted,
} from '../credentials/credential.ts'
import { type Decider, decideByPlan } from '../credentials/deciders.ts'
import { nameOf, readIdentity } from '../credentials/identity.ts'
import type { ConnectedDevices } from '../../metering/usage/connected-devices.ts'
import type { ConnectionRegister } from './connection-register.ts'
import { Dependents } from './dependents.ts'
import type { DeviceTraffic } from './device-traffic.ts'
import { ExpiryWatch } from './expiry-watch.ts'
import type { DeviceSession, Presence } from './presence.ts'
import { SessionHolders } from './session-holders.ts'
import type { SessionNews } from './session-news.ts'

export interface LiveSessionServices {
  authority: CredentialAuthority
  presence: Presence
  /** Told of what opens and closes. */
  news: SessionNews
  connections: ConnectionRegister
  /** Commands, configurations. */
  traffic: readonly DeviceTraffic[]
  attempts: ConnectionAttempts
  devices: ConnectedDevices
  feed: ChangeFeed
  clock: Clock
  /** Told of each CONNECT that is refused, for the audit log. */
  onRefused?: (request: ConnectRequest, reason: Refusal) => void
  log: (message: string, error: unknown) => void
}

const RETRY_MS = 250
/** Sessions that are looked at together after a gap in the feed. */
const REVIEW_BATCH = 100

/** The device of a grant, if its principal is one. */
function deviceOf(
  grant: Grant,
  credential = basisOf(grant)?.credential,
): DeviceSession | undefined {
  if (credential?.kind !== 'device') return undefined
  const { id: deviceId, workspaceId } = credential
  return { workspaceId, deviceId, topicPrefix: grant.topicPrefix }
}

/** What the broker asks of us, joined to what we ask of it. */
export class LiveSessions implements BrokerAuthority {
  readonly #services: LiveSessionServices
  readonly #holders = new SessionHolders()
  readonly #limits: readonly Decider[]
  readonly #dependents = new Dependents()
  /** User names that are being looked at. */
  readonly #reviewing = new Set<string>()
  readonly #expiries: ExpiryWatch
  #broker: Broker | undefined
  #target: RevokeTarget | undefined
  #stopped = false

  constructor(services: LiveSessionServices) {
    this.#services = services
    const { feed, devices } = services
    this.#limits = [
      decideByPlan(
        (name) => this.#holders.has(name),
        (device) => devices.findRefusal(device),
      ),
    ]
    this.#expiries = new ExpiryWatch(services.clock, (name) => this.#review(name))
    feed.on('device', (ref) => this.#review(nameOf('device', ref)))
    feed.on('mqtt-principal', (ref) => this.#review(nameOf('principal', ref)))
    for (const kind of ['device', 'moid-devices', 'moid-session', 'mqtt-login'] as const) {
      feed.on(kind, (ref) => {
        for (const name of this.#dependents.of(ref)) this.#review(name)
      })
    }
    // A template or a workspace has many devices; which of them is live is known here.
    feed.on('template', () => void this.#reviewAll())
    feed.on('workspace', () => void this.#reviewAll())
    feed.onGap(() => void this.#reviewAll())
    services.presence.onSilence(() => this.#tellAll())
  }

  /** The broker and its authority need each other; the broker is named last. */
  serve(broker: Broker, target: RevokeTarget): void {
    this.#broker = broker
    this.#target = target
    this.#services.connections.serve(broker)
  }

  stop(): void {
    this.#stopped = true
    this.#expiries.stop()
    for (const each of this.#services.traffic) each.stop()
    this.#services.connections.stop()
  }

  connect: BrokerAuthority['connect'] = (request) =>
    this.#services.authority.connect(request, this.#limits)

  sessionOpened(session: Session): void {
    const { grant } = session
    const identity = basisOf(grant)?.credential
    if (identity === undefined) return
    const { workspaceId } = identity
    const device = deviceOf(grant, identity)
    const live = { session, identity, workspaceId, device }
    const isAlone = this.#holders.open(live)
    this.#services.authority.noteOpened(grant)
    if (device) this.#services.devices.came(session, device, isAlone)
    if (identity.kind === 'phone') {
      this.#dependents.set(identity.name, identity.refs)
    }
    this.#services.news.opened(live)
    this.#expiries.set(identity.name, grant.expiresAt)
    // A right may have gone between the decision and now, when there was no session to cut yet.
    if (!this.#services.authority.isUnchanged(grant)) this.#review(identity.name)
  }

  sessionClosed(session: Session, end: SessionEnd): void {
    const closed = this.#holders.close(session.sessionId)
    if (closed === undefined) return
    const { live, last } = closed
    const { identity, device } = live
    if (device) for (const each of this.#services.traffic) each.closed(session, device)
    this.#services.connections.cuts.add(session, end)
    this.#services.news.closed(live, end, last)
    if (last === undefined) return
    this.#expiries.set(identity.name, null)
    this.#dependents.set(identity.name, [])
    if (device) this.#services.devices.left(last.first)
  }

  published: BrokerAuthority['published'] = (session, message) => {
    // A client that leaves at once may be gone before what it has said is told.
    const device = this.#holders.deviceOf(session.sessionId) ?? deviceOf(session.grant)
    if (device === undefined) return
    this.#services.presence.published(device, message)
    for (const each of this.#services.traffic) each.published(device, message)
  }

  subscribed: BrokerAuthority['subscribed'] = (session, filters) => {
    const device = this.#holders.deviceOf(session.sessionId)
    if (device === undefined) return
    for (const each of this.#services.traffic) each.subscribed(session, device, filters)
  }

  refused: BrokerAuthority['refused'] = (request, refusal) => {
    const { attempts, onRefused } = this.#services
    attempts.refused(request, refusal.detail ?? refusal.reason)
    onRefused?.(request, refusal.reason)
  }

  denied(): void {}

  /**
   * Looks again at what one of them may, until it could be looked at. Who is away may have left a
   * session whose queue waits for it; that ends with its right as well.
   */
  #review(name: string): void {
    if (this.#reviewing.has(name)) return
    this.#reviewing.add(name)
    const look = async (): Promise<void> => {
      this.#reviewing.delete(name)
      try {
        await this.#reviewNow(name)
      } catch (error) {
        if (this.#stopped) return
        this.#services.log('a live session could not be reviewed', error)
        this.#reviewing.add(name)
        setTimeout(() => void look(), RETRY_MS).unref()
      }
    }
    void look()
  }

  async #reviewNow(name: string): Promise<void> {
    const identity = readIdentity(name)
    const credential = identity && (await this.#services.authority.read(identity))
    // A broker that stops ends every session itself.
    if (this.#stopped) return
    if (this.#holders.sessionsOf(name).length > 0) {
      this.#expiries.set(name, credential?.expiresAt ?? null)
      if (identity?.kind === 'phone') this.#dependents.set(name, credential?.refs ?? [])
    }
    const now = this.#services.clock.now()
    if (credential === undefined || denialReason(credential, now) !== undefined) {
      await this.#expel(name, credential)
      return
    }
    // Before anything is waited for: who connects meanwhile may do so by a secret that is newer.
    const lost = this.#holders
      .sessionsOf(name)
      .filter((session) => !stillAdmitted(credential, session, now))
      .map(({ sessionId }) => sessionId)
    await this.#regrant(credential)
    if (lost.length > 0) await this.#broker?.disconnect(name, 'administrative', lost)
  }

  /** A will that a session leaves is judged by what its holder may now, like all that it says. */
  async #expel(name: string, credential: Credential | undefined): Promise<void> {
    const isOver = credential === undefined || credential.isGone
    await Promise.all([
      credential && this.#broker?.regrant(name, credential.rules),
      this.#target?.cut(name, isOver ? 'not_authorized' : 'administrative'),
    ])
  }

  /** Sessions that go on act by the rules of now; so does what waits for who is away. */
  async #regrant(credential: Credential): Promise<void> {
    const { kind, id, name, rules } = credential
    const sessions = this.#holders.sessionsOf(name)
    const same = sessions.length > 0 && sessions.every((each) => hasRulesOf(credential, each))
    if (same) return
    await this.#broker?.regrant(name, rules)
    if (kind === 'device') for (const each of this.#services.traffic) each.regranted(id)
  }

  /** Others took this process for dead, and its devices for gone. */
  #tellAll(): void {
    for (const { session, workspaceId } of this.#holders.all()) {
      this.#services.connections.opened(session, workspaceId)
    }
    for (const { device, latest } of this.#holders.devices()) {
      this.#services.presence.opened(latest, device, false)
    }
  }

  async #reviewAll(): Promise<void> {
    const names = this.#holders.names()
    for (let at = 0; at < names.length; at += REVIEW_BATCH) {
      for (const name of names.slice(at, at + REVIEW_BATCH)) this.#review(name)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
}
