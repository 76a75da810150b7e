/** Runs at most a few tasks at once, the others in the order of the calls. */

interface Limits {
  /** Tasks that run at once. */
  concurrency: number
  /** Tasks that wait; by default as many as come. */
  queueLimit?: number
  /** How long a task waits, in milliseconds; by default for as long as it takes. */
  waitMs?: number
  /** Creates the error for a task that cannot wait. */
  refuse?: () => Error
}

export class Semaphore {
  readonly #limits: Limits
  readonly #waiting = new Set<() => void>()
  #running = 0

  constructor(limits: Limits) {
    this.#limits = limits
  }

  get isIdle(): boolean {
    return this.#running === 0
  }

  async run<Result>(task: () => Promise<Result>): Promise<Result> {
    if (this.#running < this.#limits.concurrency) this.#running += 1
    else await this.#turn()
    try {
      return await task()
    } finally {
      // A finished task passes its slot on, so that `#running` stays the same.
      const [next] = this.#waiting
      if (next === undefined) this.#running -= 1
      else next()
    }
  }

  #turn(): Promise<void> {
    const { queueLimit = Infinity, waitMs, refuse = () => new Error('it is full') } = this.#limits
    return new Promise((resolve, reject) => {
      if (this.#waiting.size >= queueLimit) throw refuse()
      const begin = (): void => {
        clearTimeout(timer)
        this.#waiting.delete(begin)
        resolve()
      }
      const giveUp = (): void => {
        this.#waiting.delete(begin)
        reject(refuse())
      }
      const timer = waitMs === undefined ? undefined : setTimeout(giveUp, waitMs)
      this.#waiting.add(begin)
    })
  }
}

/** The same for the tasks of each key: tasks of different keys do not wait for each other. */
export class KeyedSemaphore {
  readonly #limits: Limits
  readonly #byKey = new Map<string, Semaphore>()

  constructor(limits: Limits) {
    this.#limits = limits
  }

  async run<Result>(key: string, task: () => Promise<Result>): Promise<Result> {
    const semaphore = this.#byKey.get(key) ?? new Semaphore(this.#limits)
    this.#byKey.set(key, semaphore)
    try {
      return await semaphore.run(task)
    } finally {
      if (semaphore.isIdle && this.#byKey.get(key) === semaphore) this.#byKey.delete(key)
    }
  }
}
