/** The connections of the service, as its configuration wants them. */
import type pg from 'pg'
import { type Config, requestRoleOf } from '../config.ts'
import { connectDatabase, type Database } from '../database/connect.ts'
import { errorFields, type Log } from '../log.ts'

/** Milliseconds that a query may take before it is given up. */
const STATEMENT_TIMEOUT_MS = 5_000
const ACQUIRE_TIMEOUT_MS = 2_000

/** @param connection to a database whose role for requests is ready. */
export const openDatabase = (config: Config, connection: pg.PoolConfig, log: Log): Database =>
  connectDatabase({
    connection,
    poolSize: config.databasePoolSize,
    prepared: config.databasePrepared === 'on',
    requestRole: requestRoleOf(config),
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    acquireTimeoutMs: ACQUIRE_TIMEOUT_MS,
    onError: (error) => log('warn', 'a database connection was lost', errorFields(error)),
    onEffectError: (error) => log('error', 'an effect of a change failed', errorFields(error)),
  })
