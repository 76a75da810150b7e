/**
 * The live sessions of this process's broker: who they are, the end of those whose secret or whose
 * admission has gone, and other rules for those that go on. The change feed says that something has
 * changed; the database says what holds now.
 */
import type {
  Broker,
  BrokerAuthority,
  RevokeTarget,
  Session,
  SessionEnd,
} from '../../broker/port.ts'
import type { ChangeFeed } from '../../database/change-feed.ts'
import { formatId, parseId } from '../../lib/ids.ts'
import type { ConnectionAttempts } from '../connection-log/attempts.ts'
import type { CommandDelivery } from '../device-commands/command-delivery.ts'
import type { DeviceAuthority } from '../mqtt-credentials/authority.ts'
import {
  admits,
  type DeviceCredential,
  hasRulesOf,
  stillAdmitted,
} from '../mqtt-credentials/credential.ts'
import type { DeviceSession, Presence } from './presence.ts'

export interface LiveSessionServices {
  authority: DeviceAuthority
  presence: Presence
  commands: CommandDelivery
  attempts: ConnectionAttempts
  feed: ChangeFeed
  /** Told of each CONNECT that is refused, for the audit log. */
  onRefused?: BrokerAuthority['refused']
  log: (message: string, error: unknown) => void
}

const RETRY_MS = 250
/** Sessions that are looked at together after a gap in the feed. */
const REVIEW_BATCH = 100

interface Live {
  session: Session
  device: DeviceSession
}

interface LiveDevice {
  sessionIds: Set<string>
  /** The one with the highest incarnation since the first of these opened; it may be over. */
  latest: Session
}

const isLater = (one: Session, other: Session): boolean => one.incarnation > other.incarnation

/** What the broker asks of us, joined to what we ask of it. */
export class LiveSessions implements BrokerAuthority {
  readonly #services: LiveSessionServices
  readonly #bySession = new Map<string, Live>()
  /** By the device's UUID. */
  readonly #byDevice = new Map<string, LiveDevice>()
  /** Devices that are being looked at. */
  readonly #reviewing = new Set<string>()
  #broker: Broker | undefined
  #target: RevokeTarget | undefined
  #stopped = false

  constructor(services: LiveSessionServices) {
    this.#services = services
    const { feed } = services
    feed.on('device', (ref) => this.#review(ref))
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
    this.#services.commands.serve(broker)
  }

  stop(): void {
    this.#stopped = true
    this.#services.commands.stop()
  }

  connect: BrokerAuthority['connect'] = (request) => this.#services.authority.connect(request)

  sessionOpened(session: Session): void {
    const deviceId = parseId('dev', session.grant.principalId)
    const workspaceId = parseId('ws', session.grant.workspaceId)
    if (deviceId === undefined || workspaceId === undefined) return
    const device = { workspaceId, deviceId, topicPrefix: session.grant.topicPrefix }
    this.#bySession.set(session.sessionId, { session, device })
    const known = this.#byDevice.get(deviceId)
    known?.sessionIds.add(session.sessionId)
    const latest = known && isLater(known.latest, session) ? known.latest : session
    const sessionIds = known?.sessionIds ?? new Set([session.sessionId])
    this.#byDevice.set(deviceId, { sessionIds, latest })
    this.#services.presence.opened(session, device, session.grant.isFirst)
    this.#services.attempts.opened(session, deviceId)
    // A right may have gone between the decision and now, when there was no session to cut yet.
    if (!this.#services.authority.isUnchanged(session.grant)) this.#review(deviceId)
  }

  sessionClosed(session: Session, end: SessionEnd): void {
    const live = this.#bySession.get(session.sessionId)
    if (live === undefined) return
    this.#bySession.delete(session.sessionId)
    const { deviceId } = live.device
    this.#services.commands.closed(session, live.device)
    this.#services.attempts.closed(session, deviceId, end)
    const known = this.#byDevice.get(deviceId)
    if (known === undefined) return
    known.sessionIds.delete(session.sessionId)
    if (known.sessionIds.size > 0) return
    this.#byDevice.delete(deviceId)
    // Presence is ordered by incarnation: what the last session says must not look older than what
    // a later one, which closed before it, has said already.
    this.#services.presence.closed(known.latest, live.device)
  }

  published: BrokerAuthority['published'] = (session, message) => {
    const live = this.#bySession.get(session.sessionId)
    if (live === undefined) return
    this.#services.presence.published(live.device, message)
    this.#services.commands.published(live.device, message)
  }

  subscribed: BrokerAuthority['subscribed'] = (session, filters) => {
    const live = this.#bySession.get(session.sessionId)
    if (live !== undefined) this.#services.commands.subscribed(session, live.device, filters)
  }

  refused: BrokerAuthority['refused'] = (request, reason) => {
    const { authority, attempts } = this.#services
    attempts.refused(request, authority.banOf(request) ?? reason)
    this.#services.onRefused?.(request, reason)
  }

  denied(): void {}

  /**
   * Looks again at what one device may, until it could be looked at. A device that is away may have
   * left a session whose queue waits for it; that ends with its right as well.
   */
  #review(deviceId: string): void {
    if (this.#reviewing.has(deviceId)) return
    this.#reviewing.add(deviceId)
    const look = async (): Promise<void> => {
      this.#reviewing.delete(deviceId)
      try {
        await this.#reviewNow(deviceId)
      } catch (error) {
        if (this.#stopped) return
        this.#services.log('a live session could not be reviewed', error)
        this.#reviewing.add(deviceId)
        setTimeout(() => void look(), RETRY_MS).unref()
      }
    }
    void look()
  }

  async #reviewNow(deviceId: string): Promise<void> {
    const credential = await this.#services.authority.present(deviceId)
    // A broker that stops ends every session itself.
    if (this.#stopped) return
    if (credential === undefined || !admits(credential)) {
      const deleted = credential === undefined || credential.status === 'decommissioned'
      const reason = deleted ? 'not_authorized' : 'administrative'
      await this.#target?.cut(formatId('dev', deviceId), reason)
      return
    }
    await this.#regrant(credential)
    const lost = this.#sessionsOf(deviceId).filter((session) => !stillAdmitted(credential, session))
    if (lost.length === 0) return
    const sessionIds = lost.map(({ sessionId }) => sessionId)
    await this.#broker?.disconnect(credential.principalId, 'administrative', sessionIds)
  }

  /** Sessions that go on act by the rules of now; so does what waits for a device that is away. */
  async #regrant(credential: DeviceCredential): Promise<void> {
    const { deviceId, principalId, rules } = credential
    const sessions = this.#sessionsOf(deviceId)
    const same = sessions.length > 0 && sessions.every((each) => hasRulesOf(credential, each))
    if (same) return
    await this.#broker?.regrant(principalId, rules)
    this.#services.commands.regranted(deviceId)
  }

  #sessionsOf(deviceId: string): Session[] {
    const { sessionIds } = this.#byDevice.get(deviceId) ?? { sessionIds: [] }
    return [...sessionIds].flatMap((id) => this.#bySession.get(id)?.session ?? [])
  }

  /** Others took this process for dead, and its devices for gone. */
  #tellAll(): void {
    for (const { sessionIds, latest } of this.#byDevice.values()) {
      const [sessionId] = sessionIds
      const live = sessionId === undefined ? undefined : this.#bySession.get(sessionId)
      if (live !== undefined) this.#services.presence.opened(latest, live.device, false)
    }
  }

  async #reviewAll(): Promise<void> {
    const devices = [...this.#byDevice.keys()]
    for (let at = 0; at < devices.length; at += REVIEW_BATCH) {
      for (const deviceId of devices.slice(at, at + REVIEW_BATCH)) this.#review(deviceId)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
}
