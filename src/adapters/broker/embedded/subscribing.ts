/** Subscriptions of clients. */
import type { BrokerAuthority } from '../port.ts'
import { maySubscribe, readSubscription } from '../topics.ts'
import type { Client, MqttSession, Subscription } from './client.ts'
import type { KeptSubscription } from '../store-port.ts'
import type { Deliveries } from './delivery.ts'
import type { Durability } from './durability.ts'
import type { EmbeddedBrokerLimits } from './limits.ts'
import type { ShareGroup } from './outgoing-queue.ts'
import { QUOTA_EXCEEDED } from './reason-codes.ts'
import type { Router } from './router.ts'
import { PACKET } from './codec/packet-types.ts'
import type { RequestedFilter, SubscribePacket, UnsubscribePacket } from './codec/packets.ts'
import { PacketError } from './codec/reader.ts'
import { responsePacket } from './codec/writer.ts'

export interface SubscribingParts {
  limits: EmbeddedBrokerLimits
  router: Router
  deliveries: Deliveries
  durability: Durability
  notify: (call: (authority: BrokerAuthority) => void) => void
}

/** A packet may name so many times the filters of a session; surplus ones are refused singly. */
const FILTERS_FACTOR = 10

const NOT_AUTHORIZED = 0x87
const FILTER_INVALID = 0x8f
const NO_SUBSCRIPTION = 0x11
/** The only refusal before MQTT 5. */
const FAILURE = 0x80

export class Subscribing {
  #parts: SubscribingParts

  constructor(parts: SubscribingParts) {
    this.#parts = parts
  }

  #checkFilters(client: Client, type: number, filters: readonly string[]): void {
    const { limits } = this.#parts
    const weight = client.note(type, 0, filters.length)
    if (weight > FILTERS_FACTOR * limits.subscriptionsPerSession) {
      throw new PacketError(QUOTA_EXCEEDED, 'A packet names too many filters.')
    }
    if (filters.some((filter) => filter.split('/').length > limits.topicLevels)) {
      throw new PacketError(FILTER_INVALID, 'A filter has too many levels.')
    }
  }

  take(client: Client, session: MqttSession, packet: SubscribePacket): void {
    this.#checkFilters(
      client,
      PACKET.subscribe,
      packet.filters.map(({ topic }) => topic),
    )
    const { durability } = this.#parts
    const { writes } = durability
    const granted: { subscription: Subscription; isShown: boolean }[] = []
    const codes = packet.filters.map((wanted) => {
      const refusal = this.#refusalOf(session, wanted.topic)
      if (refusal !== undefined) {
        this.#drop(session, wanted.topic)
        const { info } = session
        this.#parts.notify((authority) => authority.denied?.(info, 'subscribe', wanted.topic))
        return client.isVersion5 ? refusal : FAILURE
      }
      granted.push(this.#grant(client, session, wanted, packet.subscriptionIdentifier))
      return wanted.qos
    })
    durability.save(session)
    const suback = responsePacket(PACKET.suback, client.protocolVersion, packet.id, codes)
    durability.answer(client, suback, writes)
    for (const { subscription, isShown } of granted) {
      if (isShown) this.#parts.deliveries.sendRetained(client, subscription)
    }
    const filters = granted.map(({ subscription }) => subscription.topic)
    if (filters.length > 0)
      this.#parts.notify((authority) => authority.subscribed(session.info, filters))
  }

  #refusalOf({ subscriptions, rules }: MqttSession, topic: string): number | undefined {
    const held = subscriptions?.size ?? 0
    const isNew = subscriptions?.has(topic) !== true
    if (isNew && held >= this.#parts.limits.subscriptionsPerSession) return QUOTA_EXCEEDED
    return maySubscribe(rules, topic) ? undefined : NOT_AUTHORIZED
  }

  #grant(
    { isBridge }: Client,
    session: MqttSession,
    wanted: RequestedFilter,
    identifier: number | undefined,
  ): { subscription: Subscription; isShown: boolean } {
    const { topic, qos, noLocal, retainAsPublished, retainHandling } = wanted
    const isNew = !this.#drop(session, topic)
    const subscription: Subscription = {
      session,
      topic,
      qos,
      noLocal: noLocal || isBridge,
      retainAsPublished: retainAsPublished || isBridge,
      identifier,
    }
    const group = this.#add(subscription)
    const isWanted = retainHandling === 0 || (retainHandling === 1 && isNew)
    return { subscription, isShown: isWanted && group === undefined }
  }

  /** @returns the group of a shared subscription; undefined: it is not shared */
  #add(subscription: Subscription): string | undefined {
    const { session, topic } = subscription
    session.subscriptions ??= new Map()
    session.subscriptions.set(topic, subscription)
    const { group, filter } = readSubscription(topic) ?? { group: undefined, filter: topic }
    this.#parts.router.add(subscription, filter, group)
    return group
  }

  /** A subscription that an earlier process has stored. */
  restore(session: MqttSession, { topic, qos, ...options }: KeptSubscription): void {
    const { noLocal = false, retainAsPublished = false, identifier } = options
    this.#add({ session, topic, qos, noLocal, retainAsPublished, identifier })
  }

  /** The shared subscription that a stored message came through. */
  shareOf(session: MqttSession, topic: string): ShareGroup | undefined {
    return this.#parts.router.shareOf({ session, topic })
  }

  /** @returns whether there was such a subscription */
  #drop(session: MqttSession, topic: string): boolean {
    const subscription = session.subscriptions?.get(topic)
    if (subscription === undefined) return false
    session.subscriptions?.delete(topic)
    const { group, filter } = readSubscription(topic) ?? { group: undefined, filter: topic }
    this.#parts.router.remove(subscription, filter, group)
    return true
  }

  drop(client: Client, session: MqttSession, { id, filters }: UnsubscribePacket): void {
    this.#checkFilters(client, PACKET.unsubscribe, filters)
    const { durability } = this.#parts
    const { writes } = durability
    const codes = filters.map((filter) => (this.#drop(session, filter) ? 0 : NO_SUBSCRIPTION))
    durability.save(session)
    const unsuback = responsePacket(PACKET.unsuback, client.protocolVersion, id, codes)
    durability.answer(client, unsuback, writes)
  }

  /** Drops all subscriptions of a session that ended. */
  dropAll(session: MqttSession): void {
    for (const topic of session.subscriptions?.keys() ?? []) this.#drop(session, topic)
    session.subscriptions = undefined
  }
}
