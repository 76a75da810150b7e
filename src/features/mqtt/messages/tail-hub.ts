/**
 * Passes messages to the streams that show them. A process sees only the messages of its own
 * clients. For a stream of another process it writes them into a table, where that process reads
 * them. Messages of external brokers come from a subscription of the process with the stream.
 */
import type { Bridge, BridgeOptions } from '../../../adapters/broker/bridge-port.ts'
import type { BrokerEntry, Brokers } from '../../../adapters/broker/broker-entry.ts'
import type { Broker, Message, Session } from '../../../adapters/broker/port.ts'
import { matches } from '../../../adapters/broker/topics.ts'
import type { ChangeFeed } from '../../../platform/database/change-feed.ts'
import type { Db } from '../../../platform/database/connect.ts'
import type { Clock } from '../../../platform/lib/clock.ts'
import { formatId, newUuid } from '../../../platform/lib/ids.ts'
import { SerialWorker } from '../../../platform/lib/serial-worker.ts'
import type { DevicePublisher, SessionSubscriber } from '../sessions/session-events.ts'
import { observedOf, TailBuffer } from './tail-buffer.ts'
import * as store from './tail-store.ts'

/** How often the streams of other processes are read, while there are any. */
const PASS_MS = 250

export interface NewTail {
  /** UUIDs. */
  id: string
  workspaceId: string
  slug: string
  filter: string
  hasConfig: boolean
}

interface Tail extends NewTail {
  /** The public id of the workspace, as in grants. */
  workspace: string
  buffer: TailBuffer
}

/** A tail whose stream is open in this process. */
export interface OpenTail {
  buffer: TailBuffer
  close: () => Promise<void>
}

export interface TailHubServices {
  db: Db
  feed: ChangeFeed
  nodeId: string
  clock: Clock
  brokers: Brokers
  /** The service's client id on external brokers. */
  clientId: string
  openBridge: (login: NonNullable<BrokerEntry['mqtt']>, options: BridgeOptions) => Bridge
  warn: (message: string, error: unknown) => void
}

const CONFIG_LEVEL = 2

const isConfig = (topic: string): boolean => topic.split('/')[CONFIG_LEVEL] === 'config'

export class TailHub implements SessionSubscriber {
  readonly #services: TailHubServices
  readonly #own = new Map<string, Tail>()
  #ofOthers = new Map<string, Tail>()
  readonly #worker: SerialWorker

  constructor(services: TailHubServices) {
    this.#services = services
    this.#worker = new SerialWorker(
      () => this.#pass(),
      (error) => services.warn('watched messages could not be passed on', error),
    )
    services.feed.on('mqtt-tail', () => this.#worker.wake())
    services.feed.onGap(() => this.#worker.wake())
  }

  /** Shows a message that a client of this process's broker has published. */
  observed({ grant }: Session, message: Message): void {
    for (const tails of [this.#own, this.#ofOthers]) {
      for (const tail of tails.values()) {
        if (tail.workspace !== grant.workspaceId) continue
        this.#show(tail, message, grant.principalId, 'embedded')
      }
    }
  }

  /** Shows messages that every process publishes: each process serves only its own streams. */
  readonly relayed: Pick<Broker, 'publish'> = {
    publish: async (message) => {
      for (const tail of this.#own.values()) this.#show(tail, message, 'service', 'embedded')
    },
  }

  /** Shows messages to devices, which only this process publishes. */
  watching = (publisher: DevicePublisher): DevicePublisher => ({
    publish: (message, onLost) => {
      for (const tails of [this.#own, this.#ofOthers]) {
        for (const tail of tails.values()) this.#show(tail, message, 'service', 'embedded')
      }
      return publisher.publish(message, onLost)
    },
  })

  /** Begins to show messages; the row of the tail is written by the caller. */
  open(tail: NewTail): OpenTail {
    const workspace = formatId('ws', tail.workspaceId)
    const opened = { ...tail, workspace, buffer: new TailBuffer() }
    this.#own.set(tail.id, opened)
    const bridges = this.#services.brokers
      .present()
      .flatMap(({ name, mqtt }) => (mqtt === undefined ? [] : [this.#bridge(opened, name, mqtt)]))
    return {
      buffer: opened.buffer,
      close: async () => {
        this.#own.delete(tail.id)
        await Promise.all(bridges.map((bridge) => bridge.stop()))
      },
    }
  }

  stop(): void {
    this.#worker.stop()
  }

  #bridge(tail: Tail, broker: string, login: NonNullable<BrokerEntry['mqtt']>): Bridge {
    const { openBridge, clientId, warn } = this.#services
    return openBridge(login, {
      clientId: `${clientId}-${tail.id.slice(-12)}`,
      filters: [tail.filter],
      isTransient: true,
      onMessage: async (message) => {
        if (!message.isOld) this.#show(tail, message, null, broker)
      },
      warn: (message, error) => warn(`${broker}: ${message}`, error),
    })
  }

  #show(
    { filter, hasConfig, buffer }: Tail,
    message: Message,
    client: string | null,
    broker: string,
  ): void {
    const { topic } = message
    if (!matches(filter, topic) || (!hasConfig && isConfig(topic))) return
    const now = this.#services.clock.now()
    if (buffer.admits(now)) buffer.add(observedOf(message, { client, broker }, now))
  }

  /** Writes messages for the streams of other processes, and reads which streams these have now. */
  async #pass(): Promise<boolean> {
    const { db, nodeId } = this.#services
    const rows = [...this.#ofOthers.values()].flatMap(({ workspaceId, id: tailId, buffer }) => {
      const batch = buffer.take()
      const isEmpty = batch.messages.length === 0 && batch.skipped === 0
      return isEmpty ? [] : [{ workspaceId, tailId, id: newUuid(), batch }]
    })
    if (rows.length > 0) await store.writeBatches(db, rows)
    const present = await store.tailsOfOthers.rows(db, { nodeId })
    this.#ofOthers = new Map(
      present.map((row) => [row.id, this.#ofOthers.get(row.id) ?? tailOf(row)]),
    )
    if (present.length > 0) this.#worker.wakeAfter(PASS_MS)
    return false
  }
}

const tailOf = ({ workspace_id: workspaceId, id, slug, filter, has_config }: store.TailRow) => ({
  id,
  workspaceId,
  workspace: formatId('ws', workspaceId),
  slug,
  filter,
  hasConfig: has_config,
  buffer: new TailBuffer(),
})
