/** Random choices that are the same for the same seed. */

export interface Random {
  /** At least 0, less than 1. */
  next(): number
  /** An integer from 0 to less than `limit`. */
  below(limit: number): number
  pick<T>(from: readonly T[]): T
  chance(share: number): boolean
}

/** splitmix32: each request has a generator of its own, made from the seed and its number. */
export function randomOf(seed: number, number: number): Random {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(number + 1, 0xc2b2ae35)
  const next = (): number => {
    state = (state + 0x9e3779b9) | 0
    let mixed = state ^ (state >>> 16)
    mixed = Math.imul(mixed, 0x21f0aaad)
    mixed ^= mixed >>> 15
    mixed = Math.imul(mixed, 0x735a2d97)
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  return {
    next,
    below,
    pick: <T>(from: readonly T[]): T => from[below(from.length)] as T,
    chance: (share) => next() < share,
  }
}

/** An item of each list in turn, by their weights. */
export function weighted<T>(items: readonly T[], weightOf: (item: T) => number) {
  const ends: number[] = []
  let total = 0
  for (const item of items) ends.push((total += weightOf(item)))
  return (random: Random): T => {
    const at = random.next() * total
    let low = 0
    let high = ends.length - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if ((ends[middle] as number) > at) high = middle
      else low = middle + 1
    }
    return items[low] as T
  }
}
