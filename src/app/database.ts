/** Opens the database connections as configured. */
import type pg from 'pg'
import { type Config, requestRoleOf } from '../platform/config/config.ts'
import { connectDatabase, type Database } from '../platform/database/connect.ts'
import { tracedDatabase } from '../platform/database/traced-db.ts'
import { errorFields, type Log } from '../platform/log.ts'

export interface DatabaseTimeouts {
  /** Time limit of a query, in milliseconds. */
  statementTimeoutMs: number
  /** Time limit for acquiring a connection, in milliseconds. */
  acquireTimeoutMs: number
}

export const defaultTimeouts: DatabaseTimeouts = {
  statementTimeoutMs: 5_000,
  acquireTimeoutMs: 2_000,
}

/** One line when the database goes, and one when it is back. */
function outageLog(log: Log): (error: Error | undefined) => void {
  let since = 0
  return (error) => {
    if (error === undefined) {
      const seconds = Math.round((performance.now() - since) / 1_000)
      return log('warn', 'the database is available again', { after_s: seconds })
    }
    since = performance.now()
    const fields = errorFields(error)
    log('error', 'the database is not available: requests are refused until it is', fields)
  }
}

/** @param connection a database in which the role for requests exists */
export function openDatabase(
  config: Config,
  connection: pg.PoolConfig,
  log: Log,
  timeouts: DatabaseTimeouts = defaultTimeouts,
): Database {
  const database = connectDatabase({
    connection,
    poolSize: config.databasePoolSize,
    prepared: config.databasePrepared === 'on',
    requestRole: requestRoleOf(config),
    ...timeouts,
    onAvailability: outageLog(log),
    onReconnect: (error) =>
      log('warn', 'database connections were lost and are being reopened', errorFields(error)),
    onEffectError: (error) => log('error', 'a side effect of a change failed', errorFields(error)),
  })
  return config.otlpEndpoint === undefined ? database : tracedDatabase(database)
}
