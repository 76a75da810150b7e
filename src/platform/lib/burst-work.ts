/**
 * Work that a burst of signals asks for once, after a pause. It never runs twice at a time: what is
 * asked for while it runs is done afterwards, so long work under steady signals does not pile up.
 */
export class BurstWork {
  readonly #work: () => Promise<boolean>
  readonly #pauseMs: number
  readonly #againMs: number
  #timer: NodeJS.Timeout | undefined
  #isRunning = false
  #isWanted = false

  /** @param work must not reject; false: not everything could be done, so it runs again later */
  constructor(work: () => Promise<boolean>, { pauseMs, againMs }: Record<Pause, number>) {
    this.#work = work
    this.#pauseMs = pauseMs
    this.#againMs = againMs
  }

  /** Asks for a run. */
  wake(): void {
    this.#wake(this.#pauseMs)
  }

  /** Asks for a run in a while, since something has just failed. */
  wakeLater(): void {
    this.#wake(this.#againMs)
  }

  /** Forgets what is asked for; a run that has begun goes on. */
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
