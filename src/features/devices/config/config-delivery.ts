/**
 * Serves configurations over MQTT: keeps the retained `config/meta` of this process's devices
 * current and answers their requests. Both read the database in batches, and a device that asks in
 * a loop costs no more than one that asks occasionally.
 */
import { columnsOf } from '../../../platform/database/sql.ts'
import { LRUCache } from 'lru-cache'
import type { Message, Session } from '../../../adapters/broker/port.ts'
import { intersects } from '../../../adapters/broker/topics.ts'
import { upTo } from '../../../platform/lib/cache-size.ts'
import { SerialWorker } from '../../../platform/lib/serial-worker.ts'
import { LogThrottle } from '../../../platform/lib/log-throttle.ts'
import type { DevicePublisher } from '../../mqtt/sessions/session-events.ts'
import type { DeviceSession } from '../../mqtt/sessions/session-registry.ts'
import {
  configResponses,
  type ConfigDocument,
  type ConfigRequest,
  documentOf,
  metaOf,
  readConfigRequest,
  tooManyRequests,
} from './config-protocol.ts'
import { ConfigReports } from './config-reports.ts'
import * as store from './store.ts'
import type { Services } from '../../../context.ts'

export interface ConfigDeliveryServices extends Pick<Services, 'db' | 'feed' | 'clock'> {
  publisher: DevicePublisher
  log: (message: string, error: unknown) => void
}

const BATCH = 100
/** Devices whose `config/meta` this process keeps current; the most recent subscribers. */
const MAX_NOTIFIED = 100_000
/** Burst of requests per device, and the refill interval. */
const BURST = 5
const REFILL_MS = 2_000
/** Retry delay for a meta message that a broker did not accept. */
const RETRY_MS = 2_000

interface Notified {
  device: DeviceSession
  /** The version last published; undefined if unknown. */
  mark: string | undefined
}

const markOf = ({ version, sha256 }: ConfigDocument): string => `${version} ${sha256}`

export class ConfigDelivery {
  readonly #services: ConfigDeliveryServices
  readonly #reports: ConfigReports
  readonly #worker: SerialWorker
  readonly #notified = new LRUCache<string, Notified>(upTo(MAX_NOTIFIED))
  readonly #budgets = new LRUCache<string, { left: number; at: number }>(upTo(20_000))
  /** Devices whose meta may be outdated, by UUID. */
  readonly #due = new Set<string>()
  /** The latest unanswered request of each device. */
  readonly #asked = new Map<string, { device: DeviceSession; request: ConfigRequest }>()
  /** Devices whose meta no broker accepted, and when to retry. */
  readonly #unsent = new Set<string>()
  #retry: NodeJS.Timeout | undefined
  readonly #complaints = new LogThrottle()

  constructor(services: ConfigDeliveryServices) {
    this.#services = services
    const { db, feed, log } = services
    this.#worker = new SerialWorker(
      () => this.#deliver(),
      (error) => log('configurations could not be published', error),
    )
    this.#reports = new ConfigReports(db, (error) =>
      log('reports on configurations could not be written', error),
    )
    const check = (deviceId: string): void => this.#check(deviceId)
    feed.on('config', check)
    // Another template has another default; a deleted device has no configuration.
    feed.on('device', check)
    feed.on('template', () => this.#checkAll())
    feed.onGap(() => this.#checkAll())
  }

  stop(): void {
    this.#worker.stop()
    clearTimeout(this.#retry)
  }

  /** Writes the reports that have come so far. */
  store(): Promise<void> {
    return this.#reports.writes.store()
  }

  /** Writes pending reports at shutdown. */
  flush(): Promise<void> {
    return this.#reports.writes.flush()
  }

  subscribed(
    { transport }: Pick<Session, 'transport'>,
    device: DeviceSession,
    filters: readonly string[],
  ): void {
    const topic = `${device.topicPrefix}/config/meta`
    if (!filters.some((filter) => intersects(filter, topic))) return
    const { deviceId } = device
    // An external broker may have lost retained messages, or the device has just moved there.
    const isHere = transport !== undefined
    if (isHere && this.#notified.get(deviceId)?.mark !== undefined) return
    this.#notified.set(deviceId, { device, mark: undefined })
    this.#check(deviceId)
  }

  /** Reports for which there was no room, since the start of the process. */
  get dropped(): number {
    return this.#reports.dropped
  }

  hasRoom(device: DeviceSession, { topic }: Message): boolean {
    return topic !== `${device.topicPrefix}/config/status` || this.#reports.hasRoom(device)
  }

  published(device: DeviceSession, { topic, payload }: Message): void {
    const { topicPrefix } = device
    if (topic === `${topicPrefix}/config/status`) this.#reports.add(device, payload)
    if (topic !== `${topicPrefix}/config/get`) return
    const request = readConfigRequest(payload)
    if (request === undefined) return
    if (this.#mayAsk(device.deviceId)) {
      this.#asked.set(device.deviceId, { device, request })
      this.#worker.wake()
    } else void this.#send(device, 'resp', tooManyRequests(request.rid))
  }

  #mayAsk(deviceId: string): boolean {
    const now = this.#services.clock.now()
    const { left, at } = this.#budgets.get(deviceId) ?? { left: BURST, at: now }
    const refilled = Math.floor(Math.max(0, now - at) / REFILL_MS)
    const present = Math.min(BURST, left + refilled)
    this.#budgets.set(deviceId, {
      left: Math.max(0, present - 1),
      at: present === BURST ? now : at + refilled * REFILL_MS,
    })
    return present > 0
  }

  #check(deviceId: string): void {
    if (!this.#notified.has(deviceId)) return
    this.#due.add(deviceId)
    this.#worker.wake()
  }

  #checkAll(): void {
    for (const deviceId of this.#notified.keys()) this.#due.add(deviceId)
    this.#worker.wake()
  }

  /** @returns whether there is more to do */
  async #deliver(): Promise<boolean> {
    const asked = [...this.#asked].slice(0, BATCH)
    const due = [...this.#due].slice(0, BATCH)
    for (const deviceId of due) this.#due.delete(deviceId)
    const notified = due.flatMap((deviceId) => this.#notified.peek(deviceId) ?? [])
    try {
      await this.#respond(asked.map(([, each]) => each))
      await this.#notify(notified)
    } catch (error) {
      for (const deviceId of due) this.#due.add(deviceId)
      throw error
    }
    return this.#asked.size > 0 || this.#due.size > 0
  }

  async #respond(
    asked: readonly { device: DeviceSession; request: ConfigRequest }[],
  ): Promise<void> {
    const documents = await this.#documentsOf(asked.map(({ device }) => device))
    for (const { device, request } of asked) {
      const { deviceId } = device
      // Requested again meanwhile: that request is answered next.
      if (this.#asked.get(deviceId)?.request === request) this.#asked.delete(deviceId)
      const document = documents.get(deviceId)
      if (document === undefined) continue
      for (const payload of configResponses(request, document)) {
        // Without one chunk the others are useless: the device asks again.
        if (!(await this.#send(device, 'resp', payload))) break
      }
    }
  }

  async #notify(notified: readonly Notified[]): Promise<void> {
    const documents = await this.#documentsOf(notified.map(({ device }) => device))
    for (const { device, mark } of notified) {
      const { deviceId } = device
      const document = documents.get(deviceId)
      if (document !== undefined && markOf(document) === mark) continue
      const meta = document === undefined ? Buffer.alloc(0) : metaOf(document)
      // Set before sending: a loss may be reported at any time.
      if (document === undefined) this.#notified.delete(deviceId)
      else this.#notified.set(deviceId, { device, mark: markOf(document) })
      if (!(await this.#send(device, 'meta', meta))) this.#notifyAgain(device)
    }
  }

  /** Needed because a device receives each version only once. */
  #notifyAgain(device: DeviceSession): void {
    this.#notified.set(device.deviceId, { device, mark: undefined })
    this.#unsent.add(device.deviceId)
    this.#retry ??= setTimeout(() => {
      this.#retry = undefined
      const unsent = [...this.#unsent]
      this.#unsent.clear()
      for (const each of unsent) this.#check(each)
    }, RETRY_MS).unref()
  }

  async #documentsOf(devices: readonly DeviceSession[]): Promise<Map<string, ConfigDocument>> {
    if (devices.length === 0) return new Map()
    const rows = await store.effectiveConfigs.rows(this.#services.db, columnsOf(devices))
    return new Map(
      rows.map((row) => [row.id, documentOf(row.effective, row.version, row.changed_at)]),
    )
  }

  /** @returns false if publishing failed at once; a later failure is only logged */
  async #send(device: DeviceSession, name: 'meta' | 'resp', payload: Buffer): Promise<boolean> {
    const topic = `${device.topicPrefix}/config/${name}`
    const retain = name === 'meta'
    const complain = (error: unknown): void => {
      if (this.#complaints.isDue()) this.#services.log('a configuration was not published', error)
    }
    const onLost = (error: unknown): void => {
      complain(error)
      if (retain) this.#notifyAgain(device)
    }
    try {
      await this.#services.publisher.publish({ topic, payload, qos: 1, retain }, onLost)
      return true
    } catch (error) {
      complain(error)
      return false
    }
  }
}
