/**
 * MQTT packets as bytes, for the tests of conformance: packets of clients are built, and packets of
 * the broker are read strictly, by rules of our own. The codec of the broker is not used, so that
 * its mistakes are seen. Source: MQTT 5.0 and 3.1.1, chapters 2 and 3.
 */
import { packet, properties, text } from '../../raw-client.ts'

export type Version = 3 | 4 | 5

export const bytes = (...values: number[]): Buffer => Buffer.from(values)

const two = (value: number): Buffer => bytes(value >> 8, value & 0xff)

const four = (value: number): Buffer => {
  const buffer = Buffer.alloc(4)
  buffer.writeUInt32BE(value)
  return buffer
}

/** A variable byte integer (MQTT 5.0, 1.5.5). */
function variable(value: number): Buffer {
  const parts: number[] = []
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return bytes(...parts, rest)
    parts.push((rest % 128) | 128)
  }
}

type Kind = 'byte' | 'two' | 'four' | 'variable' | 'text' | 'binary' | 'pair'

/** Identifier and type of each property (MQTT 5.0, 2.2.2.2). */
const PROPERTIES = {
  payloadFormat: [0x01, 'byte'],
  messageExpiry: [0x02, 'four'],
  contentType: [0x03, 'text'],
  responseTopic: [0x08, 'text'],
  correlationData: [0x09, 'binary'],
  subscriptionIdentifier: [0x0b, 'variable'],
  sessionExpiry: [0x11, 'four'],
  assignedClientId: [0x12, 'text'],
  serverKeepAlive: [0x13, 'two'],
  authenticationMethod: [0x15, 'text'],
  authenticationData: [0x16, 'binary'],
  requestProblemInformation: [0x17, 'byte'],
  willDelay: [0x18, 'four'],
  requestResponseInformation: [0x19, 'byte'],
  responseInformation: [0x1a, 'text'],
  serverReference: [0x1c, 'text'],
  reasonString: [0x1f, 'text'],
  receiveMaximum: [0x21, 'two'],
  topicAliasMaximum: [0x22, 'two'],
  topicAlias: [0x23, 'two'],
  maximumQos: [0x24, 'byte'],
  retainAvailable: [0x25, 'byte'],
  userProperty: [0x26, 'pair'],
  maximumPacketSize: [0x27, 'four'],
  wildcardAvailable: [0x28, 'byte'],
  subscriptionIdentifiersAvailable: [0x29, 'byte'],
  sharedAvailable: [0x2a, 'byte'],
} as const satisfies Record<string, readonly [number, Kind]>

export type PropertyName = keyof typeof PROPERTIES
export type PropertyValue = number | string | Buffer | readonly [string, string]

function encode(kind: Kind, value: PropertyValue): Buffer {
  if (typeof value === 'number') {
    const encoders = { byte: bytes, two, four, variable }
    return encoders[kind as keyof typeof encoders](value)
  }
  return Array.isArray(value)
    ? Buffer.concat(value.map((each: string) => text(each)))
    : text(value as string | Buffer)
}

/** One property with its identifier. */
export function property(name: PropertyName, value: PropertyValue): Buffer {
  const [identifier, kind] = PROPERTIES[name]
  return Buffer.concat([bytes(identifier), encode(kind, value)])
}

export interface Publication {
  topic: string | Buffer
  payload?: string | Buffer
  qos?: number
  dup?: boolean
  retain?: boolean
  id?: number
  properties?: Buffer[]
}

export function publishPacket(version: Version, publication: Publication): Buffer {
  const { topic, payload = 'x', qos = 0, dup = false, retain = false, id = 1 } = publication
  return packet(
    0x30 | (dup ? 8 : 0) | (qos << 1) | (retain ? 1 : 0),
    text(topic),
    qos === 0 ? Buffer.alloc(0) : two(id),
    properties(version, ...(publication.properties ?? [])),
    Buffer.from(payload),
  )
}

/** A filter with its subscription options as a byte (MQTT 5.0, 3.8.3.1): the QoS, by default 1. */
export type Wanted = string | Buffer | readonly [filter: string | Buffer, options: number]

export function subscribePacket(
  version: Version,
  id: number,
  filters: readonly Wanted[],
  ...extra: Buffer[]
): Buffer {
  const pairs = filters.map((each): readonly [string | Buffer, number] =>
    typeof each === 'string' || Buffer.isBuffer(each) ? [each, 1] : each,
  )
  const body = pairs.flatMap(([filter, options]) => [text(filter), bytes(options)])
  return packet(0x82, two(id), properties(version, ...extra), ...body)
}

export function unsubscribePacket(
  version: Version,
  id: number,
  filters: readonly (string | Buffer)[],
): Buffer {
  return packet(0xa2, two(id), properties(version), ...filters.map((filter) => text(filter)))
}

const ACKNOWLEDGEMENTS = { PUBACK: 0x40, PUBREC: 0x50, PUBREL: 0x62, PUBCOMP: 0x70 } as const

/** A PUBACK, PUBREC, PUBREL or PUBCOMP; a code of its own needs MQTT 5. */
export function acknowledgePacket(
  name: keyof typeof ACKNOWLEDGEMENTS,
  id: number,
  code?: number,
): Buffer {
  return packet(ACKNOWLEDGEMENTS[name], two(id), code === undefined ? bytes() : bytes(code))
}

export const pingPacket = (): Buffer => packet(0xc0)

/** A DISCONNECT; without a code it is what earlier versions send. */
export function disconnectPacket(code?: number, ...extra: Buffer[]): Buffer {
  if (code === undefined) return packet(0xe0)
  return packet(0xe0, bytes(code), properties(5, ...extra))
}

const NAMES = [
  '',
  'CONNECT',
  'CONNACK',
  'PUBLISH',
  'PUBACK',
  'PUBREC',
  'PUBREL',
  'PUBCOMP',
  'SUBSCRIBE',
  'SUBACK',
  'UNSUBSCRIBE',
  'UNSUBACK',
  'PINGREQ',
  'PINGRESP',
  'DISCONNECT',
  'AUTH',
] as const

export type PacketName = Exclude<(typeof NAMES)[number], ''>

/** A packet of the broker; members that its type lacks have their defaults. */
export interface Received {
  name: PacketName
  /** The whole packet as it came. */
  bytes: Buffer
  /** The DUP flag of a PUBLISH. */
  dup: boolean
  qos: number
  retain: boolean
  topic: string
  payload: string
  id: number
  /** Return codes or reason codes; one, or of a SUBACK and an UNSUBACK one for each filter. */
  codes: number[]
  sessionPresent: boolean
  properties: { name: PropertyName; value: PropertyValue }[]
}

class Reader {
  #bytes: Buffer
  #at = 0

  constructor(body: Buffer) {
    this.#bytes = body
  }

  get left(): number {
    return this.#bytes.length - this.#at
  }

  take(length: number): Buffer {
    if (length > this.left) throw new Error('A field of the broker is longer than its packet.')
    this.#at += length
    return this.#bytes.subarray(this.#at - length, this.#at)
  }

  number(length: 1 | 2 | 4): number {
    return this.take(length).readUIntBE(0, length)
  }

  variable(): number {
    let value = 0
    for (let digit = 0; digit < 4; digit += 1) {
      const byte = this.number(1)
      value += (byte & 127) * 128 ** digit
      if (byte < 128) {
        if (byte === 0 && digit > 0) throw new Error('A length is not in its shortest form.')
        return value
      }
    }
    throw new Error('A length has more than four bytes.')
  }

  text(): string {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(this.binary())
  }

  binary(): Buffer {
    return this.take(this.number(2))
  }

  #value(kind: Kind): PropertyValue {
    if (kind === 'text') return this.text()
    if (kind === 'binary') return this.binary()
    if (kind === 'pair') return [this.text(), this.text()]
    if (kind === 'variable') return this.variable()
    return this.number(kind === 'byte' ? 1 : kind === 'two' ? 2 : 4)
  }

  properties(): Received['properties'] {
    const inner = new Reader(this.take(this.variable()))
    const found: Received['properties'] = []
    while (inner.left > 0) {
      const identifier = inner.variable()
      const entry = Object.entries(PROPERTIES).find(([, [each]]) => each === identifier)
      if (entry === undefined) throw new Error(`There is no property ${identifier}.`)
      found.push({ name: entry[0] as PropertyName, value: inner.#value(entry[1][1]) })
    }
    return found
  }
}

type Fields = (reader: Reader, version: Version, flags: number) => Partial<Received>

/** Properties, which earlier versions lack. */
const propertiesOf = (reader: Reader, version: Version): Received['properties'] =>
  version === 5 ? reader.properties() : []

/** Code and properties of MQTT 5 may be left out at the end of an acknowledgement. */
function ending(reader: Reader, version: Version): Partial<Received> {
  if (version !== 5 || reader.left === 0) return { codes: [0] }
  const codes = [reader.number(1)]
  return { codes, ...(reader.left > 0 && { properties: reader.properties() }) }
}

const acknowledgement: Fields = (reader, version) => ({
  id: reader.number(2),
  ...ending(reader, version),
})

const FIELDS: Partial<Record<PacketName, Fields>> = {
  CONNACK(reader, version) {
    const flags = reader.number(1)
    if (flags > 1) throw new Error('Reserved flags of a CONNACK are set.')
    const codes = [reader.number(1)]
    return { sessionPresent: flags === 1, codes, properties: propertiesOf(reader, version) }
  },
  PUBLISH(reader, version, flags) {
    const qos = (flags >> 1) & 3
    return {
      dup: (flags & 8) !== 0,
      qos,
      retain: (flags & 1) !== 0,
      topic: reader.text(),
      ...(qos > 0 && { id: reader.number(2) }),
      properties: propertiesOf(reader, version),
      payload: reader.take(reader.left).toString(),
    }
  },
  PUBACK: acknowledgement,
  PUBREC: acknowledgement,
  PUBREL: acknowledgement,
  PUBCOMP: acknowledgement,
  SUBACK: (reader, version) => ({
    id: reader.number(2),
    properties: propertiesOf(reader, version),
    codes: [...reader.take(reader.left)],
  }),
  UNSUBACK: (reader, version) => ({
    id: reader.number(2),
    properties: propertiesOf(reader, version),
    codes: [...reader.take(reader.left)],
  }),
  PINGRESP: () => ({}),
  DISCONNECT: ending,
}

/** The first packet of the bytes; undefined while it is not whole. Throws if it is malformed. */
export function readPacket(buffer: Buffer, version: Version): Received | undefined {
  const end = buffer.subarray(1, 5).findIndex((byte) => byte < 128)
  if (end === -1) {
    if (buffer.length > 5) throw new Error('The length of a packet is malformed.')
    return undefined
  }
  const length = new Reader(buffer.subarray(1)).variable()
  const whole = 2 + end + length
  if (buffer.length < whole) return undefined
  const [first = 0] = buffer
  const name = NAMES[first >> 4]
  const fields = name === undefined || name === '' ? undefined : FIELDS[name]
  if (name === undefined || name === '' || fields === undefined) {
    throw new Error(`A server sends no packet of type ${first >> 4}.`)
  }
  const flags = first & 15
  if (name !== 'PUBLISH' && flags !== (name === 'PUBREL' ? 2 : 0)) {
    throw new Error(`Reserved flags of a ${name} are set.`)
  }
  const reader = new Reader(buffer.subarray(2 + end, whole))
  const none = { dup: false, qos: 0, retain: false, topic: '', payload: '', id: 0 }
  const rest = { codes: [], sessionPresent: false, properties: [] }
  const read = fields(reader, version, flags)
  if (reader.left > 0) throw new Error(`There are bytes after the end of a ${name}.`)
  return { name, bytes: buffer.subarray(0, whole), ...none, ...rest, ...read }
}
