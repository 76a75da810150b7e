/** What the log says of requests that failed on our side. */
import { errorFields, type Log } from '../log.ts'

/** While the database is away every request fails alike; one line a second says it. */
const UNAVAILABLE_LOG_MS = 1_000

/** Writes what failed on our side; an outage is not one line for each request. */
export function failureLog(log: Log): (error: unknown, status: number, traceId: string) => void {
  let lastUnavailable = 0
  return (error, status, traceId) => {
    const fields = { trace_id: traceId, ...errorFields(error) }
    if (status !== 503) return log('error', 'a request failed', fields)
    if (Date.now() - lastUnavailable < UNAVAILABLE_LOG_MS) return
    lastUnavailable = Date.now()
    log('warn', 'requests are refused for now', fields)
  }
}
