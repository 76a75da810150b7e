/** Logs requests that failed internally. */
import { errorFields, type Log } from '../log.ts'

/** During a database outage every request fails alike; one line a second is enough. */
const UNAVAILABLE_LOG_MS = 1_000

/** Logs internal failures, throttled during an outage. */
export function failureLog(log: Log): (error: unknown, status: number, traceId: string) => void {
  let lastUnavailable = Number.NEGATIVE_INFINITY
  return (error, status, traceId) => {
    const fields = { trace_id: traceId, ...errorFields(error) }
    if (status !== 503) return log('error', 'a request failed', fields)
    const now = performance.now()
    if (now - lastUnavailable < UNAVAILABLE_LOG_MS) return
    lastUnavailable = now
    log('warn', 'requests are refused for now', fields)
  }
}
