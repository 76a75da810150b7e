/** Retained messages, in memory, with a bound on what each principal may leave behind. */
import type { AedesPublishPacket } from 'aedes'
import type { Grant } from '../port.ts'
import { principalOf } from './client-id.ts'
import type { EmbeddedBrokerLimits } from './limits.ts'
import { ownedPayload } from './payload.ts'
import { TopicTree } from './topic-tree.ts'

interface Retained {
  packet: AedesPublishPacket
  bytes: number
  /** Whose message it is; undefined for the service's own. */
  owner: Holdings | undefined
}

interface Holdings {
  principalId: string
  bytes: number
  topics: Set<string>
}

export class RetainedMessages {
  #tree = new TopicTree<AedesPublishPacket>()
  #byTopic = new Map<string, Retained>()
  #holdings = new Map<string, Holdings>()
  /** Whose each first level of topics is, as far as its sessions have been seen. */
  #workspaces = new Map<string, string>()
  #limits: EmbeddedBrokerLimits

  constructor(limits: EmbeddedBrokerLimits) {
    this.#limits = limits
  }

  /** Keeps the message in place of the topic's earlier one; an empty payload removes it. */
  store(packet: AedesPublishPacket): void {
    const payload = ownedPayload(packet.payload)
    const { topic } = packet
    if (payload.length === 0) return this.#remove(topic)
    const bytes = payload.length + Buffer.byteLength(topic)
    const owner = this.#holdingsOf(packet)
    this.#remove(topic)
    if (owner !== undefined) {
      const full =
        owner.topics.size >= this.#limits.retainedMessagesPerPrincipal ||
        owner.bytes + bytes > this.#limits.retainedBytesPerPrincipal
      if (full) return
      owner.topics.add(topic)
      owner.bytes += bytes
      this.#holdings.set(owner.principalId, owner)
    }
    const kept = { ...packet, payload }
    this.#byTopic.set(topic, { packet: kept, bytes, owner })
    this.#tree.add(topic, kept)
  }

  /** The messages on topics that any of these filters matches. */
  *matching(filters: readonly string[]): Generator<AedesPublishPacket> {
    for (const filter of filters) yield* this.#tree.matchingFilter(filter)
  }

  /**
   * A session of a workspace opens. If its first level of topics was that of another workspace,
   * which is gone then, what that has left there is not for this one.
   */
  handOver({ topicPrefix, workspaceId }: Pick<Grant, 'topicPrefix' | 'workspaceId'>): void {
    const level = `${topicPrefix.split('/', 1)[0]}/`
    const before = this.#workspaces.get(level)
    if (before === workspaceId) return
    this.#workspaces.set(level, workspaceId)
    if (before === undefined) return
    for (const topic of this.#byTopic.keys()) if (topic.startsWith(level)) this.#remove(topic)
  }

  /** Removes every message that this principal left. */
  discard(principalId: string): void {
    for (const topic of this.#holdings.get(principalId)?.topics ?? []) this.#remove(topic)
  }

  #holdingsOf(packet: AedesPublishPacket & { clientId?: string }): Holdings | undefined {
    if (packet.clientId === undefined) return undefined
    const principalId = principalOf(packet.clientId)
    return this.#holdings.get(principalId) ?? { principalId, bytes: 0, topics: new Set() }
  }

  #remove(topic: string): void {
    const retained = this.#byTopic.get(topic)
    if (retained === undefined) return
    this.#byTopic.delete(topic)
    this.#tree.remove(topic, retained.packet)
    const { owner, bytes } = retained
    if (owner === undefined) return
    owner.topics.delete(topic)
    owner.bytes -= bytes
    if (owner.topics.size === 0) this.#holdings.delete(owner.principalId)
  }
}
