/** The receivers of a message: subscriptions, shared ones, and overlaps (MQTT 5.0, 3.3.4, 4.8). */
import type { MqttSession, Subscription } from './client.ts'
import { workspaceOf } from './client-id.ts'
import type { Message } from './message.ts'
import type { ShareGroup } from './outgoing-queue.ts'
import { TopicTree } from './topic-tree.ts'
import type { Qos } from './codec/packet-types.ts'

/** The delivery of one message to one session. */
export interface Delivery {
  session: MqttSession
  qos: Qos
  retain: boolean
  identifiers: readonly number[] | undefined
  group: ShareGroup | undefined
  /** The shared subscription that is delivering it: another of its members may take it. */
  share?: { isOverLimit: boolean }
}

/** Hands a message to a session. @returns false if it could not take it */
export type Deliver = (message: Message, delivery: Delivery) => boolean

const lower = (one: Qos, other: Qos): Qos => (one < other ? one : other)

const identifiersOf = ({ identifier }: Subscription): readonly number[] | undefined =>
  identifier === undefined ? undefined : [identifier]

/** The members of one shared subscription; each message goes to one of them, in turns. */
class Share implements ShareGroup {
  readonly topic: string
  readonly members: Subscription[] = []
  #next = 0
  /** Whether a limit has kept a member from taking the present message. */
  isOverLimit = false
  #deliver: Deliver
  #onLost: () => void

  constructor(topic: string, deliver: Deliver, onLost: () => void) {
    this.topic = topic
    this.#deliver = deliver
    this.#onLost = onLost
  }

  redeliver(message: Message): void {
    this.route(message)
  }

  /** Connected clients come first, then stored sessions that can keep the message. */
  route(message: Message): void {
    this.isOverLimit = false
    const isTaken =
      this.#give(message, ({ client }) => client?.hasRoom === true) ||
      this.#give(message, ({ client }) => client !== undefined) ||
      this.#give(message, ({ client }) => client === undefined)
    if (!isTaken && this.isOverLimit) this.#onLost()
  }

  #give(message: Message, isWanted: (session: MqttSession) => boolean): boolean {
    const { members } = this
    for (let tries = 0; tries < members.length; tries += 1) {
      this.#next = (this.#next + 1) % members.length
      const member = members[this.#next]
      if (member === undefined || !isWanted(member.session)) continue
      const { session, retainAsPublished } = member
      const qos = lower(member.qos, message.qos)
      if (qos === 0 && session.client === undefined) continue
      const retain = retainAsPublished && message.retain
      const group = qos === 0 ? undefined : this
      const identifiers = identifiersOf(member)
      const delivery = { session, qos, retain, identifiers, group, share: this }
      if (this.#deliver(message, delivery)) return true
    }
    return false
  }
}

type Filed = Subscription | Share

export class Router {
  #tree = new TopicTree<Filed>()
  /** By workspace, group and filter. */
  #shares = new Map<string, Share>()
  #mark = 0
  #deliver: Deliver
  #onLost: () => void

  /** @param onLost called if limits keep a message from all members of a shared subscription */
  constructor(deliver: Deliver, onLost: () => void) {
    this.#deliver = deliver
    this.#onLost = onLost
  }

  /**
   * @param filter the subscription's filter, without `$share` and its group
   * @param group undefined: it is not shared
   */
  add(subscription: Subscription, filter: string, group: string | undefined): void {
    if (group === undefined) return this.#tree.add(filter, subscription)
    const key = shareKey(subscription)
    let share = this.#shares.get(key)
    if (share === undefined) {
      share = new Share(subscription.topic, this.#deliver, this.#onLost)
      this.#shares.set(key, share)
      this.#tree.add(filter, share)
    }
    share.members.push(subscription)
  }

  /** The shared subscription of the session's workspace that has this topic, with `$share`. */
  shareOf(subscription: Pick<Subscription, 'session' | 'topic'>): ShareGroup | undefined {
    return this.#shares.get(shareKey(subscription))
  }

  remove(subscription: Subscription, filter: string, group: string | undefined): void {
    if (group === undefined) return this.#tree.remove(filter, subscription)
    const key = shareKey(subscription)
    const share = this.#shares.get(key)
    const index = share?.members.indexOf(subscription) ?? -1
    if (share === undefined || index === -1) return
    share.members.splice(index, 1)
    if (share.members.length > 0) return
    this.#shares.delete(key)
    this.#tree.remove(filter, share)
  }

  /**
   * Hands the message to everyone who subscribed to its topic. A session gets one copy, with the
   * highest QoS of its subscriptions and the identifiers of all ([MQTT-3.3.4-2] to [MQTT-3.3.4-5]).
   */
  route(message: Message): void {
    const found = this.#tree.matchingTopic(message.topic)
    if (found.length === 0) return
    const deliveries: Delivery[] = []
    this.#mark += 1
    for (const filed of found) {
      if (filed instanceof Share) continue
      this.#collect(filed, message, deliveries)
    }
    // A delivery may end a session and publish its will, so the list is complete before the first.
    for (const delivery of deliveries) this.#deliver(message, delivery)
    for (const filed of found) if (filed instanceof Share) filed.route(message)
  }

  #collect(subscription: Subscription, message: Message, deliveries: Delivery[]): void {
    const { session, noLocal, retainAsPublished } = subscription
    if (noLocal && message.sender === session.name) return
    const qos = lower(subscription.qos, message.qos)
    const retain = retainAsPublished && message.retain
    const identifiers = identifiersOf(subscription)
    const other = session.mark === this.#mark ? deliveries[session.place] : undefined
    if (other === undefined) {
      session.mark = this.#mark
      session.place = deliveries.length
      deliveries.push({ session, qos, retain, identifiers, group: undefined })
      return
    }
    if (qos > other.qos) other.qos = qos
    other.retain ||= retain
    if (identifiers !== undefined)
      other.identifiers = [...(other.identifiers ?? []), ...identifiers]
  }
}

/** Contains the workspace, since two workspaces may have groups of the same name. */
const shareKey = ({ session, topic }: Pick<Subscription, 'session' | 'topic'>): string =>
  `${workspaceOf(session.name)}/${topic}`
