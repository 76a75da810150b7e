/**
 * Runs a piece of work once at a time. A call gets a run that begins after it, and shares that
 * with all who call before it begins.
 */
export class SerialRuns {
  readonly #work: () => Promise<void>
  #last: Promise<void> = Promise.resolve()
  #next: Promise<void> | undefined

  constructor(work: () => Promise<void>) {
    this.#work = work
  }

  /** Resolves or rejects with a run that began after the call. */
  run(): Promise<void> {
    const begin = (): Promise<void> => {
      this.#next = undefined
      return this.#work()
    }
    this.#next ??= this.#last = this.#last.then(begin, begin)
    return this.#next
  }
}
