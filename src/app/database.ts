/** Opens the database connections as configured. */
import type pg from 'pg'
import { type Config, requestRoleOf } from '../config.ts'
import { connectDatabase, type Database } from '../database/connect.ts'
import { errorFields, type Log } from '../log.ts'

export interface DatabasePatience {
  /** Time limit of a query, in milliseconds. */
  statementTimeoutMs: number
  /** Time limit for acquiring a connection, in milliseconds. */
  acquireTimeoutMs: number
}

export const usualPatience: DatabasePatience = {
  statementTimeoutMs: 5_000,
  acquireTimeoutMs: 2_000,
}

/** @param connection a database in which the role for requests exists */
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
