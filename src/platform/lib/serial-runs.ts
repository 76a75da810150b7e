/**
 * Runs a piece of work once at a time. A call gets a run that begins after it, and shares that
 * with all who call before it begins.
 */
export class SerialRuns<Result = void> {
  readonly #work: () => Promise<Result>
  #last: Promise<unknown> = Promise.resolve()
  #next: Promise<Result> | undefined

  constructor(work: () => Promise<Result>) {
    this.#work = work
  }

  /** Resolves or rejects with a run that began after the call. */
  run(): Promise<Result> {
    const begin = (): Promise<Result> => {
      this.#next = undefined
      return this.#work()
    }
    this.#next ??= this.#last = this.#last.then(begin, begin)
    return this.#next
  }
}
