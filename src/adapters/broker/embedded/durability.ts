/**
 * Stores the state of the engine, and delays packets until it is stored: no packet that promises to
 * keep a message is sent before the message is committed. Without a store all state is in memory
 * only, and no packet waits.
 */
import type { BrokerStore, KeptMessage, KeptWill } from '../store-port.ts'
import type { Client, MqttSession } from './client.ts'
import { principalOf, workspaceOf } from './client-id.ts'
import { PAUSE } from './link.ts'
import { Message } from './message.ts'
import type { Outgoing } from './outgoing-queue.ts'
import type { Will } from './codec/packets.ts'

const keptMessage = (message: Message): KeptMessage => ({
  topic: message.topic,
  payload: message.payload,
  qos: message.qos,
  properties: message.forwarded,
  expiresAt: message.expiresAt,
})

/** The stored form of a message that was replaced by a PUBREL. */
const RELEASED = {
  topic: '',
  payload: Buffer.alloc(0),
  properties: Buffer.alloc(0),
  expiresAt: 0,
}

export function messageOf(kept: KeptMessage, retain: boolean): Message {
  const message = new Message(kept.topic, kept.payload, kept.qos, retain)
  message.forwarded = kept.properties
  message.expiresAt = kept.expiresAt
  return message
}

const keptWill = ({ message, delay, expiry }: Will): KeptWill => ({
  ...keptMessage(message),
  retain: message.retain,
  responseTopic: message.responseTopic,
  delay,
  expiry,
})

/** See `StoreNotes`. */
type NumberedChange = 'release' | 'unqueue' | 'receive' | 'unreceive'

export class Durability {
  readonly #store: BrokerStore | undefined
  /** Clients from which nothing is read until the store has room for changes. */
  readonly #waiting = new Set<Client>()
  /** Whether another process has taken the store: changes of this process are not stored. */
  isLost = false

  constructor(store: BrokerStore | undefined) {
    this.#store = store
  }

  /** The number of changes so far. If a later value is greater, changes have to be stored. */
  get writes(): number {
    return this.#store?.writes ?? 0
  }

  /**
   * Stores the session of a client that has just connected, if it outlasts its connection and its
   * workspace stores sessions; otherwise stops storing it.
   * @param whenKept called once a queued message is committed that could not be sent before
   */
  adopt(session: MqttSession, whenKept: () => void): void {
    const { workspaceId } = session.info.grant
    const isKept = session.expirySeconds > 0 && this.#store?.keeps(workspaceId) === true
    if (isKept && session.key === undefined) {
      // A queue with more messages than packet identifiers is stored at a later CONNECT.
      if (session.queue?.isStorable !== false) this.#begin(session, workspaceId, whenKept)
    } else if (!isKept && session.key !== undefined) this.#stopStoring(session)
    else this.save(session)
  }

  #begin(session: MqttSession, workspaceId: string, whenKept: () => void): void {
    const id = this.#store?.newId()
    if (id === undefined) return
    const key = { workspaceId, id }
    session.key = key
    this.save(session)
    for (const packetId of session.received ?? []) this.#store?.note().receive(key, packetId)
    for (const outgoing of session.queue?.store(this.onGone(session)) ?? [])
      this.queue(session, outgoing, whenKept)
  }

  #stopStoring(session: MqttSession): void {
    this.drop(session)
    session.key = undefined
    session.queue?.keepInMemory()
  }

  /** @returns the function that a stored queue calls for each message that has left it */
  onGone(session: MqttSession): (outgoing: Outgoing) => void {
    return ({ seq }) => this.note(session, 'unqueue', seq)
  }

  /** Calls `run` once all changes so far are committed. */
  after(run: () => void): void {
    if (this.#store === undefined) run()
    else this.#store.after(run)
  }

  /**
   * Answers a packet once its changes are committed. Answers are sent in the order of their packets
   * ([MQTT-4.6.0-2] to [MQTT-4.6.0-4]).
   * @param writes the value of `writes` before the packet was handled
   */
  answer(client: Client, bytes: Buffer, writes: number): void {
    if (client.unanswered === 0 && this.writes === writes) return client.send(bytes)
    client.unanswered += 1
    this.after(() => {
      client.unanswered -= 1
      client.send(bytes)
    })
  }

  /** Stops reading from a client while the store has too many changes to write. */
  throttle(client: Client): void {
    if (this.#store?.isFull !== true || client.isEnding) return
    this.#waiting.add(client)
    client.pause(PAUSE.storing)
  }

  drained(): void {
    if (this.#waiting.size === 0 || this.#store?.isFull === true) return
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const client of waiting) client.resume(PAUSE.storing)
  }

  /** Stores the state of a session, without its queue. */
  save(session: MqttSession): void {
    const { key, name, info, subscriptions, will, leftAt } = session
    if (key === undefined) return
    this.#store?.note().save({
      ...key,
      principalId: principalOf(name),
      clientId: info.clientId,
      credentialVersion: info.grant.credentialVersion,
      protocolVersion: info.protocolVersion,
      incarnation: info.incarnation,
      expirySeconds: session.expirySeconds,
      subscriptions: [...(subscriptions?.values() ?? [])].map(
        ({ session: _session, ...kept }) => kept,
      ),
      will: will && keptWill(will),
      awayAt: leftAt,
      unsentFrom: leftAt === 0 ? 0 : (session.queue?.unsentFrom ?? 1),
    })
  }

  drop({ key }: MqttSession): void {
    if (key !== undefined) this.#store?.note().drop(key)
  }

  /** @param whenKept called once it is committed */
  queue({ key }: MqttSession, outgoing: Outgoing, whenKept: () => void): void {
    const { message, qos, retain, identifiers, group, seq, id, isReleased } = outgoing
    if (key === undefined) return
    const share = group?.topic
    const kept = { qos, seq, packetId: id, retain, identifiers, share, isReleased }
    this.#store?.note().queue(key, { ...(message ? keptMessage(message) : RELEASED), ...kept })
    // If it were sent before the commit, it would be sent again after a crash, with another id.
    outgoing.isHeld = qos === 2
    if (outgoing.isHeld) {
      this.after(() => {
        outgoing.isHeld = false
        whenKept()
      })
    }
  }

  /** @param number of a queued message, or the packet identifier of a received one */
  note({ key }: MqttSession, change: NumberedChange, number: number): void {
    if (key !== undefined) this.#store?.note()[change](key, number)
  }

  /** @returns the workspace that the message is stored for; undefined: it is not stored */
  retain(message: Message): string | undefined {
    const { sender } = message
    const workspaceId = sender === undefined ? message.workspaceId : workspaceOf(sender)
    if (workspaceId === undefined || this.#store?.keeps(workspaceId) !== true) return undefined
    const principalId = sender === undefined ? undefined : principalOf(sender)
    this.#store.note().retain({ ...keptMessage(message), workspaceId, principalId })
    return workspaceId
  }

  unretain(workspaceId: string, topic: string): void {
    this.#store?.note().unretain(workspaceId, topic)
  }
}
