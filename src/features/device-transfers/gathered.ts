/** Puts the short lists of a stream together to longer ones, as far as they are there already. */

/** A turn of the event loop, in which what has arrived is read. */
const turn = (): Promise<undefined> => new Promise((resolve) => setImmediate(resolve, undefined))

/** Turns without anything new after which nobody is kept waiting any longer. */
const PATIENCE = 3

/** @param most how many items a list has, at most. */
export async function* gathered<T>(
  lists: AsyncIterable<T[]>,
  most: number,
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
      for (let turns = 0; held.length < most && turns < PATIENCE; turns += 1) {
        const more = await Promise.race([next.catch(() => undefined), turn()])
        if (more === undefined) continue
        if (more.done) break
        held = held.concat(more.value)
        turns = 0
        next = source.next()
        next.catch(() => {})
      }
      yield held.slice(0, most)
      held = held.slice(most)
    }
  } finally {
    void source.return?.().catch(() => {})
  }
}
