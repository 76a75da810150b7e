/** The properties of MQTT 5 that a client may send (MQTT 5.0, section 2.2.2). */
import { isTopicName } from '../../topics.ts'
import { malformed, PacketError, protocolError, type Reader } from './reader.ts'

/** The packets that contain properties, and the will of a CONNECT. */
const EVERYWHERE = [
  'connect',
  'will',
  'publish',
  'acknowledgement',
  'subscribe',
  'unsubscribe',
  'disconnect',
  'auth',
] as const
export type PropertyPlace = (typeof EVERYWHERE)[number]

/** Identifiers of section 2.2.2.2 that this broker also writes. */
export const PROPERTY = {
  messageExpiry: 0x02,
  subscriptionIdentifier: 0x0b,
  sessionExpiry: 0x11,
  serverKeepAlive: 0x13,
  reasonString: 0x1f,
  receiveMaximum: 0x21,
  topicAliasMaximum: 0x22,
  topicAlias: 0x23,
  user: 0x26,
  maximumPacketSize: 0x27,
} as const

/** The properties that the broker itself evaluates. Intervals are in seconds. */
export interface Properties {
  messageExpiry?: number
  responseTopic?: string
  subscriptionIdentifier?: number
  sessionExpiry?: number
  authenticationMethod?: string
  authenticationData?: Buffer
  requestProblemInformation?: boolean
  willDelay?: number
  receiveMaximum?: number
  topicAliasMaximum?: number
  topicAlias?: number
  maximumPacketSize?: number
  /** The bytes of all properties that are forwarded to subscribers unchanged, in their order. */
  forwarded?: Buffer
}

type Value = number | string | boolean | Buffer | undefined

interface Kind {
  places: readonly PropertyPlace[]
  read: (reader: Reader) => Value
  name?: Exclude<keyof Properties, 'forwarded'>
  isForwarded?: true
}

const twoBytes = (reader: Reader): number => reader.twoBytes()
const fourBytes = (reader: Reader): number => reader.fourBytes()
const text = (reader: Reader): string => reader.text()
const binary = (reader: Reader): Buffer => reader.binary()

function flag(reader: Reader): boolean {
  const value = reader.byte()
  if (value > 1) protocolError('A property is neither 0 nor 1.')
  return value === 1
}

const above0 =
  (read: (reader: Reader) => number, code?: number) =>
  (reader: Reader): number => {
    const value = read(reader)
    if (value > 0) return value
    if (code !== undefined) throw new PacketError(code, 'A property is 0.')
    return protocolError('A property is 0.')
  }

const TOPIC_ALIAS_INVALID = 0x94

function topicName(reader: Reader): string {
  const topic = reader.text()
  if (!isTopicName(topic)) protocolError('A response topic is malformed.')
  return topic
}

const MESSAGE = ['will', 'publish'] as const
const CONNECT = ['connect'] as const

const KINDS = new Map<number, Kind>([
  [0x01, { places: MESSAGE, read: flag, isForwarded: true }],
  [0x02, { places: MESSAGE, read: fourBytes, name: 'messageExpiry' }],
  [0x03, { places: MESSAGE, read: text, isForwarded: true }],
  [0x08, { places: MESSAGE, read: topicName, name: 'responseTopic', isForwarded: true }],
  [0x09, { places: MESSAGE, read: binary, isForwarded: true }],
  [
    0x0b,
    {
      places: ['subscribe'],
      read: above0((reader) => reader.variable()),
      name: 'subscriptionIdentifier',
    },
  ],
  [0x11, { places: ['connect', 'disconnect'], read: fourBytes, name: 'sessionExpiry' }],
  [0x15, { places: ['connect', 'auth'], read: text, name: 'authenticationMethod' }],
  [0x16, { places: ['connect', 'auth'], read: binary, name: 'authenticationData' }],
  [0x17, { places: CONNECT, read: flag, name: 'requestProblemInformation' }],
  [0x18, { places: ['will'], read: fourBytes, name: 'willDelay' }],
  [0x19, { places: CONNECT, read: flag }],
  [0x1f, { places: ['acknowledgement', 'disconnect', 'auth'], read: text }],
  [0x21, { places: CONNECT, read: above0(twoBytes), name: 'receiveMaximum' }],
  [0x22, { places: CONNECT, read: twoBytes, name: 'topicAliasMaximum' }],
  [0x23, { places: ['publish'], read: above0(twoBytes, TOPIC_ALIAS_INVALID), name: 'topicAlias' }],
  [
    0x26,
    {
      places: EVERYWHERE,
      read(reader) {
        reader.text()
        return reader.text()
      },
      isForwarded: true,
    },
  ],
  [0x27, { places: CONNECT, read: above0(fourBytes), name: 'maximumPacketSize' }],
])

const NONE: Properties = Object.freeze({})

/** Concatenates the properties of a message that are forwarded to subscribers. */
function joined(reader: Reader, pieces: readonly (readonly [number, number])[]): Buffer {
  const [first] = pieces
  if (pieces.length === 1 && first !== undefined) return reader.slice(...first)
  return Buffer.concat(pieces.map(([from, to]) => reader.slice(from, to)))
}

/** Reads the length of the properties and the properties. */
export function readProperties(reader: Reader, place: PropertyPlace): Properties {
  const length = reader.variable()
  if (length === 0) return NONE
  const packetEnd = reader.end
  const end = reader.at + length
  if (end > packetEnd) malformed('Properties end after their packet.')
  reader.end = end
  const properties: Properties = {}
  const pieces: [number, number][] = []
  const seen: number[] = []
  while (!reader.isAtEnd) {
    const from = reader.at
    const id = reader.variable()
    const kind = KINDS.get(id)
    // [MQTT-3.3.4-6]
    if (id === PROPERTY.subscriptionIdentifier && place === 'publish') {
      protocolError('Only a server sends subscription identifiers.')
    }
    if (kind === undefined || !kind.places.includes(place)) malformed('A property is not for this.')
    if (id !== PROPERTY.user) {
      if (seen.includes(id)) protocolError('A property stands twice.')
      seen.push(id)
    }
    const value = kind.read(reader)
    if (kind.name !== undefined) Object.assign(properties, { [kind.name]: value })
    if (kind.isForwarded !== true) continue
    const last = pieces.at(-1)
    if (last?.[1] === from) last[1] = reader.at
    else pieces.push([from, reader.at])
  }
  if (pieces.length > 0 && (place === 'publish' || place === 'will')) {
    properties.forwarded = joined(reader, pieces)
  }
  reader.end = packetEnd
  return properties
}
