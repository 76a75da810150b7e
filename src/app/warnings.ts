/** Logs failures: of requests, and of work that nobody waits for. */
import { isOutage } from '../platform/database/connect.ts'
import { Failure } from '../platform/errors/errors.ts'
import { errorFields, type Log } from '../platform/log.ts'

/** Called with what failed, and why. */
export type Warn = (message: string, error: unknown) => void

/**
 * Logs a warning. During an outage of the database everything fails for the same reason, which one
 * line reports already (see app/database.ts); the others are lines for debugging.
 */
export const warnWith =
  (log: Log): Warn =>
  (message, error) =>
    log(isOutage(error) ? 'debug' : 'warn', message, errorFields(error))

/** While the service is overloaded, many requests fail alike; one line a second is enough. */
const UNAVAILABLE_LOG_MS = 1_000

/** Logs internal failures: throttled when overloaded, only for debugging during an outage. */
export function failureLog(log: Log): (error: unknown, status: number, traceId: string) => void {
  let lastUnavailable = Number.NEGATIVE_INFINITY
  return (error, status, traceId) => {
    const cause = error instanceof Failure ? error.cause : undefined
    const fields = { trace_id: traceId, ...errorFields(cause ?? error) }
    if (status !== 503) return log('error', 'a request failed', fields)
    if (isOutage(error)) return log('debug', 'a request was refused during an outage', fields)
    const now = performance.now()
    if (now - lastUnavailable < UNAVAILABLE_LOG_MS) return
    lastUnavailable = now
    log('warn', 'requests are refused temporarily', fields)
  }
}
