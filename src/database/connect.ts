/**
 * Connections to Postgres. Everything that runs SQL gets a `Db`: the pool, or a transaction that is
 * already open. Rules never know which, so a change can be made part of a larger one.
 */
import pg from 'pg'
import { Failure } from '../errors.ts'

/** SQL with a name: the server plans it once for each connection. */
export interface Statement {
  name: string | undefined
  text: string
}

/** A statement that runs often. The name must be unique in the program. */
export const statement = (name: string, text: string): Statement => ({ name, text })

/** A statement that is put together at run time, from constant pieces only. */
export const unnamed = (text: string): Statement => ({ name: undefined, text })

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
  /** Named statements need a session of their own; pgbouncer < 1.21 in transaction mode has none. */
  prepared: boolean
  statementTimeoutMs: number
  /** How long a request waits for a free connection before it is refused as unavailable. */
  acquireTimeoutMs: number
  onError?: (error: Error) => void
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
  /** A connection outside the pools, for sessions that hold locks. The caller ends it. */
  connect(): Promise<pg.Client>
  close(): Promise<void>
}

export interface PointReader {
  query<Row>(statement: Statement, values: readonly unknown[]): Promise<Row[]>
}

const parseTimestamp = pg.types.getTypeParser(1184) as (text: string) => Date | number

// Timestamps are read as milliseconds since the epoch, bigint as number: all of ours fit.
const types = new Map<number, (text: string) => unknown>([
  [20, Number],
  [1184, (text) => Number(parseTimestamp(text))],
])

const typeParsers: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    types.get(oid) ??
    pg.types.getTypeParser(oid, format ?? 'text')) as pg.CustomTypesConfig['getTypeParser'],
}

/** Postgres' error fields that we look at. */
interface PostgresError extends Error {
  code?: string
  constraint?: string
}

/** Whether an error is the unique violation (23505) of the named constraint or index. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  const { code, constraint: name } = error as PostgresError
  return code === '23505' && name === constraint
}

/** Whether an error says that a row refers to one that isn't there (23503). */
export const isForeignKeyViolation = (error: unknown): boolean =>
  (error as PostgresError).code === '23503'

/** Serialization failure and deadlock: nothing was written, and another try may succeed. */
const isRetryable = (error: unknown): boolean =>
  ['40001', '40P01'].includes((error as PostgresError).code ?? '')

const UNAVAILABLE_SQLSTATES = /^(08|53|57P|57014|25006|55P03)/
const UNAVAILABLE_ERRNO = /^(ECONN|EPIPE|ENOENT|ETIMEDOUT|EHOST|ENET|EAI_)/
const UNAVAILABLE_MESSAGE =
  /timeout exceeded|Connection terminated|not queryable|Client was closed|connection error|Cannot use a pool/i

/** Turns "the database is away, full or too slow" into a 503; all other errors stay as they are. */
export function translate(error: unknown): unknown {
  const { code, message } = error as PostgresError
  const away =
    code === undefined
      ? UNAVAILABLE_MESSAGE.test(message ?? '')
      : UNAVAILABLE_SQLSTATES.test(code) || UNAVAILABLE_ERRNO.test(code)
  return away ? new Failure('unavailable', { retryAfterSeconds: 1, cause: error }) : error
}

type Queryable = Pick<pg.Pool, 'query'> | Pick<pg.PoolClient, 'query'>

async function run<Row>(
  on: Queryable,
  prepared: boolean,
  statement: Statement,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const name = prepared ? statement.name : undefined
  const config = { text: statement.text, values: values as unknown[] }
  try {
    const result = await (on as pg.Pool).query(name === undefined ? config : { ...config, name })
    return result.rows as Row[]
  } catch (error) {
    throw translate(error)
  }
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

const RETRIES = 3

function poolDb(pool: pg.Pool, prepared: boolean): Db {
  const attempt = async <T>(work: (trx: Transaction) => Promise<T>): Promise<T> => {
    const client = await pool.connect().catch((error: unknown) => {
      throw translate(error)
    })
    const effects: (() => void)[] = []
    let broken: Error | undefined
    // A connection that dies while it is lent out says so by an event; unheard, it ends the process.
    const onLost = (error: Error): void => {
      broken = error
    }
    client.on('error', onLost)
    try {
      await client.query('BEGIN')
      const result = await work(openTransaction(client, prepared, effects))
      await client.query('COMMIT')
      for (const effect of effects) effect()
      return result
    } catch (error) {
      await client.query('ROLLBACK').catch(onLost)
      throw translate(error)
    } finally {
      client.off('error', onLost)
      client.release(broken)
    }
  }
  const db: Db = {
    query: (statement, values) => run(pool, prepared, statement, values),
    async transaction(work) {
      for (let tries = 1; ; tries += 1) {
        try {
          return await attempt(work)
        } catch (error) {
          if (tries >= RETRIES || !isRetryable(error)) throw error
          await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * tries))
        }
      }
    },
    afterCommit: (effect) => effect(),
  }
  return db
}

/** Opens the pools. No connection is made before the first query. */
export function connectDatabase(options: DatabaseOptions): Database {
  const base: pg.PoolConfig = {
    ...options.connection,
    types: typeParsers,
    connectionTimeoutMillis: options.acquireTimeoutMs,
    statement_timeout: options.statementTimeoutMs,
    idle_in_transaction_session_timeout: 30_000,
    keepAlive: true,
    application_name: 'mooring',
  }
  const pool = new pg.Pool({ ...base, max: options.poolSize })
  const sidePool = new pg.Pool({ ...base, max: 2 })
  // Pipelining is a property of the client; a pool of one reconnects it when it is lost.
  const pointPool = new pg.Pool({ ...base, max: 1, pipeline: true } as pg.PoolConfig)
  for (const each of [pool, sidePool, pointPool]) {
    each.on('error', (error) => options.onError?.(error))
  }
  return {
    ...poolDb(pool, options.prepared),
    pool,
    side: poolDb(sidePool, options.prepared),
    points: pipelined(pointPool, options),
    async connect() {
      const client = new pg.Client(base)
      client.on('error', () => {})
      await client.connect()
      return client
    },
    async close() {
      await Promise.all([pool.end(), sidePool.end(), pointPool.end()])
    },
  }
}

/** Shares one pipelined client among all callers; a lost one is replaced at the next query. */
function pipelined(pool: pg.Pool, options: DatabaseOptions): PointReader {
  let current: Promise<pg.PoolClient> | undefined
  const acquire = (): Promise<pg.PoolClient> => {
    current ??= pool.connect().then(
      (client) => {
        client.once('error', () => {
          current = undefined
          client.release(true)
        })
        return client
      },
      (error: unknown) => {
        current = undefined
        throw translate(error)
      },
    )
    return current
  }
  return {
    query: async (statement, values) => run(await acquire(), options.prepared, statement, values),
  }
}
