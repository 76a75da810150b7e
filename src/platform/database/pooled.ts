/** A `Db` on a pool: single statements and transactions on borrowed connections. */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { Failure } from '../errors/errors.ts'
import type { Availability } from './availability.ts'
import type { Db, Transaction } from './db.ts'
import { isRetryable, run, type Statement, translate } from './query.ts'
import type { Semaphore } from '../lib/semaphore.ts'
import { isWrite } from './writer-limit.ts'

type Run = <Row>(
  client: pg.ClientBase,
  statement: Statement,
  values: readonly unknown[] | undefined,
) => Promise<Row[]>

/** How statements run on a borrowed connection. */
export interface QueryMode {
  /** Runs a single statement. */
  single: Run
  begin(client: pg.ClientBase): Promise<unknown>
  /** Runs a statement in an open transaction. */
  within: Run
}

export interface PooledOptions {
  /** Called if an after-commit effect fails. */
  onEffectError?: (error: unknown) => void
  /** Refuses callers while the database is known not to answer. */
  availability: Pick<Availability, 'requireAvailable' | 'noteResponse'>
  /** Limits how many connections write, so that a slow disk leaves some to reads. */
  writers: Semaphore
}

/** Uses the connection unchanged. */
export function plainMode(prepared: boolean): QueryMode {
  const single: Run = (client, statement, values) => run(client, prepared, statement, values)
  return { single, within: single, begin: (client) => client.query('BEGIN') }
}

function openTransaction(client: pg.PoolClient, mode: QueryMode, effects: (() => void)[]) {
  const trx: Transaction = {
    inTransaction: true,
    query: (statement, values) => mode.within(client, statement, values),
    transaction: (work) => work(trx),
    afterCommit: (effect) => void effects.push(effect),
  }
  return trx
}

const TRIES = 3

/** Retries what was rolled back because of contention. */
async function retrying<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt()
    } catch (error) {
      if (tries >= TRIES || !isRetryable(error)) throw error
      await sleep(Math.random() * 20 * tries)
    }
  }
}

/** Whether the server refused a statement while its connection is still usable. */
function isStatementError(error: unknown): boolean {
  const cause = error instanceof Failure ? error.options.cause : error
  return cause instanceof pg.DatabaseError && cause.severity === 'ERROR'
}

/** Borrows a connection from the pool; it is discarded if `lose` was called. */
async function withConnection<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient, lose: (error: Error) => void) => Promise<T>,
): Promise<T> {
  const client = await pool.connect().catch((error: unknown) => {
    throw translate(error)
  })
  let lost: Error | undefined
  // A connection that dies while borrowed emits `error`, which unhandled would end the process.
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

/** Commits; throws if the server rolled back instead, after an earlier failed statement. */
async function commit(client: pg.PoolClient): Promise<void> {
  const { command } = await client.query('COMMIT')
  if (command !== 'COMMIT')
    throw new Error('a failed statement was passed over: nothing is written')
}

/**
 * Runs after-commit effects. Their failure does not undo the commit: the caller must not get
 * an error, and the other effects must run.
 */
function takeEffect(effects: readonly (() => void)[], options: PooledOptions): void {
  for (const effect of effects) {
    try {
      effect()
    } catch (error) {
      options.onEffectError?.(error)
    }
  }
}

export function pooledDb(pool: pg.Pool, options: PooledOptions, mode: QueryMode): Db {
  const { availability, writers } = options
  const attempt = <T>(work: (trx: Transaction) => Promise<T>): Promise<T> =>
    withConnection(pool, async (client, lose) => {
      const effects: (() => void)[] = []
      let result: T
      try {
        await mode.begin(client)
        result = await work(openTransaction(client, mode, effects))
        await commit(client)
        availability.noteResponse()
      } catch (error) {
        await client.query('ROLLBACK').catch(lose)
        throw translate(error)
      }
      takeEffect(effects, options)
      return result
    })
  // The pool's own `query` drops the connection after any error, with all its prepared statements.
  const single = <Row>(statement: Statement, values?: readonly unknown[]): Promise<Row[]> =>
    withConnection(pool, async (client, lose) => {
      try {
        const rows = await mode.single<Row>(client, statement, values)
        availability.noteResponse()
        return rows
      } catch (error) {
        if (!isStatementError(error)) lose(error as Error)
        throw error
      }
    })
  /** Runs a write or a read once the database and, for a write, the limit of writers permit it. */
  const admit = async <T>(writes: boolean, work: () => Promise<T>): Promise<T> => {
    availability.requireAvailable()
    return writes ? writers.run(() => retrying(work)) : retrying(work)
  }
  return {
    query: (statement, values) => admit(isWrite(statement), () => single(statement, values)),
    transaction: (work) => admit(true, () => attempt(work)),
    afterCommit: (effect) => effect(),
  }
}
