/**
 * Keeps the embedded Postgres running: if it ends unexpectedly, it is restarted on its folder. The
 * service's pools reconnect by themselves.
 */
import type { EmbeddedPostgres } from './embedded.ts'

export interface Watch {
  /** Resolves when the server was lost and could not be restarted. */
  lost: Promise<Error>
  /** From now on its end is expected: a service manager may stop both processes at once. */
  release(): void
  /** Stops the server. */
  stop(): Promise<void>
  /** How often the server was started again. */
  restarts: () => number
}

const MAX_RESTARTS = 5
const WITHIN_MS = 60_000

export function watchEmbedded(
  postgres: EmbeddedPostgres,
  log: (message: string, fields: Record<string, unknown>) => void,
): Watch {
  const { promise: lost, resolve: give } = Promise.withResolvers<Error>()
  let stopping = false
  let reviving: Promise<boolean> | undefined
  let recent: number[] = []
  let restarts = 0

  /** Restarts the server; false if that is pointless now. */
  const revive = async (code: number | null): Promise<boolean> => {
    log('the embedded Postgres ended by itself and is started again', { status: code })
    const now = performance.now()
    recent = [...recent.filter((at) => now - at < WITHIN_MS), now]
    if (recent.length > MAX_RESTARTS) {
      give(new Error(`The embedded Postgres ended ${recent.length} times within a minute.`))
      return false
    }
    restarts += 1
    try {
      await postgres.restart()
      log('the embedded Postgres runs again', {})
      return true
    } catch (error) {
      give(error as Error)
      return false
    }
  }

  const watch = async (): Promise<void> => {
    for (;;) {
      const { code } = await postgres.exited
      if (stopping) return
      reviving = revive(code)
      if (!(await reviving)) return
    }
  }
  const watching = watch()

  return {
    lost,
    restarts: () => restarts,
    release() {
      stopping = true
    },
    async stop() {
      stopping = true
      // A server that is just starting would otherwise be left running.
      await reviving
      await postgres.stop()
      await watching
    },
  }
}
