/** A message that a client or the service published, and the packets that subscribers get. */
import { PACKET, type Qos } from './codec/packet-types.ts'
import { type Properties, PROPERTY } from './codec/properties.ts'
import { variableSize, writeVariable } from './codec/writer.ts'

const NOTHING = Buffer.alloc(0)

/** Bytes that a view may keep in memory in addition to its own. */
const SPARE_BYTES = 512

/**
 * Copies bytes that are a small part of their memory. A parsed payload is a view of all input that
 * was read with it, up to 64 KiB: without a copy ten bytes would keep all of it in memory.
 */
function ownedBytes(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength <= 2 * bytes.length + SPARE_BYTES) return bytes
  const copy = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(copy)
  return copy
}

/** An encoded PUBLISH, without its packet identifier and DUP. */
export interface PublishBytes {
  bytes: Buffer
  /** The offset of the packet identifier; 0: there is none, since the QoS is 0. */
  idAt: number
}

/** The parts of a PUBLISH that differ from one receiver to another. */
export interface Wrapping {
  isVersion5: boolean
  qos: Qos
  retain: boolean
  /** Subscription identifiers; undefined: none. */
  identifiers: readonly number[] | undefined
  /** 0: none. */
  alias: number
  /** Whether the alias stands in place of the topic. */
  isTopicKnown: boolean
}

export class Message {
  topic: string
  payload: Buffer
  qos: Qos
  retain: boolean
  /** The packet identifier of the client's PUBLISH; 0: none. */
  id = 0
  dup = false
  topicAlias: number | undefined
  responseTopic: string | undefined
  /** The encoded properties that are forwarded to subscribers unchanged. */
  forwarded: Buffer = NOTHING
  /** Milliseconds since the Unix epoch; 0: never. */
  expiresAt = 0
  /** The name of the session that published it, see client-id.ts; undefined: the service. */
  sender: string | undefined
  /** The workspace of a message that the service itself published. */
  workspaceId: string | undefined
  /** Packets that receivers without their own properties share, by version, QoS and RETAIN. */
  #shared: (PublishBytes | undefined)[] | undefined

  constructor(topic: string, payload: Buffer, qos: Qos, retain: boolean) {
    this.topic = topic
    this.payload = payload
    this.qos = qos
    this.retain = retain
  }

  /** Applies the properties of its packet. */
  take(properties: Properties): void {
    const { messageExpiry, responseTopic, forwarded, topicAlias } = properties
    if (messageExpiry !== undefined) this.expireIn(messageExpiry)
    if (forwarded !== undefined) this.forwarded = forwarded
    this.responseTopic = responseTopic
    this.topicAlias = topicAlias
  }

  expireIn(seconds: number): void {
    this.expiresAt = Date.now() + seconds * 1000
  }

  isExpired(now: number): boolean {
    return this.expiresAt !== 0 && this.expiresAt <= now
  }

  /** Bytes that it takes up while it is kept. */
  get size(): number {
    return this.payload.length + this.forwarded.length
  }

  /** Copies its bytes out of the input, so that it can be kept. */
  own(): this {
    this.payload = ownedBytes(this.payload)
    this.forwarded = ownedBytes(this.forwarded)
    return this
  }

  /** Drops the packets that receivers shared. */
  dropBytes(): void {
    this.#shared = undefined
  }

  /** A copy with memory of its own, to be kept as the topic's retained message. */
  retained(): Message {
    const kept = new Message(this.topic, this.payload, this.qos, true)
    kept.forwarded = this.forwarded
    kept.responseTopic = this.responseTopic
    kept.expiresAt = this.expiresAt
    kept.sender = this.sender
    kept.workspaceId = this.workspaceId
    return kept.own()
  }

  /** Encodes the PUBLISH for a receiver; many receivers share the same bytes. */
  bytesFor(wrapping: Wrapping): PublishBytes {
    const { isVersion5, qos, retain, identifiers, alias } = wrapping
    if (alias !== 0 || identifiers !== undefined || this.expiresAt !== 0) {
      return this.#encode(wrapping)
    }
    const key = (isVersion5 ? 8 : 0) | (qos << 1) | (retain ? 1 : 0)
    this.#shared ??= []
    return (this.#shared[key] ??= this.#encode(wrapping))
  }

  #encode({ isVersion5, qos, retain, identifiers, alias, isTopicKnown }: Wrapping): PublishBytes {
    const topic = isTopicKnown ? '' : this.topic
    const { payload, forwarded } = this
    const topicBytes = Buffer.byteLength(topic)
    const expiry = isVersion5 && this.expiresAt !== 0 ? 5 : 0
    let properties = forwarded.length + expiry + (alias === 0 ? 0 : 3)
    for (const identifier of identifiers ?? []) properties += 1 + variableSize(identifier)
    const propertyBytes = isVersion5 ? variableSize(properties) + properties : 0
    const length = 2 + topicBytes + (qos === 0 ? 0 : 2) + propertyBytes + payload.length
    const bytes = Buffer.allocUnsafe(1 + variableSize(length) + length)
    bytes[0] = (PACKET.publish << 4) | (qos << 1) | (retain ? 1 : 0)
    let at = writeVariable(bytes, length, 1)
    at = bytes.writeUInt16BE(topicBytes, at)
    at += topicBytes === topic.length ? bytes.write(topic, at, 'latin1') : bytes.write(topic, at)
    const idAt = qos === 0 ? 0 : at
    if (qos > 0) at += 2
    if (isVersion5) {
      at = writeVariable(bytes, properties, at)
      if (expiry > 0) {
        bytes[at] = PROPERTY.messageExpiry
        at = bytes.writeUInt32BE(this.#secondsLeft(), at + 1)
      }
      for (const identifier of identifiers ?? []) {
        bytes[at] = PROPERTY.subscriptionIdentifier
        at = writeVariable(bytes, identifier, at + 1)
      }
      if (alias !== 0) {
        bytes[at] = PROPERTY.topicAlias
        at = bytes.writeUInt16BE(alias, at + 1)
      }
      at += forwarded.copy(bytes, at)
    }
    payload.copy(bytes, at)
    return { bytes, idAt }
  }

  /** The rest of the message's expiry (MQTT 5.0, 3.3.2.3.3), never less than a second. */
  #secondsLeft(): number {
    return Math.max(1, Math.ceil((this.expiresAt - Date.now()) / 1000))
  }
}

/** The PUBLISH with its identifier. */
export function withIdentifier({ bytes, idAt }: PublishBytes, id: number, dup: boolean): Buffer {
  const own = Buffer.allocUnsafe(bytes.length)
  bytes.copy(own)
  own[idAt] = id >> 8
  own[idAt + 1] = id & 0xff
  if (dup) own[0] = (own[0] as number) | 8
  return own
}
