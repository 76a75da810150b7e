/**
 * Presence of devices, written in batches: the reconnect of a fleet is a few large writes
 * instead of many small ones. Until it is written, only the latest presence of each device is kept,
 * ordered by the incarnation of its connection.
 */
import type { Session } from '../../../adapters/broker/port.ts'
import { columnsOf } from '../../../platform/database/sql.ts'
import { formatId, newUuid } from '../../../platform/lib/ids.ts'
import { SingleFlight } from '../../../platform/lib/single-flight.ts'
import { writeBuffered } from '../../../platform/lib/write-buffered.ts'
import type { DeviceSubscriber, SessionSubscriber } from './session-events.ts'
import type { DeviceSession } from './session-registry.ts'
import * as store from './store.ts'
import type { Services } from '../../../context.ts'

type PresenceServices = Pick<Services, 'db' | 'clock' | 'nodeId'>

const BATCH = 2_000

export class Presence {
  readonly #services: PresenceServices
  /** By the device's UUID. */
  readonly #presence = new Map<string, store.PresenceWrite>()
  readonly #activations = new Map<string, store.Activation>()
  readonly #contacts = new Map<string, store.Contact>()
  readonly #flushes = new SingleFlight(() => this.#flush())

  constructor(services: PresenceServices) {
    this.#services = services
  }

  /** @param isRetained the message was retained, so it may be old */
  opened(session: Session, device: DeviceSession, isFirst: boolean, isRetained = false): void {
    this.#note(session, device, { connected: true, isRetained, at: session.connectedAt })
    if (isFirst) this.activated(device)
  }

  /**
   * The device has no session in this process any more. `latest` is the session with the highest
   * incarnation among those it had; `at` is in milliseconds since the epoch.
   */
  closed(latest: Session, device: DeviceSession, at: number): void {
    this.#note(latest, device, { connected: false, isRetained: false, at })
  }

  /** The device connected for the first time, here or on an external broker. */
  activated({ workspaceId, deviceId }: Pick<DeviceSession, 'workspaceId' | 'deviceId'>): void {
    const ids = { eventId: newUuid(), auditId: newUuid(), resourceId: formatId('dev', deviceId) }
    this.#activations.set(deviceId, { workspaceId, deviceId, ...ids })
  }

  /** The device sent a message, so it was there. */
  published({ workspaceId, deviceId }: DeviceSession): void {
    this.#contacts.set(deviceId, { workspaceId, deviceId, at: this.#services.clock.now() })
  }

  /** Resolves when all earlier changes are written; the next flush repeats a failed write. */
  flush(): Promise<void> {
    return this.#flushes.joinNext()
  }

  /** Writes when devices last sent a message. */
  async flushContacts(): Promise<void> {
    await writeBuffered(this.#contacts, BATCH, (rows) =>
      store.writeContacts.run(this.#services.db, columnsOf(rows)),
    )
  }

  #note(
    { incarnation, address, protocolVersion }: Session,
    { workspaceId, deviceId }: DeviceSession,
    how: Pick<store.PresenceWrite, 'connected' | 'isRetained' | 'at'>,
  ): void {
    const known = this.#presence.get(deviceId)
    if (known !== undefined && known.incarnation > incarnation) return
    const connection = { incarnation, address, protocolVersion }
    const ids = { eventId: newUuid(), resourceId: formatId('dev', deviceId) }
    this.#presence.set(deviceId, { workspaceId, deviceId, ...connection, ...how, ...ids })
  }

  async #flush(): Promise<void> {
    const { db, nodeId } = this.#services
    await writeBuffered(this.#activations, BATCH, (rows) =>
      store.activateDevices.run(db, columnsOf(rows)),
    )
    await writeBuffered(this.#presence, BATCH, (rows) =>
      store.writePresence.run(db, { ...columnsOf(rows), nodeId }),
    )
  }
}

/** Reports the devices with sessions on this process's broker, and those that appear elsewhere. */
export const presenceOfSessions = (presence: Presence): SessionSubscriber => ({
  opened({ session, device }) {
    if (device) presence.opened(session, device, session.grant.isFirst)
  },
  admitted({ session, device }) {
    if (device && session.grant.isFirst) presence.activated(device)
  },
  // Presence is ordered by incarnation: the end of the last session must not look older than that
  // of a later one, which closed before it.
  closed({ device }, { at, last }) {
    if (device && last) presence.closed(last.latest, device, at)
  },
})

/** Reports the devices that send messages. */
export const presenceOfMessages = (presence: Presence): DeviceSubscriber => ({
  appeared(session, device, isRetained) {
    presence.opened(session, device, session.grant.isFirst, isRetained)
  },
  vanished: (session, device, at) => presence.closed(session, device, at),
  published: (device) => presence.published(device),
  store: () => presence.flush(),
})
