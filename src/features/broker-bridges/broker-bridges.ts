/**
 * The bridges to all brokers of the brokers file. Of several processes one holds each of them, for
 * as long as it says so in time: what comes over it is handled once, and what goes out goes once.
 */
import type { BrokerEntry, Brokers } from '../../broker/broker-entry.ts'
import type { Bridge, BridgeOptions, Broker, Message } from '../../broker/port.ts'
import type { Db } from '../../database/connect.ts'
import { BridgedDevices, BRIDGED_FILTERS, type BridgedServices, isFor } from './bridged-devices.ts'
import * as store from './store.ts'

type Login = NonNullable<BrokerEntry['mqtt']>

export interface BrokerBridgeServices extends BridgedServices {
  db: Db
  brokers: Brokers
  /** UUID of this process. */
  nodeId: string
  /** What the service calls itself there, the same in every process. */
  clientId: string
  open: (login: Login, options: BridgeOptions) => Bridge
  warn: (message: string, error: unknown) => void
}

/** How long a bridge stays with a process that says nothing. */
const HELD_SECONDS = 6

interface Held {
  entry: BrokerEntry
  bridge: Bridge
  devices: BridgedDevices
  /** By our own clock; the database lets others have it a little later. */
  until: number
}

export class BrokerBridges {
  readonly #services: BrokerBridgeServices
  readonly #held = new Map<string, Held>()
  #stopped = false

  constructor(services: BrokerBridgeServices) {
    this.#services = services
  }

  /** Takes what is free, and holds on to what is held; to be called every second or two. */
  async hold(): Promise<void> {
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
    for (const entry of wanted.values()) await this.#holdOne(entry)
  }

  async #holdOne(entry: BrokerEntry): Promise<void> {
    const { db, nodeId } = this.#services
    const { name } = entry
    const until = performance.now() + HELD_SECONDS * 1_000
    let isOurs: boolean | undefined
    try {
      isOurs = await store.takeBridge(db, name, nodeId, HELD_SECONDS)
    } catch (error) {
      const held = this.#held.get(name)
      if (held !== undefined && performance.now() >= held.until) await this.#drop(name, false)
      throw error
    }
    const held = this.#held.get(name)
    if (this.#stopped || !isOurs) await this.#drop(name, this.#stopped)
    else if (held !== undefined) held.until = until
    else this.#open(entry, until)
  }

  #open(entry: BrokerEntry, until: number): void {
    const { open, clientId, warn } = this.#services
    const { name, mqtt } = entry
    const tell = (message: string, error: unknown): void => warn(`${name}: ${message}`, error)
    const devices = new BridgedDevices(name, this.#services, (error) =>
      tell('messages could not be handled', error),
    )
    const onMessage = (message: Parameters<BridgeOptions['onMessage']>[0]): Promise<void> =>
      devices.received(message)
    const options = { clientId, filters: BRIDGED_FILTERS, onMessage, warn: tell }
    const bridge = open(mqtt as Login, options)
    this.#held.set(name, { entry, bridge, devices, until })
  }

  async #drop(name: string, release: boolean): Promise<void> {
    const held = this.#held.get(name)
    if (held === undefined) return
    this.#held.delete(name)
    await held.bridge.stop()
    held.devices.leave()
    const { db, nodeId } = this.#services
    if (release) await store.releaseBridge(db, name, nodeId)
  }

  /** Publishes on every broker whose bridge this process holds. */
  async publish(message: Message): Promise<void> {
    const sent = [...this.#held.values()].map(({ bridge }) => bridge.publish(message))
    const failed = (await Promise.allSettled(sent)).find(({ status }) => status === 'rejected')
    if (failed?.status === 'rejected') throw failed.reason
  }

  /** What reaches a device wherever it is connected: there, else on the embedded broker. */
  toDevices(embedded: Pick<Broker, 'publish'>): Pick<Broker, 'publish'> {
    return {
      publish: async (message) => {
        const there = [...this.#held.values()].filter(({ devices }) => isFor(devices, message))
        if (there.length === 0) return embedded.publish(message)
        for (const { bridge } of there) await bridge.publish(message)
      },
    }
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
