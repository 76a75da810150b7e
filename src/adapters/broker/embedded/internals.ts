/**
 * The parts of aedes 2.0.0-beta.1 that this adapter reaches without their being public. They are
 * all named here, and looked for at start, so that another version fails loudly and not silently.
 */
import type { EventEmitter } from 'node:events'
import type { Aedes, Client, ConnectPacket, PublishPacket } from 'aedes'
import type { Explanation } from '../traffic-meter.ts'
import { refusedMessagePacket } from './refusal-packets.ts'

export type Will = NonNullable<ConnectPacket['will']>

interface ByteList {
  length: number
}

export interface PacketParser extends EventEmitter {
  /** The bytes of a packet that isn't complete yet: a stream, of which only the list is used. */
  _list: ByteList & { constructor: { BufferList?: new () => ByteList } }
  /** The CONNECT, of which only the version is used. */
  settings: { protocolVersion?: number }
  parse(bytes: Buffer): number
}

export type ClientInternals = Client & {
  _parser: PacketParser
  /** The live subscriptions by filter. */
  subscriptions: Record<string, unknown>
  sessionExpiryInterval: number
  /** What its CONNECT asked for; undefined before that is decided. */
  _requestProblemInformation?: boolean
  maximumPacketSize?: number | undefined
  /** Runs out when the client was silent for too long. */
  _topicAliases: Map<number, string>
  /** Runs out when no CONNECT came in time; aedes clears it when one comes. */
  _connectTimer: NodeJS.Timeout | null
  _keepaliveTimer: NodeJS.Timeout | null
  /** Reads and handles what has arrived. */
  _nextBatch(): void
}

export type AedesInternals = Aedes & {
  /** The live sessions by name. */
  clients: Record<string, Client>
  /** The wills that wait for their delay, by the name of the session. */
  delayedWills: Map<string, unknown>
  clearDelayedWill(name: string): void
  clearSessionExpiry(name: string): void
  publishWill(client: Client, will: Will): void
  unregisterClient(client: Client): void
}

const METHODS = [
  'clearDelayedWill',
  'clearSessionExpiry',
  'publishWill',
  'unregisterClient',
] as const

/** Gives access to the broker's internals. Throws when they aren't what this adapter knows. */
export function openBroker(aedes: Aedes): AedesInternals {
  const inner = aedes as AedesInternals
  const known =
    METHODS.every((name) => typeof inner[name] === 'function') &&
    typeof inner.clients === 'object' &&
    inner.delayedWills instanceof Map
  if (!known) throw new Error('The adapter does not support this version of aedes.')
  keepClientsUnannounced(inner)
  return inner
}

/**
 * aedes publishes each client that comes or goes, for other nodes of a cluster and for subscribers
 * of `$SYS`. There are neither here, and every CONNECT would pay for it.
 */
function keepClientsUnannounced(aedes: AedesInternals): void {
  const topics = ['new', 'disconnect'].map((what) => `$SYS/${aedes.id}/${what}/clients`)
  const publish = aedes.publish.bind(aedes) as (...given: unknown[]) => void
  aedes.publish = (...given: [{ topic: string }, ...unknown[]]) => {
    if (!topics.includes(given[0].topic)) publish(...given)
  }
}

/** Topic aliases are not offered, so none is ever filed. */
const NO_ALIASES = new Map<number, string>()

/** Takes from a new client what it would hold for nothing as long as it is connected. */
export function slim(inner: ClientInternals): void {
  const { BufferList } = inner._parser._list.constructor
  if (BufferList !== undefined) inner._parser._list = new BufferList() as PacketParser['_list']
  inner._topicAliases = NO_ALIASES
}

/**
 * Ends a new client whose CONNECT does not come in time. Timers come before input: of a fleet that
 * comes at once, many CONNECTs may have arrived and not been read by then, so those are read first.
 */
export function awaitConnect(client: Client, timeoutMs: number): void {
  const inner = client as ClientInternals
  if (inner._connectTimer !== null) clearTimeout(inner._connectTimer)
  inner._connectTimer = setTimeout(() => {
    setImmediate(() => {
      if (client.connecting || client.connected || client.closed) return
      client.emit('error', new Error('The CONNECT did not come in time.'))
    })
  }, timeoutMs)
}

/**
 * Answers a message of an MQTT 5 client in the place of aedes, and has aedes drop it. QoS 0 has no
 * answer.
 * @param explain is called only if the reason is sent.
 */
export function refusePublish(
  client: Client,
  packet: PublishPacket,
  reasonCode: number,
  explain: () => Explanation | undefined,
): void {
  Object.assign(packet, { _notAuthorized: true })
  if (packet.qos === 0) return
  const { _requestProblemInformation, maximumPacketSize } = client as ClientInternals
  const wishes = { requestProblemInformation: _requestProblemInformation, maximumPacketSize }
  client.conn.write(refusedMessagePacket(packet, reasonCode, explain(), wishes))
}

/** Forgets the CONNECT, and the password in it, once it is decided. */
export function dropConnect(client: Client): void {
  const { _parser } = client as ClientInternals
  const { protocolVersion = 4 } = _parser.settings
  _parser.settings = { protocolVersion }
}

/** Gives access to a client's internals. Throws when they aren't what this adapter knows. */
export function openClient(client: Client): ClientInternals {
  const inner = client as ClientInternals
  const known =
    typeof inner._parser?.parse === 'function' &&
    typeof inner._parser._list?.length === 'number' &&
    inner._parser.listenerCount('packet') === 1 &&
    typeof inner._nextBatch === 'function' &&
    typeof inner.subscriptions === 'object'
  if (!known) throw new Error('The adapter does not support this version of aedes.')
  return inner
}
