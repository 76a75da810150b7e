/**
 * The packets that a client sends, read and checked: MQTT 3.1, MQTT 3.1.1, and MQTT 5.0 section 3.
 * A packet that is returned is well-formed; any other throws a `PacketError`.
 */
import { isTopicFilter, isTopicName, readSubscription } from '../../topics.ts'
import { Message } from '../message.ts'
import { PACKET, type Qos } from './packet-types.ts'
import { type Properties, readProperties } from './properties.ts'
import { malformed, PacketError, protocolError, type Reader } from './reader.ts'

/** Fixed header flags of each type but PUBLISH; types that no client sends have none. */
const FLAGS: Readonly<Record<number, number>> = {
  [PACKET.connect]: 0,
  [PACKET.puback]: 0,
  [PACKET.pubrec]: 0,
  [PACKET.pubrel]: 2,
  [PACKET.pubcomp]: 0,
  [PACKET.subscribe]: 2,
  [PACKET.unsubscribe]: 2,
  [PACKET.pingreq]: 0,
  [PACKET.disconnect]: 0,
  [PACKET.auth]: 0,
}

/** Refuses first bytes that no client sends (2.1.3). */
export function checkFirstByte(first: number): void {
  const type = first >> 4
  if (type !== PACKET.publish && FLAGS[type] !== (first & 0x0f)) malformed('A first byte is wrong.')
}

export interface Will {
  message: Message
  /** Seconds. */
  delay: number
  /** Seconds from its publication on; undefined: it does not expire. */
  expiry: number | undefined
}

export interface ConnectPacket {
  protocolVersion: 3 | 4 | 5
  /** The flag of a mosquitto bridge: it gets RETAIN unchanged, and no messages of its own. */
  isBridge: boolean
  clean: boolean
  /** Seconds. */
  keepalive: number
  clientId: string
  username: string | undefined
  password: Buffer | undefined
  will: Will | undefined
  properties: Properties
}

const UNSUPPORTED_VERSION = 0x84
const NO_PROPERTIES: Properties = Object.freeze({})

const BRIDGE_BIT = 0x80

/** A CONNECT has a protocol version that this broker does not support. */
export class VersionError extends PacketError {
  constructor() {
    super(UNSUPPORTED_VERSION, 'The protocol version is not supported.')
  }
}

function readVersion(reader: Reader): { protocolVersion: 3 | 4 | 5; isBridge: boolean } {
  const name = reader.text()
  if (name !== 'MQTT' && name !== 'MQIsdp') malformed('The protocol is not MQTT.')
  const level = reader.byte()
  const version = level & ~BRIDGE_BIT
  const isKnown = name === 'MQIsdp' ? version === 3 : version === 4 || level === 5
  if (!isKnown) throw new VersionError()
  return { protocolVersion: version as 3 | 4 | 5, isBridge: level !== version }
}

/** Connect flags, 3.1.2.3. */
function readFlags(reader: Reader, protocolVersion: number) {
  const flags = reader.byte()
  if ((flags & 1) !== 0) malformed('The reserved flag is set.')
  const willQos = (flags >> 3) & 3
  const hasWill = (flags & 4) !== 0
  const hasName = (flags & 0x80) !== 0
  const hasPassword = (flags & 0x40) !== 0
  if (willQos === 3 || (!hasWill && (flags & 0x38) !== 0)) malformed('Will flags are wrong.')
  if (hasPassword && !hasName && protocolVersion < 5) malformed('A password without a user name.')
  return {
    clean: (flags & 2) !== 0,
    hasWill,
    willQos: willQos as Qos,
    willRetain: (flags & 0x20) !== 0,
    hasName,
    hasPassword,
  }
}

const propertiesIn5 = (
  reader: Reader,
  version: number,
  place: Parameters<typeof readProperties>[1],
): Properties => (version === 5 ? readProperties(reader, place) : NO_PROPERTIES)

function readWill(reader: Reader, version: number, qos: Qos, retain: boolean): Will {
  const properties = propertiesIn5(reader, version, 'will')
  const topic = reader.text()
  if (!isTopicName(topic)) malformed('The topic of a will is malformed.')
  const message = new Message(topic, reader.binary(), qos, retain)
  const { willDelay: delay = 0, messageExpiry: expiry, ...rest } = properties
  message.take(rest)
  return { message, delay, expiry }
}

/** U+FFFD is legal, but makes two names look alike in every list. */
function readName(reader: Reader): string {
  const name = reader.text()
  if (name.includes('\uFFFD')) malformed('A name contains U+FFFD.')
  return name
}

export function readConnect(reader: Reader): ConnectPacket {
  const { protocolVersion, isBridge } = readVersion(reader)
  const flags = readFlags(reader, protocolVersion)
  const keepalive = reader.twoBytes()
  const properties = propertiesIn5(reader, protocolVersion, 'connect')
  const { authenticationMethod, authenticationData } = properties
  if (authenticationData !== undefined && authenticationMethod === undefined) {
    protocolError('Authentication data belong to a method.')
  }
  const clientId = readName(reader)
  const will = flags.hasWill
    ? readWill(reader, protocolVersion, flags.willQos, flags.willRetain)
    : undefined
  const username = flags.hasName ? readName(reader) : undefined
  const password = flags.hasPassword ? reader.binary() : undefined
  if (!reader.isAtEnd) malformed('A CONNECT is too long.')
  const { clean } = flags
  return {
    protocolVersion,
    isBridge,
    clean,
    keepalive,
    clientId,
    username,
    password,
    will,
    properties,
  }
}

function readIdentifier(reader: Reader): number {
  const id = reader.twoBytes()
  // [MQTT-2.2.1-3]
  if (id === 0) protocolError('A packet identifier is 0.')
  return id
}

const TOPIC_NAME_INVALID = 0x90

/** The topic of the result is empty if the packet has an alias in its place. */
export function readPublish(reader: Reader, first: number, version: number): Message {
  const qos = (first >> 1) & 3
  if (qos === 3) malformed('A QoS is 3.')
  const dup = (first & 8) !== 0
  if (dup && qos === 0) malformed('DUP is set on QoS 0.')
  const topic = reader.text()
  const id = qos === 0 ? 0 : readIdentifier(reader)
  const properties = propertiesIn5(reader, version, 'publish')
  if (topic === '' ? properties.topicAlias === undefined : !isTopicName(topic)) {
    throw new PacketError(TOPIC_NAME_INVALID, 'A topic is malformed.')
  }
  const message = new Message(topic, reader.rest(), qos as Qos, (first & 1) !== 0)
  message.id = id
  message.dup = dup
  message.take(properties)
  return message
}

export interface Acknowledgement {
  id: number
  reasonCode: number
}

const acknowledgement: Acknowledgement = { id: 0, reasonCode: 0 }

/** A PUBACK, PUBREC, PUBREL or PUBCOMP. The result is overwritten by the next call. */
export function readAcknowledgement(reader: Reader, version: number): Acknowledgement {
  acknowledgement.id = readIdentifier(reader)
  acknowledgement.reasonCode = 0
  if (version === 5 && !reader.isAtEnd) {
    acknowledgement.reasonCode = reader.byte()
    if (!reader.isAtEnd) readProperties(reader, 'acknowledgement')
  }
  if (!reader.isAtEnd) malformed('An acknowledgement is too long.')
  return acknowledgement
}

export interface RequestedFilter {
  /** The filter of the SUBSCRIBE, with `$share` and the group. */
  topic: string
  qos: Qos
  noLocal: boolean
  retainAsPublished: boolean
  /** 0: retained messages are sent; 1: only if the subscription is new; 2: they are not. */
  retainHandling: 0 | 1 | 2
}

export interface SubscribePacket {
  id: number
  subscriptionIdentifier: number | undefined
  filters: RequestedFilter[]
}

const FILTER_INVALID = 0x8f

function readFilter(reader: Reader): string {
  const filter = reader.text()
  if (!isTopicFilter(filter)) throw new PacketError(FILTER_INVALID, 'A filter is malformed.')
  return filter
}

function readRequestedFilter(reader: Reader, version: number): RequestedFilter {
  const topic = readFilter(reader)
  const options = reader.byte()
  const qos = options & 3
  const retainHandling = (options >> 4) & 3
  if (qos === 3 || retainHandling === 3 || (options & (version === 5 ? 0xc0 : 0xfc)) !== 0) {
    malformed('Subscription options are wrong.')
  }
  const noLocal = (options & 4) !== 0
  if (topic.startsWith('$share')) {
    const requested = readSubscription(topic)
    if (requested === undefined) throw new PacketError(FILTER_INVALID, 'A share is malformed.')
    // [MQTT-3.8.3-4]
    if (noLocal && requested.group !== undefined)
      protocolError('No Local on a shared subscription.')
  }
  return {
    topic,
    qos: qos as Qos,
    noLocal,
    retainAsPublished: (options & 8) !== 0,
    retainHandling: retainHandling as 0 | 1 | 2,
  }
}

export function readSubscribe(reader: Reader, version: number): SubscribePacket {
  const id = readIdentifier(reader)
  const { subscriptionIdentifier } = propertiesIn5(reader, version, 'subscribe')
  const filters: RequestedFilter[] = []
  while (!reader.isAtEnd) filters.push(readRequestedFilter(reader, version))
  if (filters.length === 0) protocolError('A SUBSCRIBE has no filter.')
  return { id, subscriptionIdentifier, filters }
}

export interface UnsubscribePacket {
  id: number
  filters: string[]
}

export function readUnsubscribe(reader: Reader, version: number): UnsubscribePacket {
  const id = readIdentifier(reader)
  propertiesIn5(reader, version, 'unsubscribe')
  const filters: string[] = []
  while (!reader.isAtEnd) filters.push(readFilter(reader))
  if (filters.length === 0) protocolError('An UNSUBSCRIBE has no filter.')
  return { id, filters }
}

export interface DisconnectPacket {
  reasonCode: number
  /** Seconds; undefined: the value of the CONNECT stays. */
  sessionExpiry: number | undefined
}

export function readDisconnect(reader: Reader, version: number): DisconnectPacket {
  let reasonCode = 0
  let properties = NO_PROPERTIES
  if (version === 5 && !reader.isAtEnd) {
    reasonCode = reader.byte()
    if (!reader.isAtEnd) properties = readProperties(reader, 'disconnect')
  }
  if (!reader.isAtEnd) malformed('A DISCONNECT is too long.')
  return { reasonCode, sessionExpiry: properties.sessionExpiry }
}
