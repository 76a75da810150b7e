/**
 * Reports of brokers on sessions, resolved to principals and passed to a list of subscribers. The
 * list is made in `src/app/mqtt.ts`, for this process's broker and for external ones alike. No
 * subscriber imports another one; where one has something to report to another (re-authorization,
 * new rules that let a command be delivered), `src/app/mqtt.ts` connects the two.
 */
import type { RemoteAuthority } from '../../../adapters/broker/external-port.ts'
import type {
  BrokerEvents,
  ConnectRefusal,
  ConnectRequest,
  Grant,
  Message,
  Session,
  SessionEnd,
} from '../../../adapters/broker/port.ts'
import { newUuid } from '../../../platform/lib/ids.ts'
import { toEach } from '../../../platform/lib/to-each.ts'
import type {
  DeviceSession,
  LastSessions,
  LiveSession,
  SessionRegistry,
} from './session-registry.ts'

/** Publishes to a device on whichever broker it is connected to. */
export interface DevicePublisher {
  /**
   * Resolves when this process's broker has the message. External brokers get messages in the same
   * order but possibly later, so that a hanging broker delays nobody.
   * @param onLost called if an external broker that has the device did not accept the message
   */
  publish(message: Message, onLost?: (error: unknown) => void): Promise<void>
}

/** Receives the actions of devices over MQTT, on this process's broker or on a bridged one. */
export interface DeviceSubscriber {
  /**
   * Messages of a device show that it is connected to a bridged broker.
   * @param isRetained the message was retained, so it may be old
   */
  appeared?(session: Session, device: DeviceSession, isRetained: boolean): void
  /** A message shows that it is not connected any more. @param at in Unix milliseconds */
  vanished?(session: Session, device: DeviceSession, at: number): void
  /** The session was granted these filters and receives messages from now on. */
  subscribed?(session: Session, device: DeviceSession, filters: readonly string[]): void
  /** The session has ended, and its subscriptions with it. */
  unsubscribed?(session: Session, device: DeviceSession): void
  /** The device published an authorized message. */
  published?(device: DeviceSession, message: Message): void
  /** Whether `published` would take the message now; a caller may let it wait until `store`. */
  hasRoom?(device: DeviceSession, message: Message): boolean
  /** Writes what earlier messages have changed; resolves when all of it is in the database. */
  store?(): Promise<void>
}

export interface Closing {
  end: SessionEnd
  /** Milliseconds since the Unix epoch. */
  at: number
  /** Set if the principal has no session in this process any more. */
  last: LastSessions | undefined
}

/** Receives the events of this process's broker, and the questions of external brokers. */
export interface SessionSubscriber extends DeviceSubscriber {
  /** A client of any kind published an authorized message. */
  observed?(session: Session, message: Message): void
  /** @param isOnly whether the principal had no other session in this process */
  opened?(live: LiveSession, isOnly: boolean): void
  closed?(live: LiveSession, closing: Closing): void
  /** On any broker. */
  refused?(request: ConnectRequest, refusal: ConnectRefusal): void
  /**
   * An external broker may accept a CONNECT; called as often as it asks. It holds the session and
   * does not report its end.
   */
  admitted?(live: LiveSession, broker: string): void
}

/** The device of a grant; undefined if its principal is not a device. */
function deviceOf({ basis, topicPrefix }: Grant): DeviceSession | undefined {
  if (basis?.credential.kind !== 'device') return undefined
  const { id: deviceId, workspaceId } = basis.credential
  return { workspaceId, deviceId, topicPrefix }
}

/** Undefined for a grant that was not issued for a CONNECT. */
function liveOf(session: Session): LiveSession | undefined {
  const identity = session.grant.basis?.credential
  if (identity === undefined) return undefined
  return { session, identity, workspaceId: identity.workspaceId, device: deviceOf(session.grant) }
}

interface ReportServices {
  registry: SessionRegistry
  clock: { now(): number }
  /** Called with the error of a subscriber. */
  failed: (error: unknown) => void
}

/** Keeps the registry current and passes each event to all subscribers, in order. */
export function reportTo(
  subscribers: readonly SessionSubscriber[],
  { registry, clock, failed }: ReportServices,
): BrokerEvents & Pick<RemoteAuthority, 'admitted'> {
  const observers = subscribers.filter((each) => 'observed' in each)
  const ofExternal = subscribers.filter((each) => 'admitted' in each)
  return {
    sessionOpened(session) {
      const live = liveOf(session)
      if (live === undefined) return
      const isOnly = registry.open(live)
      toEach(subscribers, (each) => each.opened?.(live, isOnly), failed)
    },
    sessionClosed(session, end) {
      const closed = registry.close(session.sessionId)
      if (closed === undefined) return
      const { live, last } = closed
      const { device } = live
      const closing = { end, at: clock.now(), last }
      toEach(subscribers, (each) => each.closed?.(live, closing), failed)
      if (device) toEach(subscribers, (each) => each.unsubscribed?.(session, device), failed)
    },
    subscribed(session, filters) {
      const device = registry.deviceOf(session.sessionId)
      if (device === undefined) return
      toEach(subscribers, (each) => each.subscribed?.(session, device, filters), failed)
    },
    published(session, message) {
      toEach(observers, (each) => each.observed?.(session, message), failed)
      // A session may have closed before its last messages are reported.
      const device = registry.deviceOf(session.sessionId) ?? deviceOf(session.grant)
      if (device === undefined) return
      toEach(subscribers, (each) => each.published?.(device, message), failed)
    },
    refused(request, refusal) {
      toEach(subscribers, (each) => each.refused?.(request, refusal), failed)
    },
    admitted({ clientId, address, protocolVersion }, grant, broker) {
      const connectedAt = clock.now()
      const live = liveOf({
        sessionId: newUuid(),
        incarnation: connectedAt * 1_000,
        grant,
        clientId,
        address,
        protocolVersion,
        connectedAt,
      })
      if (live) toEach(ofExternal, (each) => each.admitted?.(live, broker), failed)
    },
  }
}

const REMEMBERED = 20_000

interface Entry {
  principalId: string
  workspaceId: string
}

export class DisconnectLog implements SessionSubscriber {
  readonly #entries: Entry[] = []
  #dropped = 0

  /** Incremented with each session that the service ends. */
  get sequence(): number {
    return this.#dropped + this.#entries.length
  }

  closed({ session: { grant } }: LiveSession, { end }: Closing): void {
    if (end !== 'administrative' && end !== 'not_authorized') return
    const { principalId, workspaceId } = grant
    this.#entries.push({ principalId, workspaceId })
    if (this.#entries.length < 2 * REMEMBERED) return
    this.#entries.splice(0, REMEMBERED)
    this.#dropped += REMEMBERED
  }

  /** How many matching sessions were ended after the sequence was `since`; ids are public ids. */
  countSince(since: number, matches: (ended: Entry) => boolean): number {
    return this.#entries.slice(Math.max(0, since - this.#dropped)).filter(matches).length
  }
}
