/**
 * What a packet must be before aedes sees it. The parser lets through malformed strings, missing
 * identifiers and properties that are repeated, cut short or belong to other packets; aedes then
 * throws, or forwards them to subscribers, whose own connections end for it.
 */
import { isTopicFilter, isTopicName } from '../topics.ts'

/** A packet as parsed: nothing about it has been checked. */
export interface ParsedPacket {
  cmd: string
  qos?: unknown
  messageId?: unknown
  topic?: unknown
  clientId?: unknown
  username?: unknown
  will?: { topic?: unknown; properties?: unknown }
  properties?: unknown
  subscriptions?: { topic?: unknown }[]
  unsubscriptions?: unknown[]
}

/** The properties that a client may send, by packet (MQTT 5.0, section 2.2.2.2). */
const PROPERTIES: Readonly<Record<string, readonly string[]>> = {
  connect: [
    'sessionExpiryInterval',
    'receiveMaximum',
    'maximumPacketSize',
    'topicAliasMaximum',
    'requestResponseInformation',
    'requestProblemInformation',
    'authenticationMethod',
    'authenticationData',
  ],
  will: [
    'willDelayInterval',
    'payloadFormatIndicator',
    'messageExpiryInterval',
    'contentType',
    'responseTopic',
    'correlationData',
  ],
  publish: [
    'payloadFormatIndicator',
    'messageExpiryInterval',
    'topicAlias',
    'responseTopic',
    'correlationData',
    'contentType',
  ],
  subscribe: ['subscriptionIdentifier'],
  unsubscribe: [],
  puback: ['reasonString'],
  pubrec: ['reasonString'],
  pubrel: ['reasonString'],
  pubcomp: ['reasonString'],
  disconnect: ['sessionExpiryInterval', 'reasonString'],
}

const isText = (value: unknown): boolean =>
  typeof value === 'string' && !value.includes('\0') && value.isWellFormed()

const isUserProperties = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.entries(value).every(([name, texts]) => isText(name) && [texts].flat().every(isText))

const isProperty = (name: string, value: unknown): boolean => {
  if (name === 'responseTopic') return typeof value === 'string' && isTopicName(value)
  if (typeof value === 'string') return isText(value)
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0
  return typeof value === 'boolean' || Buffer.isBuffer(value)
}

const areProperties = (kind: string, properties: unknown): boolean => {
  if (properties === undefined) return true
  const allowed = PROPERTIES[kind]
  if (allowed === undefined || typeof properties !== 'object' || properties === null) return false
  return Object.entries(properties).every(([name, value]) =>
    name === 'userProperties'
      ? isUserProperties(value)
      : allowed.includes(name) && isProperty(name, value),
  )
}

const hasIdentifier = ({ messageId }: ParsedPacket): boolean =>
  typeof messageId === 'number' && messageId >= 1 && messageId <= 65_535

/** aedes files subscriptions in plain objects, where this one name is not like any other. */
const isSafeFilter = (filter: unknown): boolean =>
  typeof filter === 'string' && isTopicFilter(filter) && filter !== '__proto__'

/** U+FFFD is what the parser made of bytes that aren't UTF-8: two names could become one. */
const isIdentity = (value: unknown): boolean => isText(value) && !String(value).includes('\uFFFD')

const isConnect = ({ clientId, username, will }: ParsedPacket): boolean =>
  isIdentity(clientId) &&
  (username === undefined || isIdentity(username)) &&
  (will === undefined || areProperties('will', will.properties))

const isPublish = (packet: ParsedPacket): boolean => {
  const { topic, qos } = packet
  // An empty topic stands for an alias; aedes answers that there are none.
  if (typeof topic !== 'string' || (topic !== '' && !isTopicName(topic))) return false
  return qos === 0 || hasIdentifier(packet)
}

const CHECKS: Readonly<Record<string, (packet: ParsedPacket) => boolean>> = {
  connect: isConnect,
  publish: isPublish,
  subscribe: (packet) =>
    hasIdentifier(packet) &&
    (packet.subscriptions?.length ?? 0) > 0 &&
    packet.subscriptions?.every(({ topic }) => isSafeFilter(topic)) === true,
  unsubscribe: (packet) =>
    hasIdentifier(packet) &&
    (packet.unsubscriptions?.length ?? 0) > 0 &&
    packet.unsubscriptions?.every(isSafeFilter) === true,
  puback: hasIdentifier,
  pubrec: hasIdentifier,
  pubrel: hasIdentifier,
  pubcomp: hasIdentifier,
  pingreq: () => true,
  disconnect: () => true,
}

/** Whether a client may send this packet. */
export const isAcceptablePacket = (packet: ParsedPacket): boolean =>
  CHECKS[packet.cmd]?.(packet) === true && areProperties(packet.cmd, packet.properties)
