/**
 * The live sessions of this process's broker: who they are, and the end of those whose right has
 * gone. The change feed says that something was narrowed; the database says what is left of it.
 */
import type { Broker, BrokerAuthority, Grant, Session } from '../../broker/port.ts'
import type { ChangeFeed } from '../../database/change-feed.ts'
import { formatId, parseId } from '../../lib/ids.ts'
import type { DeviceAuthority } from '../mqtt-credentials/authority.ts'
import { admits, stillGranted } from '../mqtt-credentials/credential.ts'
import type { DeviceSession, Presence } from './presence.ts'

export interface LiveSessionServices {
  authority: DeviceAuthority
  presence: Presence
  feed: ChangeFeed
  log: (message: string, error: unknown) => void
}

const RETRY_MS = 250
/** Sessions that are looked at together after a gap in the feed. */
const REVIEW_BATCH = 100

interface Live {
  session: Session
  device: DeviceSession
}

/** What the broker asks of us, joined to what we ask of it. */
export class LiveSessions implements BrokerAuthority {
  readonly #services: LiveSessionServices
  readonly #bySession = new Map<string, Live>()
  /** Device UUID → its live sessions. */
  readonly #byDevice = new Map<string, Set<string>>()
  /** How far the change feed was when a CONNECT was decided, by what it was granted. */
  readonly #decidedAt = new WeakMap<Grant, number>()
  /** Devices that are being looked at. */
  readonly #reviewing = new Set<string>()
  #broker: Broker | undefined
  #stopped = false

  constructor(services: LiveSessionServices) {
    this.#services = services
    const { feed } = services
    feed.on('device', (ref) => this.#review(ref))
    // A template or a workspace has many devices; which of them is live is known here.
    feed.on('template', () => void this.#reviewAll())
    feed.on('workspace', () => void this.#reviewAll())
    feed.onGap(() => void this.#reviewAll())
  }

  /** The broker and its authority need each other; the broker is named last. */
  serve(broker: Broker): void {
    this.#broker = broker
  }

  stop(): void {
    this.#stopped = true
  }

  connect: BrokerAuthority['connect'] = async (request) => {
    const { authority, feed } = this.#services
    const { sequence } = feed
    const decision = await authority.connect(request)
    if (decision.accepted) this.#decidedAt.set(decision.grant, sequence)
    return decision
  }

  sessionOpened(session: Session): void {
    const deviceId = parseId('dev', session.grant.principalId)
    const workspaceId = parseId('ws', session.grant.workspaceId)
    if (deviceId === undefined || workspaceId === undefined) return
    const device = { workspaceId, deviceId, stateTopic: `${session.grant.topicPrefix}/state` }
    this.#bySession.set(session.sessionId, { session, device })
    const sessions = this.#byDevice.get(deviceId) ?? new Set()
    sessions.add(session.sessionId)
    this.#byDevice.set(deviceId, sessions)
    this.#services.presence.opened(session, device, session.grant.isFirst)
    // A right may have gone between the decision and now, when there was no session to cut yet.
    const decidedAt = this.#decidedAt.get(session.grant) ?? 0
    if (this.#services.feed.sequence > decidedAt) this.#review(deviceId)
  }

  sessionClosed(session: Session): void {
    const live = this.#bySession.get(session.sessionId)
    if (live === undefined) return
    this.#bySession.delete(session.sessionId)
    const { deviceId } = live.device
    const sessions = this.#byDevice.get(deviceId)
    sessions?.delete(session.sessionId)
    if (sessions?.size === 0) this.#byDevice.delete(deviceId)
    this.#services.presence.closed(session, live.device, sessions?.size ?? 0)
  }

  published: BrokerAuthority['published'] = (session, message) => {
    const live = this.#bySession.get(session.sessionId)
    if (live !== undefined) this.#services.presence.published(live.device, message)
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
        this.#services.log('a live session could not be reviewed', error)
        this.#reviewing.add(deviceId)
        if (!this.#stopped) setTimeout(() => void look(), RETRY_MS).unref()
      }
    }
    void look()
  }

  async #reviewNow(deviceId: string): Promise<void> {
    const credential = await this.#services.authority.present(deviceId)
    const sessions = [...(this.#byDevice.get(deviceId) ?? [])].flatMap(
      (id) => this.#bySession.get(id)?.session ?? [],
    )
    const admitted = credential !== undefined && admits(credential)
    if (admitted && sessions.every((session) => stillGranted(credential, session))) return
    const deleted = credential === undefined || credential.status === 'decommissioned'
    const reason = deleted ? 'not_authorized' : 'administrative'
    await this.#broker?.disconnect(formatId('dev', deviceId), reason)
  }

  async #reviewAll(): Promise<void> {
    const devices = [...this.#byDevice.keys()]
    for (let at = 0; at < devices.length; at += REVIEW_BATCH) {
      for (const deviceId of devices.slice(at, at + REVIEW_BATCH)) this.#review(deviceId)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
}
