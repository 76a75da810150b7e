/**
 * Connections to Postgres. All code that runs SQL gets a `Db`: a pool, or an open transaction.
 * Rules do not know which, so a change can become part of a larger one.
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
  isGivenUp,
  isUniqueViolation,
  statement,
  type Statement,
  unnamed,
} from './query.ts'

export interface DatabaseOptions {
  connection: pg.PoolConfig
  poolSize: number
  /**
   * Named statements need a session of their own, which pgbouncer < 1.21 in transaction mode does
   * not provide.
   */
  prepared: boolean
  statementTimeoutMs: number
  /** How long a request waits for a free connection before it is refused as unavailable. */
  acquireTimeoutMs: number
  onError?: (error: Error) => void
  /** Called if an after-commit effect fails. */
  onEffectError?: (error: unknown) => void
  /** The role of connections from `within`; without it, they use the same role as all others. */
  requestRole?: string | undefined
}

/** Access to the rows of one workspace, for a request. */
export interface Scope {
  readonly db: Db
  readonly points: PointReader
}

export interface Database extends Db {
  /**
   * Two separate connections for what must commit while a request's transaction is open (counters
   * of failed attempts), and for the change feed, so that a full pool cannot block them.
   */
  readonly autonomousDb: Db
  /** One pipelined connection for point reads: many callers share a round trip. */
  readonly points: PointReader
  /**
   * Connections under the role for requests, limited to one workspace by row-level security.
   * @param workspaceId a UUID, or NOWHERE for none
   */
  within(workspaceId: string): Scope
  /** The pool itself, for libraries with their own statements. */
  readonly pool: pg.Pool
  /**
   * Two connections for rate limit counters, which a request may need while it already holds a
   * connection of the pool.
   */
  readonly counters: pg.Pool
  /** Connections of the pools in use and free, and callers waiting for one. */
  occupancy(): Occupancy
  /** A connection outside the pools, for sessions that hold locks. The caller ends it. */
  connect(): Promise<pg.Client>
  close(): Promise<void>
}

export type Occupancy = Record<'busy' | 'idle' | 'waiting', number>

interface Scopes {
  pool: pg.Pool
  within(workspaceId: string): Scope
  close(): Promise<unknown>
}

/** Connections under the role for requests, separate from unrestricted ones. */
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
    pool,
    within(workspaceId) {
      const manner = scopedTo(workspaceId, role, prepared)
      return { db: pooledDb(pool, options, manner), points: points.reading(manner) }
    },
    close: () => Promise.all([pool.end(), points.close()]),
  }
}

function occupancyOf(pools: readonly pg.Pool[]): Occupancy {
  const found = { busy: 0, idle: 0, waiting: 0 }
  for (const { totalCount, idleCount, waitingCount } of pools) {
    found.busy += totalCount - idleCount
    found.idle += idleCount
    found.waiting += waitingCount
  }
  return found
}

/** Creates the pools. Connections are opened by the first queries. */
export function connectDatabase(options: DatabaseOptions): Database {
  const { prepared, poolSize, requestRole } = options
  const base: pg.PoolConfig = {
    ...options.connection,
    types: typeParsers,
    connectionTimeoutMillis: options.acquireTimeoutMs,
    statement_timeout: options.statementTimeoutMs,
    // The server ends slow statements; this ends those that will never be answered.
    query_timeout: options.statementTimeoutMs + 1_000,
    idle_in_transaction_session_timeout: 30_000,
    keepAlive: true,
    application_name: 'mooring',
  }
  let closing = false
  const onError = (error: Error): void => {
    // At shutdown, a stopping server may cut connections that are being closed.
    if (!closing) options.onError?.(error)
  }
  const scopes = requestRole && openScopes(base, options, requestRole, onError)
  // The remaining connections serve callers without a workspace, and background work.
  const pool = new pg.Pool({ ...base, max: scopes ? Math.ceil(poolSize / 2) : poolSize })
  const sidePool = new pg.Pool({ ...base, max: 2 })
  const counters = new pg.Pool({ ...base, max: 2 })
  const points = pipelined({ ...base, pipeline: true }, { prepared, onError })
  const own = [pool, sidePool, counters]
  for (const each of own) each.on('error', onError)
  const manner = plainly(prepared)
  const db = pooledDb(pool, options, manner)
  return {
    ...db,
    pool,
    counters,
    autonomousDb: pooledDb(sidePool, options, manner),
    points,
    within: (workspaceId) => (scopes ? scopes.within(workspaceId) : { db, points }),
    occupancy: () => occupancyOf(scopes ? [...own, scopes.pool] : own),
    async connect() {
      const client = new pg.Client(base)
      client.on('error', () => {})
      await client.connect()
      return client
    },
    async close() {
      closing = true
      const ends = [...own.map((each) => each.end()), points.close()]
      await Promise.all([...ends, scopes ? scopes.close() : undefined])
    },
  }
}
