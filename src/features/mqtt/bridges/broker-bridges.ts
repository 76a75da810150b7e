/**
 * The bridges to all external brokers. Of several processes one holds each bridge by a renewed
 * lease, so incoming messages are handled once and outgoing ones sent once.
 */
import type { BrokerEntry, Brokers } from '../../../adapters/broker/broker-entry.ts'
import type { Bridge, BridgeOptions } from '../../../adapters/broker/bridge-port.ts'
import type { Broker, Message } from '../../../adapters/broker/port.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { LogThrottle } from '../../../platform/lib/log-throttle.ts'
import type { DevicePublisher } from '../sessions/session-events.ts'
import { BridgedDevices, BRIDGED_FILTERS, type BridgedServices, isFor } from './bridged-devices.ts'
import { OutgoingMessages } from './outgoing-messages.ts'
import * as store from './store.ts'

type Login = NonNullable<BrokerEntry['mqtt']>

export { problemOfBridge } from './store.ts'

export interface BrokerBridgeServices extends BridgedServices {
  db: Db
  brokers: Brokers
  /** UUID of this process. */
  nodeId: string
  /** The service's client id there, the same in every process. */
  clientId: string
  /** Filled by this class, and read by `createDevicePublisher`. */
  bridges: HeldBridges
  open: (login: Login, options: BridgeOptions) => Bridge
  warn: (message: string, error: unknown) => void
}

/** Lease duration of a bridge. */
const HELD_SECONDS = 6

/** The problem of a bridge that its holder has just taken. */
const NOT_OPENED = 'it is being opened'

/** A bridge that this process holds. */
export interface HeldBridge {
  entry: BrokerEntry
  bridge: Bridge
  outgoing: OutgoingMessages
  devices: BridgedDevices
  /** Released by the local clock, slightly before the database lets others take it. */
  lapse: NodeJS.Timeout
}

/** The bridges that this process holds, by broker name. */
export type HeldBridges = Map<string, HeldBridge>

async function sendTo(
  held: readonly HeldBridge[],
  message: Message,
  onLost: (error: unknown) => void,
): Promise<void> {
  for (const { outgoing } of held) outgoing.send(message).catch(onLost)
  await Promise.all(held.map(({ outgoing }) => outgoing.room()))
}

/**
 * Reaches a device wherever it is connected. A device that left an external broker without notice
 * still counts as connected there, so the embedded broker gets every message as well.
 */
export const createDevicePublisher = (
  embedded: Pick<Broker, 'publish'>,
  held: HeldBridges,
): DevicePublisher => ({
  async publish(message, onLost = () => {}) {
    const connected = [...held.values()].filter(({ devices }) => isFor(devices, message))
    await Promise.all([embedded.publish(message), sendTo(connected, message, onLost)])
  },
})

export class BrokerBridges {
  readonly #services: BrokerBridgeServices
  readonly #held: HeldBridges
  #stopped = false

  constructor(services: BrokerBridgeServices) {
    this.#services = services
    this.#held = services.bridges
  }

  /** Takes free bridges and renews held ones; call it every second or two. */
  async hold(): Promise<void> {
    if (this.#stopped) return
    const wanted = new Map(
      this.#services.brokers
        .present()
        .flatMap((entry) => (entry.mqtt ? [[entry.name, entry]] : [])),
    )
    for (const [name, held] of this.#held) {
      const entry = wanted.get(name)
      const isSame = entry !== undefined && JSON.stringify(entry) === JSON.stringify(held.entry)
      if (!isSame) await this.#drop(name, true)
    }
    const failures: unknown[] = []
    for (const entry of wanted.values()) {
      // One failing bridge does not block the others.
      await this.#holdOne(entry).catch((error: unknown) => failures.push(error))
    }
    if (failures.length > 0) throw failures[0]
  }

  async #holdOne(entry: BrokerEntry): Promise<void> {
    const { db, nodeId } = this.#services
    const { name } = entry
    const until = performance.now() + HELD_SECONDS * 1_000
    const before = this.#held.get(name)
    const problem = before === undefined ? NOT_OPENED : before.bridge.problem()
    const lease = { name, holder: nodeId, expiresAt: HELD_SECONDS, problem }
    const isOurs = await store.takeBridge.any(db, lease)
    const held = this.#held.get(name)
    if (!isOurs) return this.#drop(name, false)
    if (this.#stopped) return store.releaseBridge.run(db, { name, holder: nodeId })
    try {
      if (held === undefined) this.#open(entry, until)
      else {
        clearTimeout(held.lapse)
        held.lapse = this.#lapseAt(name, until)
      }
    } catch (error) {
      await store.releaseBridge.run(db, { name, holder: nodeId })
      throw error
    }
  }

  /** Also runs if the database does not respond: two holders would be one client to the broker. */
  #lapseAt(name: string, until: number): NodeJS.Timeout {
    const giveUp = (): void => {
      this.#drop(name, false).catch((error: unknown) =>
        this.#services.warn('a bridge was not given up', error),
      )
    }
    return setTimeout(giveUp, Math.max(0, until - performance.now())).unref()
  }

  #open(entry: BrokerEntry, until: number): void {
    const { open, clientId, warn } = this.#services
    const { name, mqtt } = entry
    const warnOf = (message: string, error: unknown): void => warn(`${name}: ${message}`, error)
    const throttle = new LogThrottle()
    const devices = new BridgedDevices(name, this.#services, (error) => {
      if (throttle.isDue()) warnOf('messages could not be handled', error)
    })
    const bridge = open(mqtt as Login, {
      clientId,
      filters: BRIDGED_FILTERS,
      onMessage: (message) => devices.received(message),
      warn: warnOf,
    })
    const outgoing = new OutgoingMessages(bridge)
    this.#held.set(name, { entry, bridge, outgoing, devices, lapse: this.#lapseAt(name, until) })
  }

  async #drop(name: string, release: boolean): Promise<void> {
    const held = this.#held.get(name)
    if (held === undefined) return
    this.#held.delete(name)
    clearTimeout(held.lapse)
    await held.bridge.stop()
    held.devices.leave()
    const { db, nodeId } = this.#services
    if (release) await store.releaseBridge.run(db, { name, holder: nodeId })
  }

  /** Publishes on every broker whose bridge this process holds; failures are reported. */
  async publish(message: Message): Promise<void> {
    await sendTo([...this.#held.values()], message, (error) =>
      this.#services.warn('a message could not be published on an external broker', error),
    )
  }

  /** Why each bridge of this process is not connected, by broker name; null if it is. */
  problems(): ReadonlyMap<string, string | null> {
    return new Map([...this.#held].map(([name, { bridge }]) => [name, bridge.problem()]))
  }

  /** Messages that wait to be sent, by broker name. */
  waiting(): ReadonlyMap<string, number> {
    return new Map([...this.#held].map(([name, { outgoing }]) => [name, outgoing.waiting]))
  }

  /** The devices of each broker whose bridge this process holds, by broker name. */
  held(): ReadonlyMap<string, BridgedDevices> {
    return new Map([...this.#held].map(([name, { devices }]) => [name, devices]))
  }

  async stop(): Promise<void> {
    this.#stopped = true
    for (const name of this.#held.keys()) {
      await this.#drop(name, true).catch((error: unknown) =>
        this.#services.warn('a bridge was not given up', error),
      )
    }
  }
}
