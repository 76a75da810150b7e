/** Work that comes again and again, never twice at once. */

export interface Periodic {
  /** Ends it, and waits for the run that is under way. */
  stop(): Promise<void>
}

/** Runs `work` each time that `milliseconds` have passed since it last ended. */
export function runEvery(
  milliseconds: number,
  work: () => Promise<void>,
  onError: (error: unknown) => void,
): Periodic {
  let timer: NodeJS.Timeout | undefined
  let running = Promise.resolve()
  let stopped = false
  const schedule = (): void => {
    timer = setTimeout(() => {
      running = work()
        .catch(onError)
        .then(() => {
          if (!stopped) schedule()
        })
    }, milliseconds)
  }
  schedule()
  return {
    stop() {
      stopped = true
      clearTimeout(timer)
      return running
    },
  }
}
