/**
 * What an import has seen so far, in few bytes for each: a set of 64-bit hashes, which grows with
 * the rows up to a bound that is known. A file of a million rows can't fill the memory.
 */
import { hash, randomBytes } from 'node:crypto'

const FIRST_SLOTS = 4_096

export class SeenKeys {
  // Keyed anew for each import, so that nobody can make two texts meet.
  readonly #key = randomBytes(16).toString('hex')
  /** Pairs of halves; a pair of zeros is a free slot. */
  #table = new Uint32Array(FIRST_SLOTS * 2)
  #count = 0

  /** @returns whether it is new. */
  add(text: string): boolean {
    const digest = hash('sha1', this.#key + text, 'buffer')
    if (this.#count * 4 > this.#table.length) this.#grow()
    const isNew = this.#put(digest.readUInt32LE(0), digest.readUInt32LE(4) || 1)
    if (isNew) this.#count += 1
    return isNew
  }

  #put(low: number, high: number): boolean {
    const slots = this.#table.length / 2
    for (let slot = low % slots; ; slot = (slot + 1) % slots) {
      const at = slot * 2
      if (this.#table[at + 1] === 0) {
        this.#table[at] = low
        this.#table[at + 1] = high
        return true
      }
      if (this.#table[at] === low && this.#table[at + 1] === high) return false
    }
  }

  #grow(): void {
    const old = this.#table
    this.#table = new Uint32Array(old.length * 2)
    for (let at = 0; at < old.length; at += 2) {
      const high = old[at + 1] as number
      if (high !== 0) this.#put(old[at] as number, high)
    }
  }
}
