/** The size of a cache of the package lru-cache. */

/**
 * At most so many entries. A cache with `max` instead takes the memory of all its entries when it
 * is made: of a hundred thousand, milliseconds of the start, whether or not it is ever used.
 */
export const upTo = (entries: number): { maxSize: number; sizeCalculation: () => number } => ({
  maxSize: entries,
  sizeCalculation: () => 1,
})
