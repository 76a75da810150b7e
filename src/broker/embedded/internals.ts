/**
 * The parts of aedes 2.0.0-beta.1 that this adapter reaches without their being public. They are
 * all named here, and looked for at start, so that another version fails loudly and not silently.
 */
import type { EventEmitter } from 'node:events'
import type { Aedes, Client, ConnectPacket } from 'aedes'

export type Will = NonNullable<ConnectPacket['will']>

export interface PacketParser extends EventEmitter {
  /** The bytes of a packet that isn't complete yet. */
  _list: { length: number }
  parse(bytes: Buffer): number
}

export type ClientInternals = Client & {
  _parser: PacketParser
  /** The live subscriptions by filter. */
  subscriptions: Record<string, unknown>
  sessionExpiryInterval: number
  /** Runs out when the client was silent for too long. */
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
  if (!known) throw new Error('This version of aedes is not the one that the adapter was made for.')
  return inner
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
  if (!known) throw new Error('This version of aedes is not the one that the adapter was made for.')
  return inner
}
