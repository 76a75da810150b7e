/**
 * Combines the short lists of a stream into longer ones, without waiting for items that have not
 * arrived.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Turns without new items after which the list is passed on. */
const IDLE_TURNS = 3

/**
 * Maximum short lists in a longer one. Each holds the rows of a few kilobytes, so this bounds the
 * memory of a stream also where its rows are as large as they may be.
 */
const MAX_LISTS = 128

/** @param max maximum items per list */
export async function* gathered<T>(
  lists: AsyncIterable<T[]>,
  max: number,
): AsyncGenerator<T[], undefined> {
  const source = lists[Symbol.asyncIterator]()
  let next = source.next()
  let held: T[] = []
  try {
    for (;;) {
      if (held.length === 0) {
        const { done, value } = await next
        if (done) return undefined
        held = value
        next = source.next()
        next.catch(() => {})
      }
      let joined = 1
      for (let turns = 0; held.length < max && turns < IDLE_TURNS; turns += 1) {
        if (joined >= MAX_LISTS) break
        // In a turn of the event loop arrived data is read.
        const more = await Promise.race([next.catch(() => undefined), nextTurn(undefined)])
        if (more === undefined) continue
        if (more.done) break
        held = held.concat(more.value)
        joined += 1
        turns = 0
        next = source.next()
        next.catch(() => {})
      }
      yield held.slice(0, max)
      held = held.slice(max)
    }
  } finally {
    void source.return?.().catch(() => {})
  }
}
