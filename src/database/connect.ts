/**
 * Connections to Postgres. Everything that runs SQL gets a `Db`: the pool, or a transaction that is
 * already open. Rules never know which, so a change can be made part of a larger one.
 */
import pg from 'pg'
import { Failure } from '../errors.ts'
import { type PointReader, pipelined } from './points.ts'
import { isRetryable, run, type Statement, translate, typeParsers } from './query.ts'

export type { PointReader } from './points.ts'
export {
  isForeignKeyViolation,
  isUniqueViolation,
  statement,
  type Statement,
  unnamed,
} from './query.ts'

export interface Db {
  query<Row>(statement: Statement, values?: readonly unknown[]): Promise<Row[]>
  /**
   * Runs `work` in a transaction, or in the one that is open already. Inside it only the given
   * `trx` may be used: the pool would hand out a second connection, and with all of them in
   * transactions wait for ever.
   */
  transaction<T>(work: (trx: Transaction) => Promise<T>): Promise<T>
  /** Runs `effect` once what was written through this `Db` is durable. Not run on rollback. */
  afterCommit(effect: () => void): void
}

export interface Transaction extends Db {
  readonly inTransaction: true
}

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
}

export interface Database extends Db {
  /**
   * Two connections of their own for what must commit by itself while a request's transaction is
   * open (counters of failed tries), and for the change feed, so that a full pool can't stop them.
   */
  readonly side: Db
  /** One pipelined connection for point reads: many callers, one round trip. */
  readonly points: PointReader
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

function openTransaction(client: pg.PoolClient, prepared: boolean, effects: (() => void)[]) {
  const trx: Transaction = {
    inTransaction: true,
    query: (statement, values) => run(client, prepared, statement, values),
    transaction: (work) => work(trx),
    afterCommit: (effect) => void effects.push(effect),
  }
  return trx
}

const TRIES = 3

/** Tries again what was rolled back only because others were in its way. */
async function retrying<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt()
    } catch (error) {
      if (tries >= TRIES || !isRetryable(error)) throw error
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * tries))
    }
  }
}

/** Whether the server refused a statement and its connection is as good as before. */
function isStatementError(error: unknown): boolean {
  const cause = error instanceof Failure ? error.options.cause : error
  return cause instanceof pg.DatabaseError && cause.severity === 'ERROR'
}

/** Lends out a connection of the pool; one that `lose` was called for does not come back. */
async function lend<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient, lose: (error: Error) => void) => Promise<T>,
): Promise<T> {
  const client = await pool.connect().catch((error: unknown) => {
    throw translate(error)
  })
  let lost: Error | undefined
  // A connection that dies while it is lent out says so by an event; unheard, it ends the process.
  const lose = (error: Error): void => {
    lost = error
  }
  client.on('error', lose)
  try {
    return await work(client, lose)
  } finally {
    client.off('error', lose)
    client.release(lost)
  }
}

/** Commits; throws if the server rolled back instead, since a statement had failed before. */
async function commit(client: pg.PoolClient): Promise<void> {
  const { command } = await client.query('COMMIT')
  if (command !== 'COMMIT')
    throw new Error('a failed statement was passed over: nothing is written')
}

/**
 * Runs what follows a commit. What is written stays so, whatever becomes of an effect: the caller
 * must not be told that the change failed, nor may the other effects be left out.
 */
function takeEffect(effects: readonly (() => void)[], options: DatabaseOptions): void {
  for (const effect of effects) {
    try {
      effect()
    } catch (error) {
      options.onEffectError?.(error)
    }
  }
}

function poolDb(pool: pg.Pool, options: DatabaseOptions): Db {
  const { prepared } = options
  const attempt = <T>(work: (trx: Transaction) => Promise<T>): Promise<T> =>
    lend(pool, async (client, lose) => {
      const effects: (() => void)[] = []
      let result: T
      try {
        await client.query('BEGIN')
        result = await work(openTransaction(client, prepared, effects))
        await commit(client)
      } catch (error) {
        await client.query('ROLLBACK').catch(lose)
        throw translate(error)
      }
      takeEffect(effects, options)
      return result
    })
  // The pool's own `query` drops the connection after any error, with all that is prepared on it.
  const single = <Row>(statement: Statement, values?: readonly unknown[]): Promise<Row[]> =>
    lend(pool, async (client, lose) => {
      try {
        return await run<Row>(client, prepared, statement, values)
      } catch (error) {
        if (!isStatementError(error)) lose(error as Error)
        throw error
      }
    })
  return {
    query: (statement, values) => retrying(() => single(statement, values)),
    transaction: (work) => retrying(() => attempt(work)),
    afterCommit: (effect) => effect(),
  }
}

/** Opens the pools. No connection is made before the first query. */
export function connectDatabase(options: DatabaseOptions): Database {
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
  const pool = new pg.Pool({ ...base, max: options.poolSize })
  const sidePool = new pg.Pool({ ...base, max: 2 })
  const counters = new pg.Pool({ ...base, max: 2 })
  let closing = false
  const onError = (error: Error): void => {
    // A server that stops meanwhile cuts what was about to be closed.
    if (!closing) options.onError?.(error)
  }
  const { prepared } = options
  const points = pipelined({ ...base, pipeline: true }, { prepared, onError })
  for (const each of [pool, sidePool, counters]) each.on('error', onError)
  return {
    ...poolDb(pool, options),
    pool,
    counters,
    side: poolDb(sidePool, options),
    points,
    async connect() {
      const client = new pg.Client(base)
      client.on('error', () => {})
      await client.connect()
      return client
    },
    async close() {
      closing = true
      await Promise.all([pool.end(), sidePool.end(), counters.end(), points.close()])
    },
  }
}
