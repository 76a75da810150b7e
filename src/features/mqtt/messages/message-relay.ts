/**
 * Distributes messages published by the service to the subscribers of every process. Embedded
 * brokers form no cluster: a message is a row, the change feed announces it, and every process
 * publishes it on its broker. Commands take another path, since exactly one process must send each,
 * and only if its device is subscribed.
 */
import { columnsOf, exhaust } from '../../../platform/database/sql.ts'
import { LRUCache } from 'lru-cache'
import type { Broker, Message } from '../../../adapters/broker/port.ts'
import type { ChangeFeed } from '../../../platform/database/change-feed.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { upTo } from '../../../platform/lib/cache-size.ts'
import { SerialWorker } from '../../../platform/lib/serial-worker.ts'
import { formatId, leastUuidAt, newUuid } from '../../../platform/lib/ids.ts'
import * as store from './store.ts'
import type { Services } from '../../../context.ts'
import { removeLostTails } from './tail-store.ts'

const BATCH = 100
/** Messages remembered as sent, since a change may be announced twice. */
const REMEMBERED = 20_000
/** The feed has long announced them by then. */
const KEEP_MS = 300_000
const DELETE_BATCH = 1_000

/**
 * Publishes as the service on the brokers of all processes, once the transaction commits. Topics
 * are not checked here.
 */
export async function publishEverywhere(
  { feed }: { feed: Pick<ChangeFeed, 'announceAll'> },
  trx: Db,
  workspaceId: string,
  messages: readonly Message[],
): Promise<void> {
  const rows = messages.map((message) => ({ id: newUuid(), ...message }))
  if (rows.length === 0) return
  await store.insertMessages.run(trx, { ...columnsOf(rows), workspaceId })
  await feed.announceAll(
    trx,
    'mqtt-message',
    rows.map(({ id }) => id),
  )
}

export interface MessageRelayServices extends Pick<Services, 'db' | 'feed'> {
  /** Publishes every message on each of them. */
  brokers: readonly Pick<Broker, 'publish'>[]
  log: (message: string, error: unknown) => void
}

export class MessageRelay {
  readonly #services: MessageRelayServices
  readonly #due = new Set<string>()
  readonly #sent = new LRUCache<string, true>(upTo(REMEMBERED))
  readonly #worker: SerialWorker

  constructor(services: MessageRelayServices) {
    this.#services = services
    this.#worker = new SerialWorker(
      () => this.#deliver(),
      (error) => services.log('messages could not be read', error),
    )
    services.feed.on('mqtt-message', (id) => {
      if (this.#sent.has(id)) return
      this.#sent.set(id, true)
      this.#due.add(id)
      this.#worker.wake()
    })
  }

  /** Stops sending. */
  stop(): void {
    this.#worker.stop()
  }

  /** @returns whether there is more to send */
  async #deliver(): Promise<boolean> {
    const ids = [...this.#due].slice(0, BATCH)
    if (ids.length === 0) return false
    const messages = await store.findMessages.rows(this.#services.db, { ids })
    for (const id of ids) this.#due.delete(id)
    for (const { workspace_id, topic, payload, qos, retain } of messages) {
      const workspaceId = formatId('ws', workspace_id)
      for (const broker of this.#services.brokers) {
        // A message that fails here may have been received: it is not sent again.
        await broker
          .publish({ topic, payload, qos, retain, workspaceId })
          .catch((error: unknown) => this.#services.log('a message could not be published', error))
      }
    }
    return this.#due.size > 0
  }
}

/** Deletes messages that every process has had time to send, and streams of dead processes. */
export async function deleteOldMessages(db: Db): Promise<void> {
  const before = leastUuidAt(Date.now() - KEEP_MS)
  await exhaust(store.deleteMessages, db, { id: before, limit: DELETE_BATCH })
  await removeLostTails.run(db)
}
