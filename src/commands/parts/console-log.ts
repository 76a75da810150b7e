/** Turns plain text that libraries and Node write to the console into log lines. */
import { format } from 'node:util'
import { errorFields, type Log } from '../../platform/log.ts'

/** From now on, console output and Node's warnings become log lines. */
export function logConsole(log: Log): void {
  for (const method of ['log', 'info', 'warn', 'error', 'trace'] as const) {
    console[method] = (...words: unknown[]) =>
      log('warn', 'message of a library', { words: format(...words).slice(0, 500) })
  }
  process.removeAllListeners('warning')
  process.on('warning', (warning) => log('warn', 'Node warns', errorFields(warning)))
}
