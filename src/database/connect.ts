/**
 * Connections to Postgres. Everything that runs SQL gets a `Db`: the pool, or a transaction that is
 * already open. Rules never know which, so a change can be made part of a larger one.
 */
import pg from 'pg'
import type { Db } from './db.ts'
import { type PointReader, pipelined } from './points.ts'
import { plainly, pooledDb } from './pooled.ts'
import { typeParsers } from './query.ts'
import { enterRole, scopedTo } from './workspace-scope.ts'

export type { Db, Transaction } from './db.ts'
export type { PointReader } from './points.ts'
export { NOWHERE } from './workspace-scope.ts'
export {
  isForeignKeyViolation,
  isUniqueViolation,
  statement,
  type Statement,
  unnamed,
} from './query.ts'

export interface DatabaseOptions {
  connection: pg.PoolConfig
  poolSize: number
  /**
   * Named statements need a session of their own; pgbouncer < 1.21 in transaction mode has none.
   */
  prepared: boolean
  statementTimeoutMs: number
  /** How long a request waits for a free connection before it is refused as unavailable. */
  acquireTimeoutMs: number
  onError?: (error: Error) => void
  /** Told of an effect that failed after its transaction was committed. */
  onEffectError?: (error: unknown) => void
  /** The role that `within` works under; without one it works as everything else does. */
  requestRole?: string | undefined
}

/** What a request reaches the rows of one workspace through. */
export interface Scope {
  readonly db: Db
  readonly points: PointReader
}

export interface Database extends Db {
  /**
   * Two connections of their own for what must commit by itself while a request's transaction is
   * open (counters of failed tries), and for the change feed, so that a full pool can't stop them.
   */
  readonly side: Db
  /** One pipelined connection for point reads: many callers, one round trip. */
  readonly points: PointReader
  /**
   * For what is done for one workspace: connections under the role of requests, to which the
   * database shows no rows of others.
   * @param workspaceId a UUID, or NOWHERE for none.
   */
  within(workspaceId: string): Scope
  /** The pool itself, for libraries that bring their own statements. */
  readonly pool: pg.Pool
  /**
   * Two connections for the counters of rate limits: a library's statements, which a request may
   * wait for while it has a connection of the pool already.
   */
  readonly counters: pg.Pool
  /** A connection outside the pools, for sessions that hold locks. The caller ends it. */
  connect(): Promise<pg.Client>
  close(): Promise<void>
}

interface Scopes {
  within(workspaceId: string): Scope
  close(): Promise<unknown>
}

/** Connections under the role of requests, apart from those that may see everything. */
function openScopes(
  base: pg.PoolConfig,
  options: DatabaseOptions,
  role: string,
  onError: (error: Error) => void,
): Scopes {
  const { prepared, poolSize } = options
  const onConnect = (client: pg.ClientBase): Promise<void> => enterRole(client, role, prepared)
  // oxlint-disable-next-line typescript/no-misused-promises -- the pool waits for what it returns
  const pool = new pg.Pool({ ...base, max: poolSize, onConnect })
  pool.on('error', onError)
  const points = pipelined({ ...base, pipeline: true }, { prepared, onError, onConnect })
  return {
    within(workspaceId) {
      const manner = scopedTo(workspaceId, role, prepared)
      return { db: pooledDb(pool, options, manner), points: points.reading(manner) }
    },
    close: () => Promise.all([pool.end(), points.close()]),
  }
}

/** Opens the pools. No connection is made before the first query. */
export function connectDatabase(options: DatabaseOptions): Database {
  const { prepared, poolSize, requestRole } = options
  const base: pg.PoolConfig = {
    ...options.connection,
    types: typeParsers,
    connectionTimeoutMillis: options.acquireTimeoutMs,
    statement_timeout: options.statementTimeoutMs,
    // The server ends what is slow; this ends what will never be answered.
    query_timeout: options.statementTimeoutMs + 1_000,
    idle_in_transaction_session_timeout: 30_000,
    keepAlive: true,
    application_name: 'mooring',
  }
  let closing = false
  const onError = (error: Error): void => {
    // A server that stops meanwhile cuts what was about to be closed.
    if (!closing) options.onError?.(error)
  }
  const scopes = requestRole && openScopes(base, options, requestRole, onError)
  // What is left for it then are callers of no workspace, and the work beside requests.
  const pool = new pg.Pool({ ...base, max: scopes ? Math.ceil(poolSize / 2) : poolSize })
  const sidePool = new pg.Pool({ ...base, max: 2 })
  const counters = new pg.Pool({ ...base, max: 2 })
  const points = pipelined({ ...base, pipeline: true }, { prepared, onError })
  for (const each of [pool, sidePool, counters]) each.on('error', onError)
  const manner = plainly(prepared)
  const db = pooledDb(pool, options, manner)
  return {
    ...db,
    pool,
    counters,
    side: pooledDb(sidePool, options, manner),
    points,
    within: (workspaceId) => (scopes ? scopes.within(workspaceId) : { db, points }),
    async connect() {
      const client = new pg.Client(base)
      client.on('error', () => {})
      await client.connect()
      return client
    },
    async close() {
      closing = true
      const ends = [pool.end(), sidePool.end(), counters.end(), points.close()]
      await Promise.all([...ends, scopes ? scopes.close() : undefined])
    },
  }
}
