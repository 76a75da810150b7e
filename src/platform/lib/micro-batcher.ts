/**
 * Batches items that are cheaper together: items of one key that come in one turn of the event
 * loop, or while others of it are in flight, are processed at once. A single item does not wait,
 * unless one is in flight and `minFurther` asks for more.
 */

interface Pending<Item, Result> {
  item: Item
  done: PromiseWithResolvers<Result>
}

interface Queue<Item, Result> {
  waiting: Pending<Item, Result>[]
  inFlight: number
  isScheduled: boolean
}

export interface BatchLimits {
  /** Maximum items of a batch. */
  batchSize: number
  /** Maximum batches of one key in flight, not counting those that have timed out. */
  inFlight: number
  /** Items that a batch must have to be sent while another is in flight; 1 by default. */
  minFurther?: number
  /** After this time a batch no longer delays the next one; unset: it does until it is done. */
  timeoutMs?: number
}

export class MicroBatcher<Item, Result> {
  readonly #process: (items: readonly Item[]) => Promise<readonly Result[]>
  readonly #limits: BatchLimits
  readonly #queues = new Map<string, Queue<Item, Result>>()

  /** @param work returns a result for each item, in their order, or fails for all of them */
  constructor(work: (items: readonly Item[]) => Promise<readonly Result[]>, limits: BatchLimits) {
    this.#process = work
    this.#limits = limits
  }

  /** @param key only items with the same key share a batch */
  run(key: string, item: Item): Promise<Result> {
    let queue = this.#queues.get(key)
    if (queue === undefined) {
      queue = { waiting: [], inFlight: 0, isScheduled: false }
      this.#queues.set(key, queue)
    }
    const done = Promise.withResolvers<Result>()
    queue.waiting.push({ item, done })
    this.#schedule(key, queue)
    return done.promise
  }

  #schedule(key: string, queue: Queue<Item, Result>): void {
    if (queue.isScheduled || queue.inFlight >= this.#limits.inFlight) return
    if (queue.waiting.length === 0) {
      if (queue.inFlight === 0) this.#queues.delete(key)
      return
    }
    if (queue.inFlight > 0 && queue.waiting.length < (this.#limits.minFurther ?? 1)) return
    queue.isScheduled = true
    setImmediate(() => {
      queue.isScheduled = false
      void this.#send(key, queue)
    })
  }

  async #send(key: string, queue: Queue<Item, Result>): Promise<void> {
    const { batchSize, timeoutMs } = this.#limits
    const batch = queue.waiting.splice(0, batchSize)
    let isCounted = true
    queue.inFlight += 1
    const release = (): void => {
      if (!isCounted) return
      isCounted = false
      queue.inFlight -= 1
      this.#schedule(key, queue)
    }
    this.#schedule(key, queue)
    const timer = timeoutMs === undefined ? undefined : setTimeout(release, timeoutMs)
    try {
      const results = await this.#process(batch.map(({ item }) => item))
      for (const [index, { done }] of batch.entries()) done.resolve(results[index] as Result)
    } catch (error) {
      for (const { done } of batch) done.reject(error)
    } finally {
      clearTimeout(timer)
      release()
    }
  }
}
