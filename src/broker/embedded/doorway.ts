/** Counts the sockets whose CONNECT hasn't been accepted, so that no address takes all the room. */
import type { Socket } from 'node:net'
import type { EmbeddedBrokerLimits } from './limits.ts'

/** The peer's address; IPv4 in its own form also where the socket is a dual-stack one. */
export function addressOf(socket: Socket): string {
  return (socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/i, '')
}

export class Doorway {
  #waiting = new Map<Socket, string>()
  #perAddress = new Map<string, number>()
  #limits: EmbeddedBrokerLimits

  constructor(limits: EmbeddedBrokerLimits) {
    this.#limits = limits
  }

  /** Lets a new socket wait for its CONNECT; false when there are too many. */
  enter(socket: Socket, address: string): boolean {
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
  leave(socket: Socket): void {
    const address = this.#waiting.get(socket)
    if (address === undefined) return
    this.#waiting.delete(socket)
    const count = (this.#perAddress.get(address) ?? 1) - 1
    if (count > 0) this.#perAddress.set(address, count)
    else this.#perAddress.delete(address)
  }
}
