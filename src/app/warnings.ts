/** Logs failures of work that nobody waits for. */
import { isOutage } from '../platform/database/connect.ts'
import { errorFields, type Log } from '../platform/log.ts'

/** Called with what failed, and why. */
export type Warn = (message: string, error: unknown) => void

/**
 * Logs a warning. During an outage of the database everything fails for the same reason, which one
 * line tells already (see app/database.ts); the others are lines for debugging.
 */
export const warnWith =
  (log: Log): Warn =>
  (message, error) =>
    log(isOutage(error) ? 'debug' : 'warn', message, errorFields(error))
