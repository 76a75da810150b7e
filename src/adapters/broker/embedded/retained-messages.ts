/** Retained messages, with limits on their number and size for each principal. */
import type { Grant } from '../port.ts'
import type { KeptRetained } from '../store-port.ts'
import { principalOf } from './client-id.ts'
import { type Durability, messageOf } from './durability.ts'
import type { EmbeddedBrokerLimits } from './limits.ts'
import type { Message } from './message.ts'
import { TopicTree } from './topic-tree.ts'

interface Retained {
  message: Message
  bytes: number
  /** The messages of the principal that published it; undefined: the service published it. */
  owner: Holdings | undefined
  /** The workspace that it is stored for; undefined: it is not stored. */
  storedIn: string | undefined
}

interface Holdings {
  principalId: string
  bytes: number
  topics: Set<string>
}

export class RetainedMessages {
  #tree = new TopicTree<Message>()
  #byTopic = new Map<string, Retained>()
  #holdings = new Map<string, Holdings>()
  /** The workspace by the first level of topics, once it has a session or a stored message. */
  #workspaces = new Map<string, string>()
  #limits: EmbeddedBrokerLimits
  #durability: Durability

  constructor(limits: EmbeddedBrokerLimits, durability: Durability) {
    this.#limits = limits
    this.#durability = durability
  }

  /** Keeps the message in place of the topic's earlier one; an empty payload removes it. */
  store(message: Message): void {
    const { topic } = message
    if (message.payload.length === 0) return this.#remove(topic)
    const kept = message.retained()
    if (!this.#add(kept)) return
    const retained = this.#byTopic.get(topic)
    if (retained !== undefined) retained.storedIn = this.#durability.retain(kept)
  }

  /** A message that an earlier process has stored. */
  restore(stored: KeptRetained): void {
    const { topic, workspaceId, principalId } = stored
    const kept = messageOf(stored, true)
    kept.sender = principalId === undefined ? undefined : `${workspaceId}/${principalId}/`
    this.#workspaces.set(`${topic.split('/', 1)[0]}/`, workspaceId)
    const isAdded = this.#add(kept)
    const retained = this.#byTopic.get(topic)
    if (isAdded && retained !== undefined) retained.storedIn = workspaceId
    else this.#durability.unretain(workspaceId, topic)
  }

  /** @returns false if its principal has reached a limit */
  #add(kept: Message): boolean {
    const { topic } = kept
    const bytes = kept.size + Buffer.byteLength(topic)
    const owner = this.#holdingsOf(kept)
    this.#remove(topic)
    if (owner !== undefined) {
      const full =
        owner.topics.size >= this.#limits.retainedMessagesPerPrincipal ||
        owner.bytes + bytes > this.#limits.retainedBytesPerPrincipal
      if (full) return false
      owner.topics.add(topic)
      owner.bytes += bytes
      this.#holdings.set(owner.principalId, owner)
    }
    this.#byTopic.set(topic, { message: kept, bytes, owner, storedIn: undefined })
    this.#tree.add(topic, kept)
    return true
  }

  /** Finds the messages whose topics match this filter, one at a time. */
  *matching(filter: string): Generator<Message> {
    const now = Date.now()
    for (const message of this.#tree.matchingFilter(filter)) {
      if (!message.isExpired(now)) yield message
      else this.#remove(message.topic)
    }
  }

  /**
   * Assigns the first topic level of an opening session to its workspace. If another workspace had
   * the level before, that workspace no longer uses it: its messages are removed.
   */
  handOver({ topicPrefix, workspaceId }: Pick<Grant, 'topicPrefix' | 'workspaceId'>): void {
    const level = `${topicPrefix.split('/', 1)[0]}/`
    const before = this.#workspaces.get(level)
    if (before === workspaceId) return
    this.#workspaces.set(level, workspaceId)
    if (before === undefined) return
    for (const topic of this.#byTopic.keys()) if (topic.startsWith(level)) this.#remove(topic)
  }

  /** Removes all messages of this principal. */
  discard(principalId: string): void {
    for (const topic of this.#holdings.get(principalId)?.topics ?? []) this.#remove(topic)
  }

  #holdingsOf({ sender }: Message): Holdings | undefined {
    if (sender === undefined) return undefined
    const principalId = principalOf(sender)
    return this.#holdings.get(principalId) ?? { principalId, bytes: 0, topics: new Set() }
  }

  #remove(topic: string): void {
    const retained = this.#byTopic.get(topic)
    if (retained === undefined) return
    this.#byTopic.delete(topic)
    this.#tree.remove(topic, retained.message)
    const { owner, bytes, storedIn } = retained
    if (storedIn !== undefined) this.#durability.unretain(storedIn, topic)
    if (owner === undefined) return
    owner.topics.delete(topic)
    owner.bytes -= bytes
    if (owner.topics.size === 0) this.#holdings.delete(owner.principalId)
  }
}
