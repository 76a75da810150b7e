/**
 * Connections to Postgres. All code that runs SQL gets a `Db`: a pool, or an open transaction.
 * Rules do not know which, so a change can become part of a larger one.
 */
import pg from 'pg'
import { Availability } from './availability.ts'
import type { Db } from './db.ts'
import { type PointReader, pipelined } from './points.ts'
import { plainMode, pooledDb } from './pooled.ts'
import { connector } from './primary-client.ts'
import { typeParsers } from './value-types.ts'
import { enterRole, scopedTo } from './workspace-scope.ts'
import { writerLimit } from './writer-limit.ts'

export type { Db, Transaction } from './db.ts'
export type { PointReader } from './points.ts'
export { NO_WORKSPACE } from './workspace-scope.ts'
export {
  constant,
  isConnectionError,
  isForeignKeyViolation,
  isGivenUp,
  isOutage,
  isUniqueViolation,
  unlessTaken,
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
  /** Called when the database stops answering, and, without an error, when it answers again. */
  onAvailability?: (error: Error | undefined) => void
  /** Called when connections were lost although the database answers. */
  onReconnect?: (error: Error) => void
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
   * Three separate connections for what must commit while a request's transaction is open (counters
   * of failed attempts), and for the change feed, so that a full pool cannot block them.
   */
  readonly autonomousDb: Db
  /** One pipelined connection for point reads: many callers share a round trip. */
  readonly points: PointReader
  /**
   * Connections under the role for requests, limited to one workspace by row-level security.
   * @param workspaceId a UUID, or NO_WORKSPACE
   */
  within(workspaceId: string): Scope
  /** The pool itself, for libraries with their own statements. */
  readonly pool: pg.Pool
  /**
   * Two connections for rate limit counters, which a request may need while it already holds a
   * connection of the pool.
   */
  readonly counters: pg.Pool
  /** Refuses callers at once while the database does not answer; probes it once started. */
  readonly availability: Availability
  /** Connections of the pools in use and free, and callers waiting for one. */
  occupancy(): Occupancy
  /** A connection outside the pools, for sessions that hold locks. The caller ends it. */
  connect(): Promise<pg.Client>
  close(): Promise<void>
}

/** One of them is left to the change feed, which only reads. */
const SIDE_POOL_SIZE = 3

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
  availability: Availability,
): Scopes {
  const { prepared, poolSize, acquireTimeoutMs } = options
  const onError = (): void => availability.expedite()
  const onConnect = (client: pg.ClientBase): Promise<void> => enterRole(client, role, prepared)
  // oxlint-disable-next-line typescript/no-misused-promises -- the pool waits for what it returns
  const pool = new pg.Pool({ ...base, max: poolSize, onConnect })
  pool.on('error', onError)
  const pipeline = { ...base, pipeline: true }
  const points = pipelined(pipeline, { prepared, onError, onConnect, availability })
  const pooled = { ...options, availability, writers: writerLimit(poolSize, acquireTimeoutMs) }
  return {
    pool,
    within(workspaceId) {
      const mode = scopedTo(workspaceId, role, prepared)
      return { db: pooledDb(pool, pooled, mode), points: points.reading(mode) }
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

const doNothing = (): void => {}

/** Creates the pools. Connections are opened by the first queries. */
export function connectDatabase(options: DatabaseOptions): Database {
  const { prepared, poolSize, acquireTimeoutMs, requestRole } = options
  const base: pg.PoolConfig = {
    ...options.connection,
    types: typeParsers,
    connectionTimeoutMillis: acquireTimeoutMs,
    statement_timeout: options.statementTimeoutMs,
    // The server ends slow statements; this ends those that will never be answered.
    query_timeout: options.statementTimeoutMs + 1_000,
    idle_in_transaction_session_timeout: 30_000,
    keepAlive: true,
    application_name: 'mooring',
  }
  const availability = new Availability({
    connection: base,
    limitMs: acquireTimeoutMs,
    onChange: options.onAvailability ?? doNothing,
    onReconnect: options.onReconnect ?? doNothing,
  })
  // Lost connections are replaced when they are needed.
  const onError = (): void => availability.expedite()
  const scopes = requestRole && openScopes(base, options, requestRole, availability)
  const open = (max: number): pg.Pool => new pg.Pool({ ...base, max }).on('error', onError)
  const mode = plainMode(prepared)
  const pooled = (on: pg.Pool, size: number): Db => {
    const writers = writerLimit(size, acquireTimeoutMs)
    return pooledDb(on, { ...options, availability, writers }, mode)
  }
  // The remaining connections serve callers without a workspace, and background work.
  const size = scopes ? Math.ceil(poolSize / 2) : poolSize
  const [pool, sidePool, counters] = [open(size), open(SIDE_POOL_SIZE), open(2)]
  const own = [pool, sidePool, counters]
  const points = pipelined({ ...base, pipeline: true }, { prepared, onError, availability })
  const db = pooled(pool, size)
  return {
    ...db,
    pool,
    counters,
    availability,
    autonomousDb: pooled(sidePool, SIDE_POOL_SIZE),
    points,
    within: (workspaceId) => (scopes ? scopes.within(workspaceId) : { db, points }),
    occupancy: () => occupancyOf(scopes ? [...own, scopes.pool] : own),
    connect: connector(base),
    async close() {
      await availability.stop()
      const ends = [...own.map((each) => each.end()), points.close()]
      await Promise.all([...ends, scopes ? scopes.close() : undefined])
    },
  }
}
