/**
 * One network connection: splits its input into packets, gathers the output of a turn of the
 * event loop into one write, and knows its deadlines. A broker has very many links, so a link has
 * neither timers nor listeners of its own.
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
  /** Logs an error of the broker itself, which occurred while it handled a packet. */
  failed(error: unknown): void
}

/** Reasons to read nothing from a socket, one bit each. */
export const PAUSE = { deciding: 1, paced: 2, full: 4, storing: 8 } as const

const PACKET_TOO_LARGE = 0x95

/** The longest fixed header: the first byte, and at most four bytes of the length. */
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

/** All links share it, because one packet is read at a time. */
const reader = new Reader()

export abstract class Link implements Timed {
  readonly stream: ByteStream
  readonly transport: Transport
  protected readonly host: LinkHost
  slot = -1
  isClosed = false
  /** Whether it closes after its present output: it takes no more input and no more output. */
  isEnding = false
  /** Milliseconds of the wheel; 0: none. */
  #deadline = 0
  #pacedUntil = 0
  #fullSince = 0
  #lastSeen: number
  /** How long its client may send nothing, in milliseconds; 0: without limit. */
  protected silenceMs = 0
  #pauses = 0
  /** Input that is not handled yet, its bytes, and the length of its first packet; 0: unknown. */
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

  /** Begins to read; called after the constructors of all subclasses. */
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
  /** Called when all packets of one chunk of input are handled. */
  protected abstract handled(): void
  /** Ends the connection because of an error of its client. */
  protected abstract fail(reasonCode: number): void
  protected abstract timedOut(): void
  protected abstract silent(): void
  protected abstract tooSlow(): void
  protected abstract closed(): void
  /** Called when the socket accepts output again. */
  protected abstract writable(): void

  get address(): string {
    return addressOf(this.stream)
  }

  /** Bytes of output that the operating system has not taken yet. */
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

  /** Ends a pause. After the decision on a CONNECT it handles the input behind that packet. */
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

  /** Writes the output that `isHeld` held back. */
  letGo(): void {
    this.isHeld = false
    if (this.#out !== undefined) this.host.flushLater(this)
  }

  /** Writes the output of this turn; `join` concatenates its pieces. */
  flush(join: (pieces: readonly Buffer[]) => Buffer): void {
    const out = this.#out
    if (out === undefined) return
    this.#out = undefined
    this.#outBytes = 0
    if (this.isClosed) return
    if (this.stream.write(join(out)) || this.isEnding) return
    // The client reads too slowly: its packets wait, so that they cause no more output.
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

  /** Sets the deadline of the present phase, such as the wait for a CONNECT. */
  endAfter(ms: number): void {
    this.#deadline = this.host.wheel.now + ms
    this.host.wheel.add(this)
  }

  /** Removes the deadline of the phase. The limit of the client's silence stays. */
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
    // During a pause nothing is read, so the client does not count as silent.
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

/** The earlier of two times; 0 means that there is no such time. */
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
