/** Work that repeats inside a process: batches to write, leases to renew, old rows to delete. */

export interface Timers {
  /**
   * Runs `work` again and again, `everyMs` after its last end. A failure is not fatal; it is logged
   * when it begins, and once a minute while it goes on.
   */
  every(everyMs: number, name: string, work: () => Promise<void>): void
  /** Stops the repetition; resolves when nothing runs any more. */
  stop(): Promise<void>
}

const SILENCE_MS = 60_000

export function createTimers(log: (message: string, error: unknown) => void): Timers {
  const handles = new Set<NodeJS.Timeout>()
  const running = new Set<Promise<void>>()
  let stopped = false
  return {
    every(everyMs, name, work) {
      let silentUntil = 0
      const complain = (error: unknown): void => {
        if (performance.now() < silentUntil) return
        silentUntil = performance.now() + SILENCE_MS
        log(`${name} failed`, error)
      }
      const schedule = (): void => {
        if (stopped) return
        const handle = setTimeout(() => {
          handles.delete(handle)
          const run = work()
            .then(() => {
              silentUntil = 0
            })
            .catch(complain)
            .finally(() => {
              running.delete(run)
              schedule()
            })
          running.add(run)
        }, everyMs)
        handles.add(handle)
      }
      schedule()
    },
    async stop() {
      stopped = true
      for (const handle of handles) clearTimeout(handle)
      await Promise.all(running)
    },
  }
}
