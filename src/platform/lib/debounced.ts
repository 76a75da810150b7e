/**
 * Runs work once for a burst of signals, after a pause. It never runs concurrently with itself: a
 * signal during a run causes one more run after it, so steady signals do not pile up runs.
 */
export class Debounced {
  readonly #work: () => Promise<boolean>
  readonly #pauseMs: number
  readonly #againMs: number
  #timer: NodeJS.Timeout | undefined
  #isRunning = false
  #isWanted = false

  /** @param work must not reject; false: it runs again after the longer pause */
  constructor(work: () => Promise<boolean>, { pauseMs, againMs }: Record<Pause, number>) {
    this.#work = work
    this.#pauseMs = pauseMs
    this.#againMs = againMs
  }

  /** Asks for a run. */
  wake(): void {
    this.#wake(this.#pauseMs)
  }

  /** Asks for a run after the longer pause. */
  wakeLater(): void {
    this.#wake(this.#againMs)
  }

  /** Cancels the next run; a run that has begun continues. */
  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#isWanted = false
  }

  #wake(afterMs: number): void {
    if (this.#isRunning) this.#isWanted = true
    else this.#timer ??= setTimeout(() => void this.#run(), afterMs)
  }

  async #run(): Promise<void> {
    this.#timer = undefined
    this.#isRunning = true
    this.#isWanted = false
    const isDone = await this.#work()
    this.#isRunning = false
    if (!isDone) this.wakeLater()
    else if (this.#isWanted) this.wake()
  }
}

type Pause = 'pauseMs' | 'againMs'
