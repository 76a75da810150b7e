/** A concurrency limit per key, with a bounded queue. */

export interface KeyedTurns {
  /** Runs the work when there is a free slot. Throws the error of `refuse` if the queue is full. */
  run<Result>(key: string, work: () => Promise<Result>): Promise<Result>
}

interface Queue {
  running: number
  waiting: (() => void)[]
}

/**
 * @param concurrency slots per key
 * @param queueLimit waiting tasks per key
 * @param refuse creates the error for a full queue
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
        // The finished task passes its slot on, so `running` stays the same.
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
