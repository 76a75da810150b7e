/** Lets a few pieces of work run at once for each key; more of them wait for their turn. */

export interface KeyedTurns {
  /** Runs the work in its turn. Throws what `refuse` makes when too many others wait. */
  run<Result>(key: string, work: () => Promise<Result>): Promise<Result>
}

interface Queue {
  running: number
  waiting: (() => void)[]
}

/**
 * @param concurrency how many run at once for one key.
 * @param queueLimit how many may wait for one key.
 * @param refuse makes the error of whoever would be one too many.
 */
export function createKeyedTurns(
  concurrency: number,
  queueLimit: number,
  refuse: () => Error,
): KeyedTurns {
  const queues = new Map<string, Queue>()
  return {
    async run(key, work) {
      const queue = queues.get(key) ?? { running: 0, waiting: [] }
      queues.set(key, queue)
      if (queue.running < concurrency) queue.running += 1
      else {
        if (queue.waiting.length >= queueLimit) throw refuse()
        // Who leaves hands the place on, so `running` stays as it is for the one who waited.
        await new Promise<void>((resolve) => queue.waiting.push(resolve))
      }
      try {
        return await work()
      } finally {
        const next = queue.waiting.shift()
        if (next !== undefined) next()
        else if ((queue.running -= 1) === 0) queues.delete(key)
      }
    },
  }
}
