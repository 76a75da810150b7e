/** The connections of the service, as its configuration wants them. */
import type pg from 'pg'
import { type Config, requestRoleOf } from '../config.ts'
import { connectDatabase, type Database } from '../database/connect.ts'
import { errorFields, type Log } from '../log.ts'

export interface DatabasePatience {
  /** Milliseconds that a query may take before it is given up. */
  statementTimeoutMs: number
  /** Milliseconds that a query may wait for a connection. */
  acquireTimeoutMs: number
}

export const usualPatience: DatabasePatience = {
  statementTimeoutMs: 5_000,
  acquireTimeoutMs: 2_000,
}

/** @param connection to a database whose role for requests is ready. */
export const openDatabase = (
  config: Config,
  connection: pg.PoolConfig,
  log: Log,
  patience: DatabasePatience = usualPatience,
): Database =>
  connectDatabase({
    connection,
    poolSize: config.databasePoolSize,
    prepared: config.databasePrepared === 'on',
    requestRole: requestRoleOf(config),
    ...patience,
    onError: (error) => log('warn', 'a database connection was lost', errorFields(error)),
    onEffectError: (error) => log('error', 'an effect of a change failed', errorFields(error)),
  })
