/**
 * How the service is told to stop. Before it is ready it just ends: nothing is half done that the
 * next start would not do again. Afterwards it gets ten seconds; who asks twice gets it at once.
 */
import { DONE, FAILED, say } from './command.ts'

const STOP_WITHIN_MS = 10_000
/** npm passes a Ctrl-C on to a process that has had it from the terminal already. */
const SAME_SIGNAL_MS = 500

export interface Stopping {
  /** Resolves when the service shall stop. */
  asked: Promise<void>
  /** From now on a signal asks for a stop instead of ending the process. */
  ready(): void
  /** Begins the ten seconds after which the process ends, whatever still runs. */
  limit(): void
}

export function watchSignals(): Stopping {
  const { promise: asked, resolve } = Promise.withResolvers<void>()
  let isReady = false
  let askedAt: number | undefined

  const limit = (): void => {
    setTimeout(() => {
      say('mooring: it did not stop within ten seconds and is ended now')
      process.exit(FAILED)
    }, STOP_WITHIN_MS).unref()
  }

  const onSignal = (signal: NodeJS.Signals): void => {
    if (askedAt !== undefined) {
      if (Date.now() - askedAt < SAME_SIGNAL_MS) return
      say(`mooring: ${signal} again: it ends at once`)
      process.exit(FAILED)
    }
    askedAt = Date.now()
    if (!isReady) process.exit(DONE)
    limit()
    resolve()
  }

  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  return {
    asked,
    ready: () => {
      isReady = true
    },
    limit,
  }
}
