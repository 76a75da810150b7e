/**
 * The connection of one client, and the state of its session, which may outlast it (MQTT 5.0, 4.1).
 */
import type { Session, Transport } from '../port.ts'
import type { SessionKey } from '../store-port.ts'
import { type CompiledRules, mayPublish, mayReceive } from '../topics.ts'
import { Link, type LinkHost } from './link.ts'
import { type Message, type PublishBytes, withIdentifier, type Wrapping } from './message.ts'
import type { Outgoing, OutgoingQueue } from './outgoing-queue.ts'
import { Pace } from './pace.ts'
import type { ByteStream } from './pending-connections.ts'
import { DISCONNECT_CODES, type EndReason, PROTOCOL_CODES } from './reason-codes.ts'
import type { Timed } from './wheel.ts'
import { PACKET, type Qos } from './codec/packet-types.ts'
import { checkFirstByte, type ConnectPacket, type Will } from './codec/packets.ts'
import { protocolError, type Reader } from './codec/reader.ts'
import { disconnectPacket, LONGEST_CONNACK_BYTES } from './codec/writer.ts'

/** The handler of the packets of all clients of a broker. */
export interface ClientHost extends LinkHost {
  packet(client: Client, first: number, reader: Reader): void
  /** Ends the connection because its client has violated the protocol or a limit. */
  broken(client: Client, reason: EndReason, reasonCode: number): void
  writable(client: Client): void
  closed(client: Client): void
}

/** The greatest Receive Maximum, which is also the number of packet identifiers. */
const MAX_IN_FLIGHT = 65_535
/** How many topics of a connection are replaced by an alias. */
const MAX_ALIASES = 32

/** Above this the queue waits for the socket, so that a backlog isn't encoded at once. */
const BUSY_BYTES = 262_144

const PACKET_TOO_LARGE = 0x95

/** How long a client may take to read its last packet before its socket is destroyed. */
const LAST_MS = 500

type Receipt = Pick<Wrapping, 'qos' | 'retain' | 'identifiers'>
type Aliased = Pick<Wrapping, 'isVersion5' | 'alias' | 'isTopicKnown'>

export class Client extends Link {
  readonly #owner: ClientHost
  protocolVersion: 3 | 4 | 5 = 4
  isBridge = false
  /** Undefined until the CONNECT is accepted. */
  session: MqttSession | undefined
  /** The reason for which the broker ends the session; undefined: it does not end it. */
  ending: EndReason | 'stopping' | undefined
  /** Whether a CONNECT came. */
  hasAsked = false
  /** How many of its packets are answered only after a commit. */
  unanswered = 0
  readonly #pace = new Pace()
  /** How many QoS 1 and 2 messages the client accepts before it acknowledges one. */
  receiveMaximum = MAX_IN_FLIGHT
  /** Bytes; 0: any size. */
  #maximumPacketSize = 0
  wantsReasons = true
  /** Topics by the alias that the client gave them. */
  aliases: Map<number, string> | undefined
  #aliasMaximum = 0
  #ownAliases: Map<string, number> | undefined
  /** A function for each subscription with unsent retained messages: a call sends the next one. */
  backlog: (() => boolean)[] | undefined
  #waiting: (() => void)[] | undefined

  constructor(stream: ByteStream, transport: Transport, owner: ClientHost) {
    super(stream, transport, owner)
    this.#owner = owner
  }

  get isVersion5(): boolean {
    return this.protocolVersion === 5
  }

  /** Applies the members of a CONNECT that concern the connection. */
  introduce({ protocolVersion, isBridge, properties }: ConnectPacket): void {
    this.protocolVersion = protocolVersion
    this.isBridge = isBridge
    this.receiveMaximum = properties.receiveMaximum ?? MAX_IN_FLIGHT
    this.#maximumPacketSize = properties.maximumPacketSize ?? 0
    this.wantsReasons = properties.requestProblemInformation ?? true
    this.#aliasMaximum = Math.min(properties.topicAliasMaximum ?? 0, MAX_ALIASES)
  }

  get wishes() {
    const { wantsReasons } = this
    const maximumPacketSize = this.#maximumPacketSize || undefined
    return { requestProblemInformation: wantsReasons, maximumPacketSize }
  }

  /** Accepts its CONNECT. From now on the client may send nothing for `silenceMs` at most. */
  accepted(session: MqttSession, silenceMs: number): void {
    this.session = session
    this.silenceMs = silenceMs
    this.endNever()
  }

  protected override get packetBytes(): number {
    const { connectPacketBytes, packetBytes } = this.host.limits
    return this.session === undefined ? Math.min(connectPacketBytes, packetBytes) : packetBytes
  }

  protected override begin(first: number): void {
    checkFirstByte(first)
    const isConnect = first >> 4 === PACKET.connect
    if (isConnect === this.hasAsked) protocolError('A CONNECT is the first packet, and no other.')
  }

  protected override packet(first: number, reader: Reader): void {
    this.#owner.packet(this, first, reader)
  }

  /** Counts a packet towards the client's rate. @returns its weight */
  note(type: number, qos?: number, parts?: number): number {
    return this.#pace.note(type, qos, parts)
  }

  protected override handled(): void {
    const debt = this.#pace.debtMs(this.host.limits.publishesPerSecond)
    if (debt > 0) this.paceFor(debt)
  }

  protected override fail(reasonCode: number): void {
    const reason = PROTOCOL_CODES[reasonCode] ?? 'malformed'
    this.#owner.broken(this, reason, reasonCode)
  }

  protected override timedOut(): void {
    this.stream.destroy()
  }

  protected override silent(): void {
    this.#owner.broken(this, 'keepalive_timeout', DISCONNECT_CODES.keepalive_timeout)
  }

  protected override tooSlow(): void {
    this.#owner.broken(this, 'too_slow', DISCONNECT_CODES.too_slow)
  }

  protected override writable(): void {
    this.#owner.writable(this)
  }

  protected override closed(): void {
    this.#owner.closed(this)
    for (const resolve of this.#waiting ?? []) resolve()
  }

  /** Resolves when the socket is closed. */
  whenClosed(): Promise<void> {
    if (this.isClosed) return Promise.resolve()
    return new Promise((resolve) => (this.#waiting ??= []).push(resolve))
  }

  /** Sends the client the reason of the end, where its version can, and closes the connection. */
  dismiss(reasonCode: number, message: string): void {
    const isNotified = this.isVersion5 && this.session !== undefined
    this.leave(isNotified ? disconnectPacket(reasonCode, message, this.wishes) : undefined)
  }

  /** Closes the connection after the output that is not sent yet. */
  leave(last?: Buffer): void {
    this.finish(last, LAST_MS)
  }

  /** Whether it could take a QoS 1 or 2 message now. */
  get hasRoom(): boolean {
    const queue = this.session?.queue
    if (this.unsent > BUSY_BYTES) return false
    return queue === undefined || (queue.waiting === 0 && queue.inFlight < this.receiveMaximum)
  }

  /** Whether its Maximum Packet Size admits the longest CONNACK, which contains our limits. */
  get takesConnack(): boolean {
    return this.#maximumPacketSize === 0 || this.#maximumPacketSize >= LONGEST_CONNACK_BYTES
  }

  /** Whether a packet exceeds the client's Maximum Packet Size ([MQTT-3.1.2-24]). */
  #isTooLarge(bytes: Buffer): boolean {
    return this.#maximumPacketSize !== 0 && bytes.length > this.#maximumPacketSize
  }

  /** A packet that is too large to send ends the session: the client waits for it. */
  override send(bytes: Buffer): void {
    if (this.#isTooLarge(bytes)) this.fail(PACKET_TOO_LARGE)
    else super.send(bytes)
  }

  override finish(last: Buffer | undefined, withinMs: number): void {
    super.finish(last === undefined || this.#isTooLarge(last) ? undefined : last, withinMs)
  }

  /** @returns undefined if its client does not take packets of that size */
  #encode(message: Message, receipt: Receipt): PublishBytes | undefined {
    const wrapping = this.#wrap(message.topic)
    const encoded = message.bytesFor({ ...wrapping, ...receipt })
    if (!this.#isTooLarge(encoded.bytes)) {
      this.#learned(message.topic, wrapping)
      return encoded
    }
    if (wrapping.alias === 0 || wrapping.isTopicKnown) return undefined
    // The packet is a few bytes shorter without the new alias.
    const plain = message.bytesFor({ ...wrapping, alias: 0, ...receipt })
    return this.#isTooLarge(plain.bytes) ? undefined : plain
  }

  /** @returns false if its client does not take packets of that size */
  publish(message: Message, { retain, identifiers }: Omit<Receipt, 'qos'>): boolean {
    const encoded = this.#encode(message, { qos: 0, retain, identifiers })
    if (encoded !== undefined) this.send(encoded.bytes)
    return encoded !== undefined
  }

  /** @returns false if its client does not take packets of that size */
  publishQueued(message: Message, outgoing: Outgoing, isRepeated: boolean): boolean {
    const { qos, retain, identifiers, id } = outgoing
    const encoded = this.#encode(message, { qos, retain, identifiers })
    if (encoded !== undefined) this.send(withIdentifier(encoded, id, isRepeated))
    return encoded !== undefined
  }

  /** The alias of a topic: one that the client knows, or a free one that it learns. */
  #wrap(topic: string): Aliased {
    const { isVersion5 } = this
    if (this.#aliasMaximum === 0) return { isVersion5, alias: 0, isTopicKnown: false }
    const known = this.#ownAliases?.get(topic)
    if (known !== undefined) return { isVersion5, alias: known, isTopicKnown: true }
    const used = this.#ownAliases?.size ?? 0
    return { isVersion5, alias: used < this.#aliasMaximum ? used + 1 : 0, isTopicKnown: false }
  }

  #learned(topic: string, { alias, isTopicKnown }: Aliased): void {
    if (alias === 0 || isTopicKnown) return
    this.#ownAliases ??= new Map()
    this.#ownAliases.set(topic, alias)
  }
}

export interface Subscription {
  session: MqttSession
  /** The filter of the SUBSCRIBE, with `$share` and the group. */
  topic: string
  qos: Qos
  noLocal: boolean
  retainAsPublished: boolean
  /** Undefined: it has none. */
  identifier: number | undefined
}

/** The state of one session, whether its client is connected or away. */
export class MqttSession implements Timed {
  /** See client-id.ts. */
  readonly name: string
  /** The live connection. */
  client: Client | undefined
  /** The key of the stored session; undefined: the session ends with the process. */
  key: SessionKey | undefined
  /** The facts that the service knows of its latest connection. */
  info: Session
  #rules: CompiledRules
  /** Seconds that it is kept after its connection has ended; 0: it ends with the connection. */
  expirySeconds = 0
  /** By the filter of the SUBSCRIBE, with `$share` and the group. */
  subscriptions: Map<string, Subscription> | undefined
  queue: OutgoingQueue | undefined
  /** The packet identifiers of its client's QoS 2 messages that wait for PUBREL. */
  received: Set<number> | undefined
  will: Will | undefined
  /** When its will is published and when it ends, while its client is away; 0: at no time. */
  willAt = 0
  endsAt = 0
  /** When its client left, in milliseconds since the Unix epoch; 0: the client is connected. */
  leftAt = 0
  /** The order in which clients left: a client that left later has a greater number. */
  awaySince = 0
  /** Whether it is discarded. */
  isOver = false
  slot = -1
  #isDue: (session: MqttSession) => void
  /** The topics that were allowed last: most sessions publish on one and receive on one. */
  #published: string | undefined
  #heard: string | undefined
  /** For the router: the number of the last matching message, and its place among the receivers. */
  mark = 0
  place = 0

  /** @param isDue is called when its will or its end is due */
  constructor(
    name: string,
    info: Session,
    rules: CompiledRules,
    isDue: (session: MqttSession) => void,
  ) {
    this.name = name
    this.info = info
    this.#rules = rules
    this.#isDue = isDue
  }

  /** The rights that its principal has now. */
  get rules(): CompiledRules {
    return this.#rules
  }

  set rules(rules: CompiledRules) {
    this.#rules = rules
    this.#published = undefined
    this.#heard = undefined
  }

  get dueAt(): number {
    if (this.willAt === 0 || this.endsAt === 0) return this.willAt + this.endsAt
    return Math.min(this.willAt, this.endsAt)
  }

  due(): void {
    this.#isDue(this)
  }

  /** Counts a message for the usage of its workspace. */
  count(payload: Buffer): void {
    const { meter } = this.info.grant
    if (meter === undefined) return
    meter.messages += 1
    meter.bytes += payload.length
  }

  /** Whether it may publish this, and name that topic for a response. */
  mayPublish(topic: string, responseTopic: string | undefined): boolean {
    if (topic !== this.#published) {
      if (!mayPublish(this.#rules, topic)) return false
      this.#published = topic
    }
    return responseTopic === undefined || mayReceive(this.#rules, responseTopic)
  }

  mayReceive(topic: string): boolean {
    if (topic === this.#heard) return true
    if (!mayReceive(this.#rules, topic)) return false
    this.#heard = topic
    return true
  }
}
