/**
 * Shutdown signals. Before the service is ready it just exits: the next start repeats anything
 * unfinished. Afterwards it gets ten seconds; a second signal exits immediately.
 */
import { DONE, FAILED, say } from '../command.ts'

const STOP_WITHIN_MS = 10_000
/** npm forwards a Ctrl-C to a process that already received it from the terminal. */
const SAME_SIGNAL_MS = 500

export interface Stopping {
  /** Resolves when the service should stop. */
  asked: Promise<void>
  /** From now on a signal requests a shutdown instead of ending the process. */
  ready(): void
  /** Starts the ten seconds after which the process ends in any case. */
  limit(): void
}

export function watchSignals(): Stopping {
  const { promise: asked, resolve } = Promise.withResolvers<void>()
  let isReady = false
  let askedAt: number | undefined

  const limit = (): void => {
    setTimeout(() => {
      say('mooring: the process did not stop within ten seconds and is terminated')
      process.exit(FAILED)
    }, STOP_WITHIN_MS).unref()
  }

  const onSignal = (signal: NodeJS.Signals): void => {
    if (askedAt !== undefined) {
      if (Date.now() - askedAt < SAME_SIGNAL_MS) return
      say(`mooring: ${signal} again: the process ends at once`)
      process.exit(FAILED)
    }
    askedAt = Date.now()
    if (!isReady) process.exit(DONE)
    limit()
    resolve()
  }

  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  // A closed terminal sends SIGHUP, which would end the process at once, without draining.
  process.on('SIGHUP', onSignal)
  return {
    asked,
    ready: () => {
      isReady = true
    },
    limit,
  }
}
