/**
 * Pieces of work that are cheaper together: those of one key that come in one turn of the event
 * loop, or while others of it are under way, are done at once. A piece that comes alone waits for
 * nobody.
 */

interface Piece<Item, Result> {
  item: Item
  done: PromiseWithResolvers<Result>
}

interface Line<Item, Result> {
  waiting: Piece<Item, Result>[]
  underWay: number
  isDue: boolean
}

export interface GatheringLimits {
  /** Pieces that are done together at most. */
  atOnce: number
  /** Lots of one key that are under way at most, as long as none of them takes too long. */
  underWay: number
  /** How long a lot is waited for; then the next one goes on beside it. */
  patienceMs: number
}

export class GatheredWork<Item, Result> {
  readonly #work: (items: readonly Item[]) => Promise<readonly Result[]>
  readonly #limits: GatheringLimits
  readonly #lines = new Map<string, Line<Item, Result>>()

  /** @param work gives a result for each item, in their order, or fails for all of them. */
  constructor(
    work: (items: readonly Item[]) => Promise<readonly Result[]>,
    limits: GatheringLimits,
  ) {
    this.#work = work
    this.#limits = limits
  }

  /** @param key what may be done together has the same one. */
  run(key: string, item: Item): Promise<Result> {
    let line = this.#lines.get(key)
    if (line === undefined) {
      line = { waiting: [], underWay: 0, isDue: false }
      this.#lines.set(key, line)
    }
    const done = Promise.withResolvers<Result>()
    line.waiting.push({ item, done })
    this.#plan(key, line)
    return done.promise
  }

  #plan(key: string, line: Line<Item, Result>): void {
    if (line.isDue || line.underWay >= this.#limits.underWay) return
    if (line.waiting.length === 0) {
      if (line.underWay === 0) this.#lines.delete(key)
      return
    }
    line.isDue = true
    setImmediate(() => {
      line.isDue = false
      void this.#send(key, line)
    })
  }

  async #send(key: string, line: Line<Item, Result>): Promise<void> {
    const lot = line.waiting.splice(0, this.#limits.atOnce)
    let isWaitedFor = true
    line.underWay += 1
    const goOn = (): void => {
      if (!isWaitedFor) return
      isWaitedFor = false
      line.underWay -= 1
      this.#plan(key, line)
    }
    this.#plan(key, line)
    const timer = setTimeout(goOn, this.#limits.patienceMs)
    try {
      const results = await this.#work(lot.map(({ item }) => item))
      for (const [index, { done }] of lot.entries()) done.resolve(results[index] as Result)
    } catch (error) {
      for (const { done } of lot) done.reject(error)
    } finally {
      clearTimeout(timer)
      goOn()
    }
  }
}
