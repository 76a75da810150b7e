/** Reads the data types of MQTT (MQTT 5.0, section 1.5) from the bytes of one packet. */
import { isUtf8 } from 'node:buffer'

/** Reason codes of MQTT 5.0, section 2.4, for errors of a client. */
export const MALFORMED = 0x81
const PROTOCOL_ERROR = 0x82

/** A packet that ends its connection. The message is for debugging; no client receives it. */
export class PacketError extends Error {
  readonly reasonCode: number

  constructor(reasonCode: number, message: string) {
    super(message)
    this.reasonCode = reasonCode
  }
}

export function malformed(message: string): never {
  throw new PacketError(MALFORMED, message)
}

export function protocolError(message: string): never {
  throw new PacketError(PROTOCOL_ERROR, message)
}

const NOTHING = Buffer.alloc(0)
const VARIABLE_BYTES = 4

/** One cursor serves all packets: each is read completely before the next one. */
export class Reader {
  #bytes: Buffer = NOTHING
  at = 0
  end = 0

  /** Begins with the bytes from `at` to before `end`. */
  over(bytes: Buffer, at: number, end: number): this {
    this.#bytes = bytes
    this.at = at
    this.end = end
    return this
  }

  /** Drops the reference to the bytes. */
  clear(): void {
    this.over(NOTHING, 0, 0)
  }

  get isAtEnd(): boolean {
    return this.at === this.end
  }

  #advance(count: number): number {
    const from = this.at
    if (from + count > this.end) malformed('A packet ends early.')
    this.at = from + count
    return from
  }

  byte(): number {
    return this.#bytes[this.#advance(1)] as number
  }

  twoBytes(): number {
    return this.#bytes.readUInt16BE(this.#advance(2))
  }

  fourBytes(): number {
    return this.#bytes.readUInt32BE(this.#advance(4))
  }

  /** A variable byte integer (1.5.5). */
  variable(): number {
    let value = 0
    for (let index = 0; index < VARIABLE_BYTES; index += 1) {
      const next = this.byte()
      value += (next & 0x7f) * 128 ** index
      if (next >= 0x80) continue
      // [MQTT-1.5.5-1]
      if (next === 0 && index > 0) malformed('A length is longer than it has to be.')
      return value
    }
    return malformed('A length is too long.')
  }

  /** A UTF-8 string, without NUL (1.5.4). */
  text(): string {
    const length = this.twoBytes()
    const from = this.#advance(length)
    const text = this.#bytes.toString('utf8', from, from + length)
    if (text.includes('\0')) malformed('A string contains NUL.')
    // U+FFFD stands for bytes that are not UTF-8, or for itself.
    if (text.includes('\uFFFD') && !isUtf8(this.#bytes.subarray(from, from + length))) {
      malformed('A string is not UTF-8.')
    }
    return text
  }

  /** Binary data (1.5.6), as a view of the packet. */
  binary(): Buffer {
    const length = this.twoBytes()
    return this.slice(this.#advance(length), this.at)
  }

  /** The bytes that are left, as a view of the packet. */
  rest(): Buffer {
    return this.slice(this.#advance(this.end - this.at), this.end)
  }

  slice(from: number, to: number): Buffer {
    return this.#bytes.subarray(from, to)
  }
}
