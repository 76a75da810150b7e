/**
 * Serializes batch work: one batch at a time, the next as soon as the previous is done, and after a
 * pause if it failed.
 */
const RETRY_MS = 250

export class SerialWorker {
  readonly #work: () => Promise<boolean>
  readonly #failed: (error: unknown) => void
  #running = false
  #again = false
  #stopped = false
  #timer: NodeJS.Timeout | undefined

  /**
   * @param work processes a batch and resolves with whether there is more; keeps what it could not
   * do
   * @param failed called with the error of a failed batch
   */
  constructor(work: () => Promise<boolean>, failed: (error: unknown) => void) {
    this.#work = work
    this.#failed = failed
  }

  /** Signals that there is work. */
  wake(): void {
    this.#again = true
    if (!this.#running && !this.#stopped) void this.#run()
  }

  /** Signals work after a pause, which replaces the one before it; the next batch ends it. */
  wakeAfter(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.wake(), ms).unref()
  }

  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  async #run(): Promise<void> {
    this.#running = true
    while (this.#again && !this.#stopped) {
      this.#again = false
      clearTimeout(this.#timer)
      try {
        if (await this.#work()) this.#again = true
      } catch (error) {
        if (this.#stopped) break
        this.#failed(error)
        this.#again = true
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref())
      }
    }
    this.#running = false
  }
}
