/**
 * Finds devices connected to an external broker that have sent nothing: when there is a message for
 * one, the broker is asked whether it has it. If it cannot be asked, the last CONNECT accepted
 * there decides.
 */
import { LRUCache } from 'lru-cache'
import type { ChangeFeed } from '../../../platform/database/change-feed.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { MicroBatcher } from '../../../platform/lib/micro-batcher.ts'
import { SerialWorker } from '../../../platform/lib/serial-worker.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import type { SessionSubscriber } from '../sessions/session-events.ts'
import type { DeviceSession, LiveSession } from '../sessions/session-registry.ts'
import type { BridgedDevices } from './bridged-devices.ts'
import { findStalePresence } from './store.ts'

export interface PresenceSweepServices {
  db: Db
  feed: Pick<ChangeFeed, 'on'>
  /** The bridges that this process holds, by broker name. */
  held: () => ReadonlyMap<string, Pick<BridgedDevices, 'has' | 'presume'>>
  /**
   * Finds the principals of `names` that have, or can be assumed to have, a session on a broker.
   * @param names public ids
   */
  present: (broker: string, names: readonly string[]) => Promise<ReadonlySet<string>>
  warn: (message: string, error: unknown) => void
}

const BATCH = 500

interface SessionCheck {
  broker: string
  device: DeviceSession
}

/** The broker whose CONNECT of each principal this process accepted last. */
export class LastBrokers implements SessionSubscriber {
  /** By public id; allocated on first use. */
  #lastAt: LRUCache<string, string> | undefined

  admitted({ identity }: LiveSession, broker: string): void {
    this.#lastAt ??= new LRUCache({ max: 100_000 })
    this.#lastAt.set(identity.name, broker)
  }

  /** The principals of `names` whose last CONNECT was accepted by this broker. */
  lastAt(broker: string, names: readonly string[]): ReadonlySet<string> {
    return new Set(names.filter((name) => this.#lastAt?.get(name) === broker))
  }
}

export class PresenceSweep {
  readonly #services: PresenceSweepServices
  /** By UUID. */
  readonly #due = new Set<string>()
  /**
   * A broker may have to list all its sessions: never two queries at once. Devices that come
   * meanwhile share the next one, however many they are.
   */
  readonly #checks = new MicroBatcher<SessionCheck, void>((all) => this.#ask(all), {
    batchSize: Infinity,
    inFlight: 1,
  })
  readonly #worker: SerialWorker

  constructor(services: PresenceSweepServices) {
    this.#services = services
    this.#worker = new SerialWorker(
      () => this.#check(),
      (error) => services.warn('silent devices could not be looked for', error),
    )
    for (const kind of ['command', 'config'] as const) {
      services.feed.on(kind, (deviceId) => {
        if (services.held().size === 0) return
        this.#due.add(deviceId)
        this.#worker.wake()
      })
    }
  }

  stop(): void {
    this.#worker.stop()
  }

  /** @returns whether there are more */
  async #check(): Promise<boolean> {
    const ids = [...this.#due].slice(0, BATCH)
    const rows = await findStalePresence.rows(this.#services.db, { ids })
    for (const id of ids) this.#due.delete(id)
    const devices = rows.map(({ id, workspace_id, slug, device_key }) => ({
      deviceId: id,
      workspaceId: workspace_id,
      topicPrefix: `${slug}/${device_key}`,
    }))
    // Not awaited: a hanging broker must not delay the devices of others.
    for (const broker of this.#services.held().keys())
      for (const device of devices) void this.#checks.run(broker, { broker, device })
    return this.#due.size > 0
  }

  /** @param checks about one broker */
  async #ask(checks: readonly SessionCheck[]): Promise<[]> {
    const broker = checks[0]?.broker ?? ''
    const devices = new Map(checks.map(({ device }) => [device.deviceId, device]))
    await this.#find(broker, [...devices.values()]).catch((error: unknown) =>
      this.#services.warn(`${broker} did not return its connected devices`, error),
    )
    return []
  }

  async #find(broker: string, devices: readonly DeviceSession[]): Promise<void> {
    const there = this.#services.held().get(broker)
    const unheard = devices.filter(({ topicPrefix }) => there?.has(topicPrefix) === false)
    if (unheard.length === 0) return
    const nameOf = ({ deviceId }: DeviceSession): string => formatId('dev', deviceId)
    const present = await this.#services.present(broker, unheard.map(nameOf))
    // The bridge may have been replaced meanwhile.
    const now = this.#services.held().get(broker)
    for (const device of unheard) if (present.has(nameOf(device))) now?.presume(device)
  }
}
