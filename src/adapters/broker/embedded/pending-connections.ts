/** Counts the sockets whose CONNECT hasn't been accepted, so that no address takes all the room. */
import type { Duplex } from 'node:stream'
import { type AddressBlocks, addressBlocks } from '../../../platform/lib/address-block.ts'
import type { EmbeddedBrokerLimits } from './limits.ts'

/** A connection, whatever carries its bytes: a socket, or a WebSocket on one. */
export type ByteStream = Duplex & {
  readonly remoteAddress?: string | undefined
  /** See `ConnectRequest`. */
  readonly hosts?: readonly string[] | undefined
  setKeepAlive(on: boolean, ms: number): unknown
  /** Called once its CONNECT is accepted: from then on the limits of a session apply. */
  admitted?(): void
}

/** The peer's address; IPv4 in its own form also where the socket is a dual-stack one. */
export function addressOf(socket: ByteStream): string {
  return (socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/i, '')
}

export class PendingConnections {
  #waiting = new Map<ByteStream, AddressBlocks>()
  #perBlock = new Map<string, number>()
  #limits: EmbeddedBrokerLimits

  constructor(limits: EmbeddedBrokerLimits) {
    this.#limits = limits
  }

  /** Counts a new socket until its CONNECT is accepted. @returns false if there are too many */
  enter(socket: ByteStream, from: string): boolean {
    const { undecidedSockets, undecidedSocketsPerAddress } = this.#limits
    const blocks = addressBlocks(from)
    const isFull = blocks.some(
      ({ name, budget }) => this.#countOf(name) >= undecidedSocketsPerAddress * budget,
    )
    if (isFull || this.#waiting.size >= undecidedSockets) return false
    this.#waiting.set(socket, blocks)
    for (const { name } of blocks) this.#perBlock.set(name, this.#countOf(name) + 1)
    return true
  }

  /** The socket was accepted or is closed; calling it again does nothing. */
  leave(socket: ByteStream): void {
    for (const { name } of this.#waiting.get(socket) ?? []) {
      const count = this.#countOf(name) - 1
      if (count > 0) this.#perBlock.set(name, count)
      else this.#perBlock.delete(name)
    }
    this.#waiting.delete(socket)
  }

  #countOf(block: string): number {
    return this.#perBlock.get(block) ?? 0
  }
}
