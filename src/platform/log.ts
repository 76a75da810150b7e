/** The log: one JSON object per line on standard error. Never logs credentials. */
import type { Config } from './config/config.ts'

type Level = Exclude<Config['logLevel'], 'silent'>

export interface Log {
  (level: Level, message: string, fields?: Record<string, unknown>): void
}

const ORDER: readonly Config['logLevel'][] = ['debug', 'info', 'warn', 'error', 'silent']

/** The loggable part of an error. Messages may come from libraries, so they are truncated. */
export function errorFields(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: String(error).slice(0, 500) }
  const { code } = error as { code?: string }
  const { cause } = error
  return {
    error: error.message.slice(0, 500),
    ...(code !== undefined && { code }),
    ...(cause instanceof Error && { cause: cause.message.slice(0, 500) }),
    stack: error.stack
      ?.split('\n')
      .slice(1, 6)
      .map((line) => line.trim()),
  }
}

/**
 * The error in fields as above, and its cause where it says something else.
 * @returns null without an error
 */
export function reasonOf({ error, cause }: Record<string, unknown> = {}): string | null {
  if (typeof error !== 'string') return null
  if (typeof cause !== 'string' || error.includes(cause)) return error
  return `${error.replace(/[.:]$/, '')}: ${cause}`
}

/** Priorities of syslog (RFC 5424 section 6.2.1), as journald and `logger --prio-prefix` read. */
const PRIORITY = { debug: 7, info: 6, warn: 4, error: 3 } as const

export function createLog(level: Config['logLevel'], priority: Config['logPriority'] = 'off'): Log {
  const least = ORDER.indexOf(level)
  return (at, message, fields = {}) => {
    if (ORDER.indexOf(at) < least) return
    const line = { time: new Date().toISOString(), level: at, message, ...fields }
    const prefix = priority === 'on' ? `<${PRIORITY[at]}>` : ''
    process.stderr.write(`${prefix}${JSON.stringify(line)}\n`)
  }
}
