/**
 * The durable sessions: their subscriptions, their queues, and which of them wait for a client
 * that is away. In memory, and bounded per session, per principal and in all.
 */
import type { AedesPublishPacket, Subscription } from 'aedes'
import { type CompiledRules, mayReceive } from '../topics.ts'
import { principalOf } from './client-id.ts'
import type { EmbeddedBrokerLimits } from './limits.ts'
import { OutgoingQueue } from './outgoing-queue.ts'
import { ownedPayload } from './payload.ts'
import { TopicTree } from './topic-tree.ts'

/** A subscription of a durable session, as aedes hands it back and forth. */
export type StoredSubscription = Subscription & {
  /** The session's name. */
  clientId: string
  subscriptionIdentifier?: number
}

interface StoredSession {
  subscriptions: Map<string, StoredSubscription>
  queue: OutgoingQueue
  /** What its principal may now. */
  rules: CompiledRules
}

export class StoredSessions {
  #sessions = new Map<string, StoredSession>()
  #filters = new TopicTree<StoredSubscription>()
  /** The sessions whose client is away, longest away first; in all, and of each principal. */
  #away = new Set<string>()
  #awayOf = new Map<string, Set<string>>()
  #byPrincipal = new Map<string, Set<string>>()
  #queuedBytes = 0
  #limits: EmbeddedBrokerLimits
  #evicted: (name: string) => void

  /** `evicted` receives each session that ends because there are too many. */
  constructor(limits: EmbeddedBrokerLimits, evicted: (name: string) => void) {
    this.#limits = limits
    this.#evicted = evicted
  }

  get queuedBytes(): number {
    return this.#queuedBytes
  }

  queueOf(name: string): OutgoingQueue | undefined {
    return this.#sessions.get(name)?.queue
  }

  subscriptionsOf(name: string): StoredSubscription[] {
    return [...(this.#sessions.get(name)?.subscriptions.values() ?? [])]
  }

  subscribe(name: string, subscriptions: readonly Subscription[], rules: CompiledRules): void {
    for (const subscription of subscriptions) {
      const { subscriptions: held } = this.#open(name, rules)
      const earlier = held.get(subscription.topic)
      if (earlier !== undefined) this.#filters.remove(earlier.topic, earlier)
      const kept: StoredSubscription = { ...subscription, clientId: name }
      held.set(kept.topic, kept)
      // QoS 0 is never queued, so only the others have to be found by topic.
      if (kept.qos > 0) this.#filters.add(kept.topic, kept)
    }
  }

  unsubscribe(name: string, filters: readonly string[]): void {
    const held = this.#sessions.get(name)?.subscriptions
    for (const filter of filters) {
      const subscription = held?.get(filter)
      if (subscription === undefined) continue
      held?.delete(filter)
      this.#filters.remove(filter, subscription)
    }
  }

  /** The durable subscriptions that get this message: one of each session, its highest QoS. */
  matching(topic: string): StoredSubscription[] {
    const bySession = new Map<string, StoredSubscription>()
    for (const subscription of this.#filters.matchingTopic(topic)) {
      const other = bySession.get(subscription.clientId)
      if (other === undefined || other.qos < subscription.qos) {
        bySession.set(subscription.clientId, subscription)
      }
    }
    return [...bySession.values()]
  }

  /** Queues one message for these subscriptions. What exceeds a limit is not queued. */
  enqueue(subscriptions: readonly StoredSubscription[], packet: AedesPublishPacket): void {
    if (subscriptions.length === 0) return
    const payload = ownedPayload(packet.payload)
    const publisher = (packet as { clientId?: string }).clientId
    for (const subscription of subscriptions) {
      const { clientId, nl, rap, qos, subscriptionIdentifier } = subscription
      const session = this.#sessions.get(clientId)
      if (session === undefined || (nl === true && publisher === clientId)) continue
      const { queue, rules } = session
      if (!mayReceive(rules, packet.topic)) continue
      if (!this.#hasRoom(queue, payload.length)) continue
      const copy: AedesPublishPacket = {
        ...packet,
        payload,
        qos: qos < packet.qos ? qos : packet.qos,
        retain: rap === true && packet.retain,
      }
      delete copy.messageId
      if (subscriptionIdentifier !== undefined) {
        copy.properties = { ...packet.properties, subscriptionIdentifier }
      }
      this.#change(queue, () => queue.add(copy))
    }
  }

  /** Does something to a queue and keeps the account of what all of them hold. */
  change<T>(name: string, action: (queue: OutgoingQueue) => T): T | undefined {
    const queue = this.queueOf(name)
    return queue === undefined ? undefined : this.#change(queue, () => action(queue))
  }

  #change<T>(queue: OutgoingQueue, action: () => T): T {
    const before = queue.bytes
    const result = action()
    this.#queuedBytes += queue.bytes - before
    return result
  }

  #hasRoom(queue: OutgoingQueue, bytes: number): boolean {
    return (
      queue.size < this.#limits.queuedMessagesPerSession &&
      queue.bytes + bytes <= this.#limits.queuedBytesPerSession &&
      this.#queuedBytes + bytes <= this.#limits.queuedBytes
    )
  }

  /** Its principal has other rules: what is queued and may not be received any more goes. */
  regrant(name: string, rules: CompiledRules): void {
    const session = this.#sessions.get(name)
    if (session === undefined || session.rules === rules) return
    session.rules = rules
    this.#change(session.queue, () => session.queue.keep((topic) => mayReceive(rules, topic)))
  }

  cameBack(name: string): void {
    this.#away.delete(name)
    const away = this.#awayOf.get(principalOf(name))
    away?.delete(name)
    if (away?.size === 0) this.#awayOf.delete(principalOf(name))
  }

  /** Notes that the client of a durable session left, and ends the oldest ones beyond a limit. */
  wentAway(name: string): void {
    this.cameBack(name)
    const principalId = principalOf(name)
    const away = this.#awayOf.get(principalId) ?? new Set()
    this.#awayOf.set(principalId, away.add(name))
    this.#away.add(name)
    if (away.size > this.#limits.storedSessionsPerPrincipal) this.#evictOldest(away)
    if (this.#away.size > this.#limits.storedSessions) this.#evictOldest(this.#away)
  }

  #evictOldest(names: ReadonlySet<string>): void {
    const [oldest] = names
    if (oldest === undefined) return
    this.discard(oldest)
    this.#evicted(oldest)
  }

  discard(name: string): void {
    this.cameBack(name)
    const session = this.#sessions.get(name)
    if (session === undefined) return
    this.unsubscribe(name, [...session.subscriptions.keys()])
    this.#queuedBytes -= session.queue.bytes
    this.#sessions.delete(name)
    const names = this.#byPrincipal.get(principalOf(name))
    names?.delete(name)
    if (names?.size === 0) this.#byPrincipal.delete(principalOf(name))
  }

  /** The names of the sessions that a principal has here or that wait for it. */
  namesOf(principalId: string): string[] {
    const stored = this.#byPrincipal.get(principalId) ?? []
    return [...new Set([...stored, ...(this.#awayOf.get(principalId) ?? [])])]
  }

  #open(name: string, rules: CompiledRules): StoredSession {
    const existing = this.#sessions.get(name)
    if (existing !== undefined) return existing
    const opened: StoredSession = { subscriptions: new Map(), queue: new OutgoingQueue(), rules }
    this.#sessions.set(name, opened)
    const names = this.#byPrincipal.get(principalOf(name)) ?? new Set()
    this.#byPrincipal.set(principalOf(name), names.add(name))
    return opened
  }
}
