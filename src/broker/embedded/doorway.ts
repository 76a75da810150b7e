/** Counts the sockets whose CONNECT hasn't been accepted, so that no address takes all the room. */
import type { Duplex } from 'node:stream'
import { addressBlock } from '../../lib/address-block.ts'
import type { EmbeddedBrokerLimits } from './limits.ts'

/** A connection, whatever carries its bytes: a socket, or a WebSocket on one. */
export type Wire = Duplex & {
  readonly remoteAddress?: string | undefined
  /** See `ConnectRequest`. */
  readonly hosts?: readonly string[] | undefined
  setKeepAlive(on: boolean, ms: number): unknown
  /** Called once its CONNECT is accepted: from now on it may send as much as a session may. */
  admitted?(): void
}

/** The peer's address; IPv4 in its own form also where the socket is a dual-stack one. */
export function addressOf(socket: Wire): string {
  return (socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/i, '')
}

export class Doorway {
  #waiting = new Map<Wire, string>()
  #perAddress = new Map<string, number>()
  #limits: EmbeddedBrokerLimits

  constructor(limits: EmbeddedBrokerLimits) {
    this.#limits = limits
  }

  /** Lets a new socket wait for its CONNECT; false when there are too many. */
  enter(socket: Wire, from: string): boolean {
    const address = addressBlock(from)
    const count = this.#perAddress.get(address) ?? 0
    const full =
      count >= this.#limits.undecidedSocketsPerAddress ||
      this.#waiting.size >= this.#limits.undecidedSockets
    if (full) return false
    this.#waiting.set(socket, address)
    this.#perAddress.set(address, count + 1)
    return true
  }

  /** The socket was accepted or is closed; calling it again does nothing. */
  leave(socket: Wire): void {
    const address = this.#waiting.get(socket)
    if (address === undefined) return
    this.#waiting.delete(socket)
    const count = (this.#perAddress.get(address) ?? 1) - 1
    if (count > 0) this.#perAddress.set(address, count)
    else this.#perAddress.delete(address)
  }
}
