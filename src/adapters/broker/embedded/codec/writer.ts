/** The packets that the broker sends, as bytes (MQTT 5.0, section 3). */
import type { Explanation } from '../../traffic-meter.ts'
import { type BrokerRefusal, CONNACK_CODES } from '../reason-codes.ts'
import { PACKET } from './packet-types.ts'
import { PROPERTY } from './properties.ts'

/** Members of a CONNECT that limit a response: the size and the reasons that its client accepts. */
export interface Wishes {
  requestProblemInformation?: boolean | undefined
  /** Bytes; undefined: any size. */
  maximumPacketSize?: number | undefined
}

/** How many bytes a variable byte integer takes (1.5.5). */
export function variableSize(value: number): number {
  if (value < 0x80) return 1
  if (value < 0x40_00) return 2
  return value < 0x20_00_00 ? 3 : 4
}

/** Writes a variable byte integer. @returns the position after it */
export function writeVariable(bytes: Buffer, value: number, at: number): number {
  let rest = value
  let position = at
  while (rest > 0x7f) {
    bytes[position++] = (rest & 0x7f) | 0x80
    rest >>>= 7
  }
  bytes[position++] = rest
  return position
}

function packetOf(first: number, ...parts: readonly Buffer[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  const head = Buffer.alloc(1 + variableSize(length))
  head[0] = first
  writeVariable(head, length, 1)
  return Buffer.concat([head, ...parts])
}

function textOf(text: string): Buffer {
  const bytes = Buffer.from(text)
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes])
}

/** Properties with their length before them. */
function propertiesOf(...parts: readonly Buffer[]): Buffer {
  const all = Buffer.concat(parts)
  const head = Buffer.alloc(variableSize(all.length))
  writeVariable(head, all.length, 0)
  return Buffer.concat([head, all])
}

const twoBytes = (id: number, value: number): Buffer => Buffer.from([id, value >> 8, value & 0xff])

function fourBytes(id: number, value: number): Buffer {
  const bytes = Buffer.alloc(5)
  bytes[0] = id
  bytes.writeUInt32BE(value, 1)
  return bytes
}

const explained = ({ message, facts }: Explanation): Buffer[] => [
  Buffer.from([PROPERTY.reasonString]),
  textOf(message),
  ...Object.entries(facts).flatMap(([name, value]) => [
    Buffer.from([PROPERTY.user]),
    textOf(name),
    textOf(value),
  ]),
]

/** Leaves the explanation out if the client wants none, or accepts no packet of that size. */
function explainedPacket(
  first: number,
  head: readonly number[],
  explanation: Explanation | undefined,
  { requestProblemInformation, maximumPacketSize = Infinity }: Wishes,
): Buffer {
  const plain = packetOf(first, Buffer.from(head), propertiesOf())
  if (explanation === undefined || requestProblemInformation === false) return plain
  const packet = packetOf(first, Buffer.from(head), propertiesOf(...explained(explanation)))
  return packet.length > maximumPacketSize ? plain : packet
}

/** The properties that an accepted client of MQTT 5 receives; undefined is left out. */
export interface ConnackProperties {
  /** Seconds. */
  sessionExpiry: number | undefined
  /** Seconds. */
  serverKeepAlive: number | undefined
  receiveMaximum: number
  topicAliasMaximum: number
  /** Bytes. */
  maximumPacketSize: number
}

/** A CONNACK that accepts: fixed header; flags, code and length of properties; all properties. */
export const LONGEST_CONNACK_BYTES = 2 + 3 + 3 * 3 + 2 * 5

/** The CONNACK that accepts; `properties` for MQTT 5. */
export function connackPacket(
  sessionPresent: boolean,
  properties: ConnackProperties | undefined,
): Buffer {
  const flags = sessionPresent ? 1 : 0
  if (properties === undefined) return Buffer.from([PACKET.connack << 4, 2, flags, 0])
  const { sessionExpiry, serverKeepAlive } = properties
  const said = [
    twoBytes(PROPERTY.receiveMaximum, properties.receiveMaximum),
    fourBytes(PROPERTY.maximumPacketSize, properties.maximumPacketSize),
    twoBytes(PROPERTY.topicAliasMaximum, properties.topicAliasMaximum),
  ]
  if (sessionExpiry !== undefined) said.push(fourBytes(PROPERTY.sessionExpiry, sessionExpiry))
  if (serverKeepAlive !== undefined) said.push(twoBytes(PROPERTY.serverKeepAlive, serverKeepAlive))
  return packetOf(PACKET.connack << 4, Buffer.from([flags, 0]), propertiesOf(...said))
}

/** The CONNACK that refuses. */
export function refusalPacket(
  reason: BrokerRefusal,
  protocolVersion: number,
  explanation?: Explanation,
  wishes: Wishes = {},
): Buffer {
  const { returnCode, reasonCode } = CONNACK_CODES[reason]
  if (protocolVersion !== 5) return Buffer.from([PACKET.connack << 4, 2, 0, returnCode])
  return explainedPacket(PACKET.connack << 4, [0, reasonCode], explanation, wishes)
}

/** The CONNACK of MQTT 5 with a reason code that no `BrokerRefusal` stands for. */
export const failedConnackPacket = (reasonCode: number): Buffer =>
  Buffer.from([PACKET.connack << 4, 3, 0, reasonCode, 0])

/** "Unacceptable protocol version" of MQTT 3.1.1, 3.2.2.3. */
export const OLD_VERSION_CONNACK = Buffer.from([PACKET.connack << 4, 2, 0, 1])

/**
 * A PUBACK, PUBREC, PUBREL or PUBCOMP.
 * @param reasonCode of MQTT 5; 0 for earlier versions
 */
export function acknowledgementPacket(type: number, id: number, reasonCode = 0): Buffer {
  const bytes = Buffer.allocUnsafe(reasonCode === 0 ? 4 : 5)
  bytes[0] = (type << 4) | (type === PACKET.pubrel ? 2 : 0)
  bytes[1] = bytes.length - 2
  bytes[2] = id >> 8
  bytes[3] = id & 0xff
  if (reasonCode !== 0) bytes[4] = reasonCode
  return bytes
}

/** The PUBACK or PUBREC of MQTT 5 that refuses a message and says why in words. */
export const refusedMessagePacket = (
  type: number,
  id: number,
  reasonCode: number,
  explanation: Explanation,
  wishes: Wishes,
): Buffer => explainedPacket(type << 4, [id >> 8, id & 0xff, reasonCode], explanation, wishes)

/** A SUBACK or UNSUBACK; an UNSUBACK has no codes before MQTT 5. */
export function responsePacket(
  type: typeof PACKET.suback | typeof PACKET.unsuback,
  version: number,
  id: number,
  codes: readonly number[],
): Buffer {
  const head = Buffer.from([id >> 8, id & 0xff])
  if (version === 5) return packetOf(type << 4, head, propertiesOf(), Buffer.from(codes))
  return packetOf(type << 4, head, Buffer.from(type === PACKET.suback ? codes : []))
}

export const PINGRESP = Buffer.from([PACKET.pingresp << 4, 0])

/** The DISCONNECT of MQTT 5; earlier versions have none from a server. */
export function disconnectPacket(reasonCode: number, message: string, wishes: Wishes): Buffer {
  return explainedPacket(PACKET.disconnect << 4, [reasonCode], { message, facts: {} }, wishes)
}
