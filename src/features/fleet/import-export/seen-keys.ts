/**
 * Remembers the names an import has seen and their lines, compactly: 64-bit hashes in a table that
 * grows up to a known bound, so that a file of a million rows cannot exhaust memory.
 */
import { hash, randomBytes } from 'node:crypto'

const FIRST_SLOTS = 4_096
/**
 * Integers per slot: two halves of the hash, and the line; a second half of 0 marks a free slot.
 */
const WIDTH = 3

export class SeenKeys {
  // A new key for each import, so that nobody can provoke collisions.
  readonly #key = randomBytes(16).toString('hex')
  #table = new Uint32Array(FIRST_SLOTS * WIDTH)
  #count = 0

  /** @returns the line of its first occurrence: the given one if it is new */
  add(text: string, line: number): number {
    if (this.#count * 2 * WIDTH > this.#table.length) this.#grow()
    const [low, high] = this.#hash(text)
    const at = this.#find(low, high)
    if (this.#table[at + 1] === 0) {
      this.#table.set([low, high, line], at)
      this.#count += 1
    }
    return this.#table[at + 2] as number
  }

  /** @returns the line of its first occurrence, if any */
  lineOf(text: string): number | undefined {
    const at = this.#find(...this.#hash(text))
    return this.#table[at + 1] === 0 ? undefined : this.#table[at + 2]
  }

  #hash(text: string): [number, number] {
    const digest = hash('sha1', this.#key + text, 'buffer')
    return [digest.readUInt32LE(0), digest.readUInt32LE(4) || 1]
  }

  /** @returns its slot, or the free slot where it would be */
  #find(low: number, high: number): number {
    const slots = this.#table.length / WIDTH
    for (let slot = low % slots; ; slot = (slot + 1) % slots) {
      const at = slot * WIDTH
      const found = this.#table[at + 1]
      if (found === 0 || (found === high && this.#table[at] === low)) return at
    }
  }

  #grow(): void {
    const old = this.#table
    this.#table = new Uint32Array(old.length * 2)
    for (let at = 0; at < old.length; at += WIDTH) {
      const [low, high, line] = old.subarray(at, at + WIDTH) as unknown as [number, number, number]
      if (high !== 0) this.#table.set([low, high, line], this.#find(low, high))
    }
  }
}
