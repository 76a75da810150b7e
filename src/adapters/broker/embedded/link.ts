/**
 * One network connection: splits its input into packets, gathers the output of a turn of the
 * event loop into one write, and knows its deadlines. Very many are open at once, so it has neither
 * timers nor listeners of its own.
 */
import type { Transport } from '../port.ts'
import type { EmbeddedBrokerLimits } from './limits.ts'
import { addressOf, type ByteStream } from './pending-connections.ts'
import type { Timed, Wheel } from './wheel.ts'
import { MALFORMED, malformed, PacketError, Reader } from './codec/reader.ts'

/** State that all connections of a broker share. */
export interface LinkHost {
  readonly limits: EmbeddedBrokerLimits
  readonly wheel: Wheel
  /** Has `flush` called at the end of this turn. */
  flushLater(link: Link): void
  /** Something could not be handled for a reason that is not the client's. */
  failed(error: unknown): void
}

/** Why nothing is read. */
export const PAUSE = { deciding: 1, paced: 2, full: 4, storing: 8 } as const

const PACKET_TOO_LARGE = 0x95

/** The first byte and at most four of the length. */
const HEAD_BYTES = 5

const linkOf = Symbol('link')
type LinkedStream = ByteStream & { [linkOf]?: Link }

function onData(this: LinkedStream, bytes: Buffer): void {
  this[linkOf]?.take(bytes)
}

function onDrain(this: LinkedStream): void {
  this[linkOf]?.drained()
}

function onClose(this: LinkedStream): void {
  this[linkOf]?.close()
}

function ignore(): void {}

/** One packet at a time is read, in one process. */
const reader = new Reader()

export abstract class Link implements Timed {
  readonly stream: ByteStream
  readonly transport: Transport
  protected readonly host: LinkHost
  slot = -1
  isClosed = false
  /** Nothing more is read, and the output that is sent is its last. */
  isEnding = false
  /** Milliseconds of the wheel; 0: none. */
  #deadline = 0
  #pacedUntil = 0
  #fullSince = 0
  #lastSeen: number
  /** How long it may be silent, in milliseconds; 0: for ever. */
  protected silenceMs = 0
  #pauses = 0
  /** The beginning of a packet, how much of it there is, and how long it gets if that is known. */
  #held: Buffer | undefined
  #heldBytes = 0
  #wanted = 0
  /** The output of this turn. */
  #out: Buffer[] | undefined
  #outBytes = 0
  /** Whether output waits until the changes of its CONNECT are stored. */
  isHeld = false

  constructor(stream: ByteStream, transport: Transport, host: LinkHost) {
    this.stream = stream
    this.transport = transport
    this.host = host
    this.#lastSeen = host.wheel.now
  }

  /** Begins to read. A class that extends this one is complete then. */
  open(): void {
    ;(this.stream as LinkedStream)[linkOf] = this
    this.stream.on('error', ignore).on('data', onData).on('close', onClose)
    this.endAfter(this.host.limits.connectTimeoutMs)
  }

  /** The longest packet that it may send now, in bytes. */
  protected abstract get packetBytes(): number
  /** Checks the first byte of a packet, before the rest has come. */
  protected abstract begin(first: number): void
  /** Handles one packet, whose body the reader holds: `Engine.packet`, through `Client`. */
  protected abstract packet(first: number, reader: Reader): void
  /** Everything that came in one piece is handled. */
  protected abstract handled(): void
  /** It ends for an error of its client. */
  protected abstract fail(reasonCode: number): void
  protected abstract timedOut(): void
  protected abstract silent(): void
  protected abstract tooSlow(): void
  protected abstract closed(): void
  /** Its output has room again. */
  protected abstract writable(): void

  get address(): string {
    return addressOf(this.stream)
  }

  /** Bytes that were sent and that the system has not taken. */
  get unsent(): number {
    return this.stream.writableLength + this.#outBytes
  }

  get isReading(): boolean {
    return this.#pauses === 0 && !this.isEnding
  }

  take(chunk: Buffer): void {
    this.#lastSeen = this.host.wheel.now
    if (this.isEnding) return
    const bytes = this.#held === undefined ? chunk : this.#append(this.#held, chunk)
    if (bytes === undefined) return
    try {
      this.#split(bytes)
    } catch (error) {
      if (!(error instanceof PacketError)) this.host.failed(error)
      this.fail(error instanceof PacketError ? error.reasonCode : MALFORMED)
    }
    reader.clear()
    if (!this.isEnding) this.handled()
  }

  #split(bytes: Buffer): void {
    let at = 0
    while (at < bytes.length && !this.isEnding && (this.#pauses & PAUSE.deciding) === 0) {
      const first = bytes[at] as number
      this.begin(first)
      const head = readHead(bytes, at)
      if (head === undefined) break
      const end = head.bodyAt + head.length
      if (end - at > this.packetBytes) throw new PacketError(PACKET_TOO_LARGE, 'It is too large.')
      this.#wanted = end - at
      if (end > bytes.length) break
      this.packet(first, reader.over(bytes, head.bodyAt, end))
      this.#wanted = 0
      at = end
    }
    if (at < bytes.length && !this.isEnding) this.#hold(bytes.subarray(at))
  }

  #hold(rest: Buffer): void {
    // The input is a window on up to 64 KiB, which would be kept with it.
    this.#held = Buffer.allocUnsafeSlow(Math.max(rest.length, HEAD_BYTES))
    this.#heldBytes = rest.copy(this.#held)
  }

  /** @returns undefined as long as the packet is not complete */
  #append(held: Buffer, chunk: Buffer): Buffer | undefined {
    const total = this.#heldBytes + chunk.length
    let bytes = held
    if (total > held.length) {
      bytes = Buffer.allocUnsafeSlow(Math.max(total, Math.min(this.#wanted, 2 * held.length)))
      held.copy(bytes, 0, 0, this.#heldBytes)
    }
    chunk.copy(bytes, this.#heldBytes)
    this.#held = bytes
    this.#heldBytes = total
    if (total < this.#wanted || (this.#pauses & PAUSE.deciding) !== 0) return undefined
    this.#held = undefined
    this.#wanted = 0
    return bytes.subarray(0, total)
  }

  pause(reason: number): void {
    if (this.#pauses === 0) this.stream.pause()
    this.#pauses |= reason
  }

  /** Handles the input that came with a packet that had to be decided on. */
  resume(reason: number): void {
    if ((this.#pauses & reason) === 0) return
    this.#pauses &= ~reason
    const held = this.#held
    if (reason === PAUSE.deciding && held !== undefined) {
      this.#held = undefined
      this.take(held.subarray(0, this.#heldBytes))
    }
    if (this.#pauses === 0 && !this.isClosed) this.stream.resume()
  }

  send(bytes: Buffer): void {
    if (this.isEnding) return
    this.#outBytes += bytes.length
    if (this.#out !== undefined) {
      this.#out.push(bytes)
      return
    }
    this.#out = [bytes]
    if (!this.isHeld) this.host.flushLater(this)
  }

  /** Writes what was held. */
  letGo(): void {
    this.isHeld = false
    if (this.#out !== undefined) this.host.flushLater(this)
  }

  /** Writes what was sent in this turn; `join` makes one piece of it. */
  flush(join: (pieces: readonly Buffer[]) => Buffer): void {
    const out = this.#out
    if (out === undefined) return
    this.#out = undefined
    this.#outBytes = 0
    if (this.isClosed) return
    if (this.stream.write(join(out)) || this.isEnding) return
    // A client that does not take what it caused causes no more of it.
    if (this.#fullSince !== 0) return
    this.#fullSince = this.host.wheel.now
    this.pause(PAUSE.full)
    this.stream.once('drain', onDrain)
    this.host.wheel.add(this)
  }

  drained(): void {
    this.#fullSince = 0
    this.#lastSeen = this.host.wheel.now
    if (this.isEnding) return
    this.resume(PAUSE.full)
    this.writable()
  }

  /** Sends its last packet, and closes as soon as its client has taken that. */
  finish(last: Buffer | undefined, withinMs: number): void {
    if (this.isEnding) return
    // A packet behind a full buffer would wait as long as the buffer does.
    const isStuck = this.#fullSince !== 0 || this.isHeld
    this.isEnding = true
    this.#held = undefined
    if (this.isClosed) return
    if (isStuck) return void this.stream.destroy()
    const out = this.#out ?? []
    this.#out = undefined
    this.#outBytes = 0
    this.stream.end(Buffer.concat(last === undefined ? out : [...out, last]))
    // Closing with unread input would lose what was sent.
    this.stream.resume()
    this.endAfter(withinMs)
  }

  close(): void {
    if (this.isClosed) return
    this.isClosed = true
    this.isEnding = true
    this.#held = undefined
    this.#out = undefined
    this.host.wheel.remove(this)
    this.closed()
  }

  /** It has this many milliseconds for what it is at. */
  endAfter(ms: number): void {
    this.#deadline = this.host.wheel.now + ms
    this.host.wheel.add(this)
  }

  /** It has as long as it wants, or as long as its keepalive is. */
  endNever(): void {
    this.#deadline = 0
    this.host.wheel.add(this)
  }

  /** Nothing is read for this many milliseconds. */
  paceFor(ms: number): void {
    this.#pacedUntil = this.host.wheel.now + ms
    this.pause(PAUSE.paced)
    this.host.wheel.add(this)
  }

  get dueAt(): number {
    const full = this.#fullSince === 0 ? 0 : this.#fullSince + this.host.limits.unsentTimeoutMs
    // While nothing is read it is not silent, whatever its keepalive.
    const isSilent = this.silenceMs > 0 && this.#pauses === 0 && !this.isEnding
    const silent = isSilent ? this.#lastSeen + this.silenceMs : 0
    return earliest(this.#deadline, earliest(this.#pacedUntil, earliest(full, silent)))
  }

  due(): void {
    const { now } = this.host.wheel
    if (this.isClosed) return
    if (this.isEnding) return void this.stream.destroy()
    if (this.#deadline !== 0 && this.#deadline <= now) return this.timedOut()
    if (this.#pacedUntil !== 0 && this.#pacedUntil <= now) {
      this.#pacedUntil = 0
      this.#lastSeen = now
      this.resume(PAUSE.paced)
    } else if (this.#fullSince !== 0) return this.tooSlow()
    else if (this.silenceMs > 0 && this.#pauses === 0) return this.silent()
    if (!this.isClosed) this.host.wheel.add(this)
  }
}

/** The earlier of two times, of which 0 is none. */
const earliest = (one: number, other: number): number =>
  one === 0 || (other !== 0 && other < one) ? other : one

const head = { bodyAt: 0, length: 0 }

/** The fixed header (2.1); undefined if it is not complete. Overwritten by the next call. */
function readHead(bytes: Buffer, at: number): typeof head | undefined {
  let length = 0
  for (let index = 1; index < HEAD_BYTES; index += 1) {
    const next = bytes[at + index]
    if (next === undefined) return undefined
    length += (next & 0x7f) * 128 ** (index - 1)
    if (next >= 0x80) continue
    head.bodyAt = at + index + 1
    head.length = length
    return head
  }
  return malformed('A length is too long.')
}
