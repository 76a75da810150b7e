/**
 * Presence and state, as the broker tells them, written in batches: a fleet that reconnects is a
 * few large writes, not a storm of small ones. Of each device only the newest news is kept until it
 * is written, ordered by the incarnation of its connection.
 */
import type { Message, Session } from '../../../adapters/broker/port.ts'
import type { Db } from '../../../platform/database/connect.ts'
import type { Clock } from '../../../platform/lib/clock.ts'
import { formatId, newUuid } from '../../../platform/lib/ids.ts'
import { MalformedJson, parseJson } from '../../../platform/lib/json.ts'
import * as store from './store.ts'

/** The device behind a live session. */
export interface DeviceSession {
  workspaceId: string
  deviceId: string
  /** What its topics begin with, without a slash at the end. */
  topicPrefix: string
}

export interface Presence {
  opened(session: Session, device: DeviceSession, isFirst: boolean): void
  /**
   * The device has no session in this process any more; `latest` is the one of them with the
   * highest incarnation, and `at` when it closed, in milliseconds since the epoch.
   */
  closed(latest: Session, device: DeviceSession, at: number): void
  /** The device was connected for the first time, here or at another broker. */
  activated(device: Pick<DeviceSession, 'workspaceId' | 'deviceId'>): void
  published(device: DeviceSession, message: Message): void
  /** Writes what has gathered; a failed write is kept for the next time. */
  flush(): Promise<void>
  /** Writes when devices were last heard of. */
  flushContacts(): Promise<void>
  /** Tells that this process lives, and takes back what dead ones left behind. */
  beat(): Promise<void>
  /**
   * Sets who is told when this process was silent so long that others may have taken it for dead:
   * then every live session has to be told as opened again.
   */
  onSilence(listener: () => void): void
  /** Leaves no trace of a process that ends in order. */
  leave(): Promise<void>
}

const BATCH = 2_000
const MAX_STATE_BYTES = 65_536

/**
 * Takes what waits out of a map in batches, and puts back what a failed write leaves. What comes
 * meanwhile waits for the next time: by then much of it is about the same devices.
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

/** A JSON text that can be stored, or undefined for any other payload. */
function readState(payload: Buffer): string | undefined {
  if (payload.length === 0 || payload.length > MAX_STATE_BYTES) return undefined
  try {
    return JSON.stringify(parseJson(payload))
  } catch (error) {
    if (error instanceof MalformedJson) return undefined
    throw error
  }
}

export function createPresence(services: { db: Db; clock: Clock; nodeId: string }): Presence {
  const { db, clock, nodeId } = services
  const presence = new Map<string, store.PresenceWrite>()
  const activations = new Map<string, store.Activation>()
  const states = new Map<string, store.StateWrite>()
  const contacts = new Map<string, store.Contact>()
  const silenceListeners: (() => void)[] = []
  let retellings = 0
  let lastVersion = 0

  const nextVersion = (): number => {
    lastVersion = Math.max(clock.now() * 1_000, lastVersion + 1)
    return lastVersion
  }

  const tell = (session: Session, device: DeviceSession, connected: boolean, at: number): void => {
    const known = presence.get(device.deviceId)
    if (known !== undefined && known.incarnation > session.incarnation) return
    const { workspaceId, deviceId } = device
    const { incarnation, address, protocolVersion } = session
    presence.set(deviceId, {
      workspaceId,
      deviceId,
      connected,
      incarnation,
      address,
      protocolVersion,
      at,
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

  const takeOrphans = async (): Promise<void> => {
    const rows = await store.findOrphans(db, nodeId)
    if (rows.length === 0) return
    const at = clock.now()
    const writes = rows.map((row) => ({
      workspaceId: row.workspace_id,
      deviceId: row.device_id,
      connected: false,
      incarnation: row.incarnation,
      address: row.address,
      protocolVersion: row.protocol_version,
      at,
      eventId: newUuid(),
      resourceId: formatId('dev', row.device_id),
    }))
    await store.writePresence(db, nodeId, writes)
  }

  return {
    opened(session, device, isFirst) {
      tell(session, device, true, session.connectedAt)
      if (isFirst) activate(device)
    },
    activated: activate,
    closed(latest, device, at) {
      tell(latest, device, false, at)
    },
    published(device, message) {
      const { workspaceId, deviceId, topicPrefix } = device
      contacts.set(deviceId, { workspaceId, deviceId, at: clock.now() })
      if (message.topic !== `${topicPrefix}/state`) return
      const state = readState(message.payload)
      if (state !== undefined)
        states.set(deviceId, { workspaceId, deviceId, state, version: nextVersion() })
    },
    async flush() {
      await drain(
        activations,
        () => true,
        (rows) => store.activateDevices(db, rows),
      )
      await drain(
        presence,
        (waiting, failed) => waiting.incarnation >= failed.incarnation,
        (rows) => store.writePresence(db, nodeId, rows),
      )
      await drain(
        states,
        (waiting, failed) => waiting.version >= failed.version,
        (rows) => store.writeStates(db, rows),
      )
    },
    async flushContacts() {
      await drain(
        contacts,
        () => true,
        (rows) => store.writeContacts(db, rows),
      )
    },
    async beat() {
      // Who took this process for dead may be writing so still: the next beat tells once more.
      if (await store.beatNode(db, nodeId)) retellings = 2
      if (retellings > 0) for (const listener of silenceListeners) listener()
      retellings = Math.max(0, retellings - 1)
      await takeOrphans()
      await store.forgetOldNodes(db)
    },
    onSilence(listener) {
      silenceListeners.push(listener)
    },
    async leave() {
      await store.removeNode(db, nodeId)
    },
  }
}
