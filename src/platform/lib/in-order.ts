/**
 * Processes several items of a stream concurrently and yields results in the order of the items.
 */

const settled = (): undefined => undefined

type Arrived<T> = { item: T } | { end: true } | { error: unknown }

const arrivalOf = <T>(items: AsyncIterator<T, undefined>): Promise<Arrived<T>> =>
  items.next().then(
    ({ done, value }) => (done ? { end: true } : { item: value }),
    (error: unknown) => ({ error }),
  )

/**
 * A result is yielded as soon as it and all earlier ones are ready, without waiting for further
 * items. An error of the stream is thrown after the results of earlier items.
 * @param max maximum items in progress; further ones stay in the stream
 */
export async function* inOrder<T, Result>(
  items: AsyncIterator<T, undefined>,
  max: number,
  work: (item: T) => Promise<Result>,
): AsyncGenerator<Result, undefined> {
  const inFlight: Promise<Result>[] = []
  let ahead = arrivalOf(items)
  let last: Exclude<Arrived<T>, { item: T }> | undefined
  for (;;) {
    while (last === undefined && inFlight.length < max) {
      const oldestDone = inFlight.slice(0, 1).map((oldest) => oldest.then(settled, settled))
      const arrived = await Promise.race([ahead, ...oldestDone])
      if (arrived === undefined) break
      if ('item' in arrived) {
        const working = work(arrived.item)
        // Handled in its turn.
        working.catch(() => {})
        inFlight.push(working)
        ahead = arrivalOf(items)
      } else last = arrived
    }
    const oldest = inFlight.shift()
    if (oldest === undefined) {
      if (last !== undefined && 'error' in last) throw last.error
      return undefined
    }
    yield await oldest
  }
}
