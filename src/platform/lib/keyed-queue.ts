/** Runs tasks with the same key sequentially, and those with different keys concurrently. */
export class KeyedQueue {
  readonly #last = new Map<string, Promise<void>>()

  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key)
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#last.set(key, promise)
    try {
      await before
      return await task()
    } finally {
      resolve()
      if (this.#last.get(key) === promise) this.#last.delete(key)
    }
  }
}
