/** Runs at most a few tasks per key at once; tasks of different keys do not wait for each other. */

interface Queue {
  running: number
  waiting: (() => void)[]
}

export class KeyedSemaphore {
  readonly #queues = new Map<string, Queue>()
  readonly #concurrency: number
  readonly #queueLimit: number
  readonly #refuse: () => Error

  /**
   * @param concurrency running tasks per key
   * @param queueLimit waiting tasks per key
   * @param refuse creates the error for a full queue
   */
  constructor(concurrency: number, queueLimit: number, refuse: () => Error) {
    this.#concurrency = concurrency
    this.#queueLimit = queueLimit
    this.#refuse = refuse
  }

  /** Runs the task when there is a free slot, in the order of the calls. */
  async run<Result>(key: string, task: () => Promise<Result>): Promise<Result> {
    const queue = this.#queues.get(key) ?? { running: 0, waiting: [] }
    this.#queues.set(key, queue)
    if (queue.running < this.#concurrency) queue.running += 1
    else {
      if (queue.waiting.length >= this.#queueLimit) throw this.#refuse()
      // The finished task passes its slot on, so `running` stays the same.
      await new Promise<void>((resolve) => queue.waiting.push(resolve))
    }
    try {
      return await task()
    } finally {
      const next = queue.waiting.shift()
      if (next !== undefined) next()
      else if ((queue.running -= 1) === 0) this.#queues.delete(key)
    }
  }
}

/** Runs the tasks of a key one after the other, without a limit on how many wait. */
export class KeyedMutex extends KeyedSemaphore {
  constructor() {
    super(1, Infinity, () => new Error('a queue without a limit is never full'))
  }
}
