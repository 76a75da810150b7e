/** In-process timers: flushing batches, renewing leases, deleting old rows. */
import { LogThrottle } from '../lib/log-throttle.ts'

export interface Timers {
  /**
   * Runs `work` repeatedly, `everyMs` after the previous run ended. Failures are not fatal; they
   * are logged at first and then once a minute.
   * @param restFactor additionally pauses for this multiple of the run's duration, so that batch
   * writes of a reconnecting fleet leave the database to authentication
   */
  every(everyMs: number, name: string, work: () => Promise<void>, restFactor?: number): void
  /** Stops repeating; resolves when nothing runs any more. */
  stop(): Promise<void>
}

const LONGEST_REST_MS = 5_000

export function createTimers(log: (message: string, error: unknown) => void): Timers {
  const handles = new Set<NodeJS.Timeout>()
  const running = new Set<Promise<void>>()
  let stopped = false
  return {
    every(everyMs, name, work, restFactor = 0) {
      const throttle = new LogThrottle()
      const complain = (error: unknown): void => {
        if (throttle.isDue()) log(`${name} failed`, error)
      }
      const schedule = (workedMs: number): void => {
        if (stopped) return
        const restMs = Math.min(workedMs * restFactor, LONGEST_REST_MS)
        const handle = setTimeout(
          () => {
            handles.delete(handle)
            const begun = performance.now()
            const run = work()
              .then(() => throttle.reset())
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
