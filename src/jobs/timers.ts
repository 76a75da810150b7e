/** Work that repeats inside a process: batches to write, leases to renew, old rows to delete. */

export interface Timers {
  /** Runs `work` again and again, `everyMs` after its last end; a failure is logged, not fatal. */
  every(everyMs: number, name: string, work: () => Promise<void>): void
  /** Stops the repetition; resolves when nothing runs any more. */
  stop(): Promise<void>
}

export function createTimers(log: (message: string, error: unknown) => void): Timers {
  const handles = new Set<NodeJS.Timeout>()
  const running = new Set<Promise<void>>()
  let stopped = false
  return {
    every(everyMs, name, work) {
      const schedule = (): void => {
        if (stopped) return
        const handle = setTimeout(() => {
          handles.delete(handle)
          const run = work()
            .catch((error: unknown) => log(`${name} failed`, error))
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
