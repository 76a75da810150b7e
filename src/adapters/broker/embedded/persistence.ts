/**
 * The store that aedes keeps its sessions in, in the shape aedes expects of a persistence. The
 * one that comes with aedes is not bounded, keeps refused subscriptions of a packet with granted
 * ones, and reads every retained message of the broker for each SUBSCRIBE.
 */
import { Readable } from 'node:stream'
import type { AedesPublishPacket, Client, Subscription } from 'aedes'
import type { EmbeddedBrokerLimits } from './limits.ts'
import type { QueuedPacket } from './outgoing-queue.ts'
import type { Connection } from './registry.ts'
import { RetainedMessages } from './retained-messages.ts'
import { StoredSessions, type StoredSubscription } from './stored-sessions.ts'

type Named = Pick<Client, 'id'>
type Identified = { messageId?: number | undefined }

export interface PersistenceEvents {
  /** What this live session may, and the filters that it was granted. */
  grantedTo: (client: Named) => Pick<Connection, 'rules' | 'filters'> | undefined
  /** A durable session ended because there were too many. */
  evicted: (name: string) => void
}

/** What waits for a session without a queue. It takes less than the stream of an empty list. */
class Nothing extends Readable {
  override _read(): void {
    this.push(null)
  }
}

export class MemoryPersistence {
  readonly sessions: StoredSessions
  readonly retained: RetainedMessages
  /** The packet identifiers of QoS 2 messages that wait for PUBREL, by session. */
  #incoming = new Map<string, Set<number>>()
  #grantedTo: PersistenceEvents['grantedTo']

  constructor(limits: EmbeddedBrokerLimits, events: PersistenceEvents) {
    this.#grantedTo = events.grantedTo
    this.sessions = new StoredSessions(limits, (name) => {
      this.#incoming.delete(name)
      events.evicted(name)
    })
    this.retained = new RetainedMessages(limits)
  }

  /** Drops all that is kept for a session. */
  discard(name: string): void {
    this.sessions.discard(name)
    this.#incoming.delete(name)
  }

  /** The packet identifiers of a session's QoS 2 messages that wait for PUBREL, if any. */
  incomingOf(name: string): ReadonlySet<number> | undefined {
    return this.#incoming.get(name)
  }

  async setup(): Promise<void> {}

  async storeRetained(packet: AedesPublishPacket): Promise<void> {
    this.retained.store(packet)
  }

  createRetainedStreamCombi(filters: string[]): Readable {
    return Readable.from(this.retained.matching(filters))
  }

  /** aedes passes all subscriptions of a packet as soon as one of them is granted. */
  async addSubscriptions(client: Named, subscriptions: Subscription[]): Promise<void> {
    const granted = this.#grantedTo(client)
    if (granted === undefined) return
    const { filters, rules } = granted
    this.sessions.subscribe(
      client.id,
      subscriptions.filter(({ topic }) => filters.has(topic)),
      rules,
    )
  }

  async removeSubscriptions(client: Named, filters: string[]): Promise<void> {
    this.sessions.unsubscribe(client.id, filters)
  }

  async subscriptionsByClient(client: Named): Promise<StoredSubscription[]> {
    return this.sessions.subscriptionsOf(client.id)
  }

  async subscriptionsByTopic(topic: string): Promise<StoredSubscription[]> {
    return this.sessions.matching(topic)
  }

  /** Called where a session ends or starts clean: all of it goes, not its subscriptions alone. */
  async cleanSubscriptions(client: Named): Promise<void> {
    this.discard(client.id)
  }

  async outgoingEnqueueCombi(
    subscriptions: StoredSubscription[],
    packet: AedesPublishPacket,
  ): Promise<void> {
    this.sessions.enqueue(subscriptions, packet)
  }

  async outgoingUpdate(client: Named, packet: QueuedPacket): Promise<void> {
    this.sessions.change(client.id, (queue) => queue.update(packet))
  }

  async outgoingClearMessageId(
    client: Named,
    packet: QueuedPacket,
  ): Promise<QueuedPacket | undefined> {
    return this.sessions.change(client.id, (queue) => queue.remove(packet))
  }

  outgoingStream(client: Named): Readable {
    const queue = this.sessions.queueOf(client.id)
    return queue === undefined ? new Nothing({ objectMode: true }) : Readable.from(queue.pending())
  }

  async incomingStorePacket(client: Named, { messageId }: Identified): Promise<void> {
    if (messageId === undefined) return
    const identifiers = this.#incoming.get(client.id) ?? new Set()
    this.#incoming.set(client.id, identifiers.add(messageId))
  }

  /** Rejects when the packet wasn't stored, which is how aedes tells a new one from a repeat. */
  async incomingGetPacket(client: Named, packet: Identified): Promise<Identified> {
    const { messageId } = packet
    if (messageId === undefined || this.#incoming.get(client.id)?.has(messageId) !== true) {
      throw new Error('No such packet.')
    }
    return { messageId }
  }

  async incomingDelPacket(client: Named, { messageId }: Identified): Promise<void> {
    const identifiers = this.#incoming.get(client.id)
    if (messageId !== undefined) identifiers?.delete(messageId)
    if (identifiers?.size === 0) this.#incoming.delete(client.id)
  }

  // Wills live in aedes' clients. It stores them besides for other processes to find after a
  // crash, and would publish those of living clients when the system slept through heartbeats.
  async putWill(): Promise<void> {}

  /**
   * The last thing aedes asks before it registers a client. One that is closed by then would stay
   * registered for ever, so for it there is no answer.
   */
  async delWill(client: { closed?: boolean }): Promise<void> {
    if (client.closed === true) await new Promise(() => {})
  }

  streamWill(): Readable {
    return Readable.from([])
  }
}
