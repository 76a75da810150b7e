/**
 * The packets that refuse a CONNECT or a message, as bytes: aedes can't say 0x89 and 0x8A in a
 * CONNACK, knows one reason alone for messages, and gives no reason in words.
 */
import type { Explanation } from '../traffic-meter.ts'
import { type BrokerRefusal, CONNACK_CODES } from './reason-codes.ts'

/** First bytes of MQTT 5.0 sections 3.2, 3.4 and 3.5. */
const CONNACK = 0x20
const PUBACK = 0x40
const PUBREC = 0x50

/** Properties of MQTT 5.0, section 2.2.2.2. */
const REASON_STRING = 0x1f
const USER_PROPERTY = 0x26

/** What a client of MQTT 5 has said in its CONNECT about what it wants to be told. */
export interface Wishes {
  requestProblemInformation?: boolean | undefined
  /** Bytes; undefined: any size. */
  maximumPacketSize?: number | undefined
}

/** A variable byte integer, MQTT 5.0 section 1.5.5. */
function sizeOf(length: number): number[] {
  const bytes: number[] = []
  let rest = length
  do {
    bytes.push((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0))
    rest >>= 7
  } while (rest > 0)
  return bytes
}

/** A UTF-8 string, section 1.5.4. */
function textOf(text: string): Buffer {
  const bytes = Buffer.from(text)
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes])
}

const propertiesOf = ({ message, facts }: Explanation): Buffer =>
  Buffer.concat([
    Buffer.from([REASON_STRING]),
    textOf(message),
    ...Object.entries(facts).flatMap(([name, value]) => [
      Buffer.from([USER_PROPERTY]),
      textOf(name),
      textOf(value),
    ]),
  ])

/** An explanation is left out where the client wants none, or takes no packet of that size. */
function packetOf(
  type: number,
  head: readonly number[],
  explanation: Explanation | undefined,
  { requestProblemInformation, maximumPacketSize = Infinity }: Wishes,
): Buffer {
  const isWanted = explanation !== undefined && requestProblemInformation !== false
  const properties = isWanted ? propertiesOf(explanation) : Buffer.alloc(0)
  const body = [...head, ...sizeOf(properties.length)]
  const first = [type, ...sizeOf(body.length + properties.length), ...body]
  const packet = Buffer.concat([Buffer.from(first), properties])
  return isWanted && packet.length > maximumPacketSize
    ? packetOf(type, head, undefined, {})
    : packet
}

/** The CONNACK that refuses. */
export function refusalPacket(
  refusal: BrokerRefusal,
  protocolVersion: number,
  explanation?: Explanation,
  wishes: Wishes = {},
): Buffer {
  const { returnCode, reasonCode } = CONNACK_CODES[refusal]
  if (protocolVersion !== 5) return Buffer.from([CONNACK, 2, 0, returnCode])
  return packetOf(CONNACK, [0, reasonCode], explanation, wishes)
}

/** The PUBACK or PUBREC that refuses a message of QoS 1 or 2, to a client of MQTT 5. */
export function refusedMessagePacket(
  { qos, messageId = 0 }: { qos: number; messageId?: number | undefined },
  reasonCode: number,
  explanation: Explanation | undefined,
  wishes: Wishes,
): Buffer {
  const head = [messageId >> 8, messageId & 0xff, reasonCode]
  return packetOf(qos === 1 ? PUBACK : PUBREC, head, explanation, wishes)
}
