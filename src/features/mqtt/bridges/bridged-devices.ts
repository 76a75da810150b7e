/**
 * Devices whose messages show that they are connected to one external broker. Their messages take
 * the same paths as messages of the embedded broker, in order of arrival. A message is done when
 * all its changes are in the database: until then the broker keeps it.
 */
import type { BridgedMessage } from '../../../adapters/broker/bridge-port.ts'
import type { Message, Session } from '../../../adapters/broker/port.ts'
import { REPORTS } from '../../../adapters/broker/topics.ts'
import type { Clock } from '../../../platform/lib/clock.ts'
import { formatId, newUuid } from '../../../platform/lib/ids.ts'
import { readMembers } from '../../../platform/lib/json-members.ts'
import { retryUntilDone } from '../../../platform/lib/retry-until-done.ts'
import { SerialWorker } from '../../../platform/lib/serial-worker.ts'
import { toEach } from '../../../platform/lib/to-each.ts'
import type { DeviceSubscriber } from '../sessions/session-events.ts'
import type { DeviceSession } from '../sessions/session-registry.ts'
import { type DevicePrefixes, type PrefixedDevice, splitTopic } from './device-prefixes.ts'

export interface BridgedServices {
  prefixes: Pick<DevicePrefixes, 'find' | 'noteConnected'>
  subscribers: readonly DeviceSubscriber[]
  clock: Clock
}

/** The subscriptions of the bridge; telemetry is not needed. */
export const BRIDGED_FILTERS = REPORTS.map((suffix) => `+/+/${suffix}`)

const ONLINE = ['online', 'connected', 'up', 'true', '1']
const OFFLINE = ['offline', 'disconnected', 'down', 'false', '0']
const MAX_PRESENCE_BYTES = 1_024
const BATCH = 500
const RETRY_MS = 1_000

/** Parses a presence message in either dialect; undefined if it says nothing. */
export function readPresence(payload: Buffer): boolean | undefined {
  if (payload.length > MAX_PRESENCE_BYTES) return undefined
  const members = readMembers(payload)
  const { status } = members ?? {}
  const word = typeof status === 'string' ? status : payload.toString('utf8')
  const plain = word.trim().toLowerCase()
  if (ONLINE.includes(plain)) return true
  return OFFLINE.includes(plain) ? false : undefined
}

interface Waiting {
  message: BridgedMessage
  prefix: string
  rest: string
  done: () => void
}

interface Online {
  device: DeviceSession
  session: Session
  /** Assumed from the broker's list, not from the device's own message, so it may be gone. */
  isPresumed: boolean
}

/** How long a device found in the broker's list is assumed to be still there. */
const PRESUMED_MS = 60_000

export class BridgedDevices {
  readonly #broker: string
  readonly #services: BridgedServices
  readonly #online = new Map<string, Online>()
  #waiting: Waiting[] = []
  readonly #worker: SerialWorker
  #hasLeft = false
  #incarnation = 0
  readonly #failed: (error: unknown) => void

  constructor(broker: string, services: BridgedServices, failed: (error: unknown) => void) {
    this.#broker = broker
    this.#services = services
    this.#failed = failed
    this.#worker = new SerialWorker(() => this.#work(), failed)
  }

  /** Whether the device with this topic prefix is known to be connected to this broker. */
  has(prefix: string): boolean {
    return this.#online.has(prefix)
  }

  /**
   * The broker has a session of a device that sent nothing. Messages for it go there, but it is not
   * reported as connected.
   */
  presume(device: DeviceSession): void {
    const { topicPrefix } = device
    if (this.#hasLeft || this.#online.has(topicPrefix)) return
    const session = this.#sessionOf(device, false)
    this.#online.set(topicPrefix, { device, session, isPresumed: true })
    this.#listens(session, device)
    setTimeout(() => {
      const online = this.#online.get(topicPrefix)
      if (online?.session !== session) return
      this.#online.delete(topicPrefix)
      this.#unsubscribed(online)
    }, PRESUMED_MS).unref()
  }

  /** Handles a message; resolves when that is stored, or when it belongs to no device. */
  received(message: BridgedMessage): Promise<void> {
    const parts = splitTopic(message.topic)
    if (parts === undefined) return Promise.resolve()
    return new Promise((resolve) => {
      this.#waiting.push({ message, ...parts, done: resolve })
      this.#worker.wake()
    })
  }

  /** The bridge moves to another process, so no device is reported as gone. */
  leave(): void {
    this.#hasLeft = true
    for (const online of this.#online.values()) this.#unsubscribed(online)
    this.#online.clear()
  }

  /** Handles a batch. @returns whether there is more */
  async #work(): Promise<boolean> {
    const batch = this.#waiting.splice(0, BATCH)
    const prefixes = new Set(batch.map(({ prefix }) => prefix))
    const found = await this.#persist(() => this.#services.prefixes.find(prefixes))
    if (found !== undefined) this.#waiting.unshift(...this.#handleAll(batch, found))
    await this.#store()
    for (const { done } of batch) done()
    return this.#waiting.length > 0
  }

  /**
   * Takes messages out of the batch for which a subscriber has no room, and all after them.
   * @returns the removed messages; they are handled when the earlier messages are stored
   */
  #handleAll(batch: Waiting[], found: ReadonlyMap<string, PrefixedDevice>): Waiting[] {
    const { subscribers } = this.#services
    for (const [at, each] of batch.entries()) {
      const known = found.get(each.prefix)
      if (known === undefined) {
        this.#ended(each.prefix)
        continue
      }
      const { device } = known
      const isFull = subscribers.some((one) => one.hasRoom?.(device, each.message) === false)
      if (isFull) return batch.splice(at)
      this.#handle(known, each)
    }
    return []
  }

  async #store(): Promise<void> {
    const { subscribers } = this.#services
    await this.#persist(() => Promise.all(subscribers.map(async (each) => each.store?.())))
  }

  /**
   * Retries until it succeeds: an acknowledged message would otherwise be lost. Undefined if
   * another process has taken over, to which the broker sends it again.
   */
  async #persist<Result>(attempt: () => Promise<Result>): Promise<Result | undefined> {
    const result = await retryUntilDone(attempt, {
      pauseMs: RETRY_MS,
      failed: this.#failed,
      isWanted: () => !this.#hasLeft,
      ref: true,
    })
    return this.#hasLeft ? undefined : result
  }

  #handle(known: PrefixedDevice, { message, rest }: Waiting): void {
    const { device } = known
    if (rest === 'presence' || rest === 'presence/') {
      const isOnline = readPresence(message.payload)
      if (isOnline === true) this.#opened(known, message.isOld)
      else if (isOnline === false) this.#closed(device, message.isOld)
      return
    }
    // A retained message is no sign of life, and was handled when it was new.
    if (message.isOld) return
    if (this.#online.get(device.topicPrefix)?.isPresumed !== false) this.#opened(known, false)
    this.#toEach((each) => each.published?.(device, message))
  }

  #opened(known: PrefixedDevice, isOld: boolean): void {
    const { device, isFirst } = known
    const before = this.#online.get(device.topicPrefix)
    if (before?.isPresumed === false && isOld) return
    if (before !== undefined) this.#unsubscribed(before)
    const session = this.#sessionOf(device, isFirst)
    this.#online.set(device.topicPrefix, { device, session, isPresumed: false })
    this.#services.prefixes.noteConnected(device)
    this.#toEach((each) => each.appeared?.(session, device, isOld))
    this.#listens(session, device)
  }

  #listens(session: Session, device: DeviceSession): void {
    const filters = session.grant.rules.map(({ topic }) => topic)
    this.#toEach((each) => each.subscribed?.(session, device, filters))
  }

  #unsubscribed({ session, device }: Online): void {
    this.#toEach((each) => each.unsubscribed?.(session, device))
  }

  #toEach(pass: (subscriber: DeviceSubscriber) => void): void {
    toEach(this.#services.subscribers, pass, this.#failed)
  }

  /** The last message of a client that may not connect any more, such as its will. */
  #ended(prefix: string): void {
    const online = this.#online.get(prefix)
    if (online !== undefined) this.#closed(online.device, false)
  }

  #closed(device: DeviceSession, isOld: boolean): void {
    const before = this.#online.get(device.topicPrefix)
    // The device may be connected elsewhere by now, so its last message here proves nothing.
    if (before?.isPresumed !== false && isOld) return
    this.#online.delete(device.topicPrefix)
    const session = before?.session ?? this.#sessionOf(device, false)
    if (before !== undefined) this.#unsubscribed(before)
    const now = this.#services.clock.now()
    this.#toEach((each) => each.vanished?.(session, device, now))
  }

  /** A session as the embedded broker would report it; its subscriptions are unknown. */
  #sessionOf(device: DeviceSession, isFirst: boolean): Session {
    const { workspaceId, deviceId, topicPrefix } = device
    const connectedAt = this.#services.clock.now()
    this.#incarnation = Math.max(this.#incarnation + 1, connectedAt * 1_000)
    const principalId = formatId('dev', deviceId)
    return {
      sessionId: newUuid(),
      incarnation: this.#incarnation,
      grant: {
        principalId,
        workspaceId: formatId('ws', workspaceId),
        credentialVersion: 0,
        topicPrefix,
        isFirst,
        expiresAt: null,
        rules: ['cmd', 'cmd/#', 'config/#'].map((suffix) => ({
          action: 'subscribe',
          topic: `${topicPrefix}/${suffix}`,
          permission: 'allow',
        })),
      },
      clientId: principalId,
      address: this.#broker,
      protocolVersion: 4,
      connectedAt,
    }
  }
}

/** Whether a message is for a device that is connected there. */
export const isFor = (devices: Pick<BridgedDevices, 'has'>, { topic }: Message): boolean => {
  const parts = splitTopic(topic)
  return parts !== undefined && devices.has(parts.prefix)
}
