/** Runs a piece of work once at a time; concurrent callers share a run. */
export class SingleFlight<Result = void> {
  readonly #work: () => Promise<Result>
  #running: Promise<Result> | undefined
  #next: Promise<Result> | undefined

  constructor(work: () => Promise<Result>) {
    this.#work = work
  }

  get isRunning(): boolean {
    return this.#running !== undefined
  }

  /** Shares the current run, or begins one. A later call of somebody who waited begins another. */
  join(): Promise<Result> {
    if (this.#running === undefined) {
      // All who wait for the next run called before this one.
      this.#next = undefined
      this.#running = this.#work().finally(() => {
        this.#running = undefined
      })
    }
    return this.#running
  }

  /** Shares a run that begins after the call with all who call before it begins. */
  joinNext(): Promise<Result> {
    const join = (): Promise<Result> => this.join()
    this.#next ??= (this.#running ?? Promise.resolve()).then(join, join)
    return this.#next
  }
}
