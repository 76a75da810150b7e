/**
 * Presence of devices, written in batches: the reconnect of a fleet is a few large writes
 * instead of many small ones. Until it is written, only the latest presence of each device is kept,
 * ordered by the incarnation of its connection.
 */
import type { Session } from '../../../adapters/broker/port.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { columnsOf } from '../../../platform/database/sql.ts'
import type { Clock } from '../../../platform/lib/clock.ts'
import { formatId, newUuid } from '../../../platform/lib/ids.ts'
import { SerialRuns } from '../../../platform/lib/serial-runs.ts'
import type { DeviceSubscriber, SessionSubscriber } from './session-events.ts'
import type { DeviceSession } from './session-registry.ts'
import * as store from './store.ts'

export interface Presence {
  /** @param isRetained a retained message said so: it may have been there for long */
  opened(session: Session, device: DeviceSession, isFirst: boolean, isRetained?: boolean): void
  /**
   * The device has no session in this process any more. `latest` is the session with the highest
   * incarnation among those it had; `at` is in milliseconds since the epoch.
   */
  closed(latest: Session, device: DeviceSession, at: number): void
  /** The device connected for the first time, here or on an external broker. */
  activated(device: Pick<DeviceSession, 'workspaceId' | 'deviceId'>): void
  /** The device sent a message, so it was there. */
  published(device: DeviceSession): void
  /** Resolves when all earlier changes are written; what fails is repeated by the next flush. */
  flush(): Promise<void>
  /** Writes when devices last sent a message. */
  flushContacts(): Promise<void>
  /** Records that this process is alive, and reports devices of dead processes as disconnected. */
  beat(): Promise<void>
  /**
   * Sets a listener for the case that this process was silent for so long that others may consider
   * it dead: then every live session has to be reported as opened again.
   */
  onSilence(listener: () => void): void
  /** Removes this process from the list of processes at an orderly stop. */
  leave(): Promise<void>
}

const BATCH = 2_000

/**
 * Writes a map in batches and puts back what a failed write leaves. Rows that are added meanwhile
 * wait for the next flush: by then many of them concern the same devices.
 */
async function drain<Row extends { deviceId: string }>(
  waiting: Map<string, Row>,
  isNewer: (waiting: Row, failed: Row) => boolean,
  write: (rows: Row[]) => Promise<void>,
): Promise<void> {
  for (let left = waiting.size; left > 0; left -= BATCH) {
    const rows = [...waiting.values()].slice(0, Math.min(left, BATCH))
    for (const row of rows) waiting.delete(row.deviceId)
    try {
      await write(rows)
    } catch (error) {
      for (const row of rows) {
        const newer = waiting.get(row.deviceId)
        if (newer === undefined || !isNewer(newer, row)) waiting.set(row.deviceId, row)
      }
      throw error
    }
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

export function createPresence(services: { db: Db; clock: Clock; nodeId: string }): Presence {
  const { db, clock, nodeId } = services
  const presence = new Map<string, store.PresenceWrite>()
  const activations = new Map<string, store.Activation>()
  const contacts = new Map<string, store.Contact>()
  const silenceListeners: (() => void)[] = []
  let repetitions = 0

  const note = (
    session: Session,
    device: DeviceSession,
    how: Pick<store.PresenceWrite, 'connected' | 'isRetained' | 'at'>,
  ): void => {
    const known = presence.get(device.deviceId)
    if (known !== undefined && known.incarnation > session.incarnation) return
    const { workspaceId, deviceId } = device
    const { incarnation, address, protocolVersion } = session
    presence.set(deviceId, {
      workspaceId,
      deviceId,
      incarnation,
      address,
      protocolVersion,
      ...how,
      eventId: newUuid(),
      resourceId: formatId('dev', deviceId),
    })
  }

  const activate: Presence['activated'] = ({ workspaceId, deviceId }) => {
    activations.set(deviceId, {
      workspaceId,
      deviceId,
      eventId: newUuid(),
      auditId: newUuid(),
      resourceId: formatId('dev', deviceId),
    })
  }

  const writePresence = (rows: readonly store.PresenceWrite[]): Promise<void> =>
    store.writePresence.run(db, { ...columnsOf(rows), nodeId })

  const takeOrphans = async (): Promise<void> => {
    const rows = await store.findOrphans.rows(db, { nodeId })
    if (rows.length === 0) return
    const at = clock.now()
    const writes = rows.map((row) => ({
      workspaceId: row.workspace_id,
      deviceId: row.device_id,
      connected: false,
      isRetained: false,
      incarnation: row.incarnation,
      address: row.address,
      protocolVersion: row.protocol_version,
      at,
      eventId: newUuid(),
      resourceId: formatId('dev', row.device_id),
    }))
    await writePresence(writes)
  }

  const flushes = new SerialRuns(async () => {
    await drain(
      activations,
      () => true,
      (rows) => store.activateDevices.run(db, columnsOf(rows)),
    )
    await drain(
      presence,
      (waiting, failed) => waiting.incarnation >= failed.incarnation,
      writePresence,
    )
  })

  return {
    opened(session, device, isFirst, isRetained = false) {
      note(session, device, { connected: true, isRetained, at: session.connectedAt })
      if (isFirst) activate(device)
    },
    activated: activate,
    closed(latest, device, at) {
      note(latest, device, { connected: false, isRetained: false, at })
    },
    published({ workspaceId, deviceId }) {
      contacts.set(deviceId, { workspaceId, deviceId, at: clock.now() })
    },
    flush: () => flushes.run(),
    async flushContacts() {
      await drain(
        contacts,
        () => true,
        (rows) => store.writeContacts.run(db, columnsOf(rows)),
      )
    },
    async beat() {
      // A process that considers this one dead may still be writing, so the next beat repeats it.
      if (await store.beatNode(db, nodeId)) repetitions = 2
      if (repetitions > 0) for (const listener of silenceListeners) listener()
      repetitions = Math.max(0, repetitions - 1)
      await takeOrphans()
      await store.deleteOldNodes.run(db)
    },
    onSilence(listener) {
      silenceListeners.push(listener)
    },
    async leave() {
      await store.removeNode.run(db, { id: nodeId })
    },
  }
}
