/** The lines of a process of the service that are not log lines by themselves. */
import { format } from 'node:util'
import { errorFields, type Log } from '../../platform/log.ts'
import { FAILED } from '../command.ts'

/** Longer than the gap between two requests on a busy connection. */
export const RETIRE_MS = 300

/**
 * From now on, console output and Node's warnings become log lines, and so does the error that ends
 * the process.
 */
export function logEverything(log: Log): void {
  for (const method of ['log', 'info', 'warn', 'error', 'trace'] as const) {
    console[method] = (...parts: unknown[]) =>
      log('warn', 'message of a library', { parts: format(...parts).slice(0, 500) })
  }
  process.removeAllListeners('warning')
  process.on('warning', (warning) => log('warn', 'Node warns', errorFields(warning)))
  process.on('uncaughtException', (error) => {
    log('error', 'the process ends because of an uncaught error', errorFields(error))
    process.exit(FAILED)
  })
}
