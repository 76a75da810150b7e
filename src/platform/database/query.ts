/** A statement on a connection: naming, type conversion, and the meaning of errors. */
import type pg from 'pg'
import { codeOf } from '../lib/system-errors.ts'
import { DescribedQuery } from './described-query.ts'
import { Failure, type FailureCode } from '../errors/errors.ts'

/**
 * An array as a Postgres array literal; undefined for element types that are left to the driver.
 * The driver would run two regular expressions on each of the thousands of values of a batch.
 */
export function arrayText(values: readonly unknown[]): string | undefined {
  let text = ''
  for (const value of values) {
    const item = itemText(value)
    if (item === undefined) return undefined
    text += text === '' ? `{${item}` : `,${item}`
  }
  return text === '' ? '{}' : `${text}}`
}

function itemText(value: unknown): string | undefined {
  if (value === null || value === undefined) return 'NULL'
  if (typeof value === 'number' || typeof value === 'boolean') return `"${value}"`
  if (Buffer.isBuffer(value)) return `"\\\\x${value.toString('hex')}"`
  if (typeof value !== 'string') return undefined
  const plain = !value.includes('"') && !value.includes('\\')
  return plain ? `"${value}"` : `"${value.replaceAll(/["\\]/g, '\\$&')}"`
}

/** The parameters of a statement, with arrays as literals. */
export const withArrayText = (values: readonly unknown[]): unknown[] =>
  values.map((value) => (Array.isArray(value) ? (arrayText(value) ?? value) : value))

/** Named SQL, planned once per connection. */
export interface Statement {
  name: string | undefined
  text: string
}

/** `AS total!`, `AS host?` and `AS plan#3`: marks of columns, see `sql` and `stored`. */
export const COLUMN_MARK = /\b(AS (\w+))([!?]?)(#\d+|(?<=[!?]))/g

/** A statement composed at run time, from constant parts only. */
export const unnamed = (text: string): Statement => ({
  name: undefined,
  text: text.replace(COLUMN_MARK, '$1'),
})

/** Each connection keeps the plans of all statements that it has named. */
const MAX_NAMES = 64
const USES_BEFORE_NAME = 4
const uses = new Map<string, number>()
const names = new Map<string, string>()

/**
 * A statement composed at run time whose text occurs again and again with other values: it is
 * planned once per connection. Only for few different texts, which are cheap with any values.
 */
export function constant(text: string): Statement {
  const name = names.get(text)
  if (name !== undefined || names.size >= MAX_NAMES) return { ...unnamed(text), name }
  const count = (uses.get(text) ?? 0) + 1
  uses.set(text, count)
  if (count > USES_BEFORE_NAME) names.set(text, `composed.${names.size}`)
  if (count > USES_BEFORE_NAME || uses.size > MAX_NAMES * 4) uses.delete(text)
  return unnamed(text)
}

/** The fields of Postgres errors that we use. */
interface PostgresError extends Error {
  code?: string
  constraint?: string
}

/** The suffix of the names of a partition's indexes (`partitions/convert.ts`). */
const OF_PARTITION = /_p\d{3}$/

/** Whether an error is the unique violation (23505) of the named constraint or index. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  const { code, constraint: name } = error as PostgresError
  return code === '23505' && name?.replace(OF_PARTITION, '') === constraint
}

/** A row that the constraint refuses fails with `code`: of concurrent requests, one succeeds. */
export const unlessTaken = <T>(
  work: Promise<T>,
  constraint: string,
  code: FailureCode,
): Promise<T> =>
  work.catch((error: unknown) => {
    throw isUniqueViolation(error, constraint) ? new Failure(code, { cause: error }) : error
  })

/** Whether an error is a foreign key violation (23503). */
export const isForeignKeyViolation = (error: unknown): boolean => codeOf(error) === '23503'

/** Serialization failure or deadlock: nothing was written, and a retry may succeed. */
export const isRetryable = (error: unknown): boolean => ['40001', '40P01'].includes(codeOf(error))

/**
 * Whether the server gave a statement up because it took too long or waited too long for a lock:
 * unlike after a lost connection, nothing was written.
 */
export function isGivenUp(error: unknown): boolean {
  const cause = error instanceof Failure ? error.options.cause : error
  return ['57014', '55P03'].includes(codeOf(cause))
}

/** The server is gone, or does not answer. */
const AWAY_SQLSTATES = /^(08|57P)/
/** It is full, too slow or read-only, or (class 58) its disk or operating system failed. */
const UNABLE_SQLSTATES = /^(53|57014|58|25006|55P03)/
// EAGAIN: the queue of connections to a server that hangs is full. EMFILE, ENFILE: this process or
// its machine has no file descriptor left.
const AWAY_ERRNO = /^(ECONN|EPIPE|ENOENT|ETIMEDOUT|EHOST|ENET|EAI_|EAGAIN|E[MN]FILE|ENOBUFS)/
const AWAY_MESSAGE =
  /timeout exceeded|timeout expired|read timeout|Connection terminated|not queryable|Client was closed|connection error|Cannot use a pool/i

const isAway = ({ code, message }: PostgresError): boolean =>
  code === undefined
    ? AWAY_MESSAGE.test(message ?? '')
    : AWAY_SQLSTATES.test(code) || AWAY_ERRNO.test(code)

/**
 * Converts "the database is unavailable, full or too slow" to a 503; other errors are unchanged.
 */
export function translate(error: unknown): unknown {
  const { code = '' } = error as PostgresError
  const unavailable = isAway(error as PostgresError) || UNABLE_SQLSTATES.test(code)
  return unavailable ? new Failure('unavailable', { retryAfterSeconds: 1, cause: error }) : error
}

/** Whether work failed because the database could not be reached, which `Availability` reports. */
export const isOutage = (error: unknown): boolean =>
  error instanceof Failure && error.code === 'unavailable' && isConnectionError(error.cause)

/** Whether an error of the driver says that the server is gone, or does not answer. */
export const isConnectionError = (error: unknown): boolean =>
  error instanceof Error && isAway(error)

/** Sends a query of one of our classes, and waits for its rows. */
export async function send<Row>(client: pg.ClientBase, query: DescribedQuery): Promise<Row[]> {
  try {
    return await new Promise((resolve, reject) => {
      query.callback = (error, result) => {
        if (error) reject(error)
        else resolve(result?.rows as Row[])
      }
      client.query(query as unknown as pg.Submittable)
    })
  } catch (error) {
    // An error of the server has the stack of its socket, not that of the caller.
    Error.captureStackTrace(error as Error)
    throw translate(error)
  }
}

/** Runs a statement by its name, if names are used and it has one. */
export function run<Row>(
  client: pg.ClientBase,
  prepared: boolean,
  statement: Statement,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const texts = withArrayText(values)
  if (!prepared || statement.name === undefined) return runUnnamed(client, statement, texts)
  return send(client, new DescribedQuery(statement, texts))
}

async function runUnnamed<Row>(
  client: pg.ClientBase,
  { text }: Statement,
  values: unknown[],
): Promise<Row[]> {
  try {
    return (await client.query(text, values)).rows as Row[]
  } catch (error) {
    throw translate(error)
  }
}
