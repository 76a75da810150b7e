/** Work that repeats inside a process: batches to write, leases to renew, old rows to delete. */

export interface Timers {
  /**
   * Runs `work` again and again, `everyMs` after its last end. A failure is not fatal; it is logged
   * when it begins, and once a minute while it goes on.
   * @param restFactor it also rests so many times as long as it has just worked: what writes for a
   * whole fleet that reconnects leaves the database to whom it decides about.
   */
  every(everyMs: number, name: string, work: () => Promise<void>, restFactor?: number): void
  /** Stops the repetition; resolves when nothing runs any more. */
  stop(): Promise<void>
}

const SILENCE_MS = 60_000
const LONGEST_REST_MS = 5_000

export function createTimers(log: (message: string, error: unknown) => void): Timers {
  const handles = new Set<NodeJS.Timeout>()
  const running = new Set<Promise<void>>()
  let stopped = false
  return {
    every(everyMs, name, work, restFactor = 0) {
      let silentUntil = 0
      const complain = (error: unknown): void => {
        if (performance.now() < silentUntil) return
        silentUntil = performance.now() + SILENCE_MS
        log(`${name} failed`, error)
      }
      const schedule = (workedMs: number): void => {
        if (stopped) return
        const restMs = Math.min(workedMs * restFactor, LONGEST_REST_MS)
        const handle = setTimeout(
          () => {
            handles.delete(handle)
            const begun = performance.now()
            const run = work()
              .then(() => {
                silentUntil = 0
              })
              .catch(complain)
              .finally(() => {
                running.delete(run)
                schedule(performance.now() - begun)
              })
            running.add(run)
          },
          Math.max(everyMs, restMs),
        )
        handles.add(handle)
      }
      schedule(0)
    },
    async stop() {
      stopped = true
      for (const handle of handles) clearTimeout(handle)
      await Promise.all(running)
    },
  }
}
