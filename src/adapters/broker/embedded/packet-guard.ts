/** Stands between a socket's parser and aedes: what is malformed ends one connection only. */
import type { Client } from 'aedes'
import { openClient, slim } from './internals.ts'
import type { EmbeddedBrokerLimits } from './limits.ts'
import { Pace } from './pace.ts'
import { isAcceptablePacket, type ParsedPacket } from './packet-rules.ts'
import { DISCONNECT_CODES } from './reason-codes.ts'

type TakePacket = (this: unknown, packet: ParsedPacket) => void

/** A SUBSCRIBE may name so many times what a session may hold; each too many is refused. */
const FILTERS_FACTOR = 10

/** A reader of many messages acknowledges each; more than it can get are sent to keep us busy. */
const ACKNOWLEDGEMENT = 1 / 20

/** What packets cost that are no PUBLISH and no PUBREL. */
const WEIGHTS: Readonly<Record<string, (packet: ParsedPacket) => number>> = {
  subscribe: ({ subscriptions = [] }) => subscriptions.length,
  unsubscribe: ({ unsubscriptions = [] }) => unsubscriptions.length,
  pingreq: () => 1,
  puback: () => ACKNOWLEDGEMENT,
  pubrec: () => ACKNOWLEDGEMENT,
  pubcomp: () => ACKNOWLEDGEMENT,
}

/** The cost of each packet of a client: a client that causes much work is read more slowly. */
export function createScales(): (packet: ParsedPacket) => number {
  /** PUBRELs that belong to a PUBLISH, which has been counted. */
  let expected = 0
  return (packet) => {
    const { cmd, qos } = packet
    if (cmd === 'publish') {
      if (qos === 2) expected += 1
      return 1
    }
    if (cmd !== 'pubrel') return WEIGHTS[cmd]?.(packet) ?? 0
    const isExpected = expected > 0
    if (isExpected) expected -= 1
    return isExpected ? 0 : 1
  }
}

/** Puts the guard before a client that aedes has just made. */
export function guardPackets(client: Client, limits: EmbeddedBrokerLimits): void {
  const inner = openClient(client)
  // With a prototype, unsubscribing from "constructor" finds something and throws.
  inner.subscriptions = Object.create(null) as Record<string, unknown>
  slim(inner)
  const parser = inner._parser
  const [take] = parser.listeners('packet') as TakePacket[]
  const weightOf = createScales()
  let pace: Pace | undefined
  let refused = false

  const fail = (error: Error): void => {
    if (refused) return
    refused = true
    if (client.connected) {
      client.disconnect({ reasonCode: DISCONNECT_CODES.malformed })
    } else {
      client.emit('error', error)
    }
  }

  parser.removeAllListeners('packet')
  parser.on('packet', (packet: ParsedPacket) => {
    if (refused) return
    if (!isAcceptablePacket(packet)) return fail(new Error('A packet is malformed.'))
    const weight = weightOf(packet)
    if (weight > FILTERS_FACTOR * limits.subscriptionsPerSession) {
      return fail(new Error('A packet asks for too much.'))
    }
    if (weight > 0) (pace ??= new Pace(inner, limits)).note(weight)
    try {
      take?.call(parser, packet)
    } catch (error) {
      fail(new Error('A packet could not be handled.', { cause: error }))
    }
  })

  const parse = parser.parse.bind(parser)
  parser.parse = (bytes) => {
    const undecided = !client.connecting && !client.connected
    if (undecided && parser._list.length + bytes.length > limits.connectPacketBytes) {
      fail(new Error('The CONNECT is too large.'))
    }
    if (refused) return 0
    try {
      return parse(bytes)
    } catch (error) {
      fail(new Error('A packet could not be read.', { cause: error }))
      return 0
    }
  }
}
