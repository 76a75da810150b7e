/** A statement on a connection: naming, type conversion, and the meaning of errors. */
import pg from 'pg'
import { Failure } from '../errors.ts'
import { withArrayText } from './array-text.ts'

/** Named SQL, planned once per connection. */
export interface Statement {
  name: string | undefined
  text: string
}

/** A frequent statement. The name must be unique in the program. */
export const statement = (name: string, text: string): Statement => ({ name, text })

/** A statement composed at run time, from constant parts only. */
export const unnamed = (text: string): Statement => ({ name: undefined, text })

type TypeId = Parameters<typeof pg.types.getTypeParser>[0]

const { builtins } = pg.types
const parseTimestamp = pg.types.getTypeParser(builtins.TIMESTAMPTZ) as (
  text: string,
) => Date | number

// Timestamps become milliseconds since the epoch, bigints numbers, which all of ours fit into.
const types = new Map<TypeId, (text: string) => unknown>([
  [builtins.INT8, Number],
  [builtins.TIMESTAMPTZ, (text) => Number(parseTimestamp(text))],
])

export const typeParsers: pg.CustomTypesConfig = {
  getTypeParser: ((oid: TypeId, format?: 'text' | 'binary') =>
    types.get(oid) ??
    pg.types.getTypeParser(oid, format ?? 'text')) as pg.CustomTypesConfig['getTypeParser'],
}

/** The fields of Postgres errors that we use. */
interface PostgresError extends Error {
  code?: string
  constraint?: string
}

/** Whether an error is the unique violation (23505) of the named constraint or index. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  const { code, constraint: name } = error as PostgresError
  return code === '23505' && name === constraint
}

/** Whether an error is a foreign key violation (23503). */
export const isForeignKeyViolation = (error: unknown): boolean =>
  (error as PostgresError).code === '23503'

/** Serialization failure or deadlock: nothing was written, and a retry may succeed. */
export const isRetryable = (error: unknown): boolean =>
  ['40001', '40P01'].includes((error as PostgresError).code ?? '')

/**
 * Whether the server gave a statement up because it took too long or waited too long for a lock:
 * unlike after a lost connection, nothing was written.
 */
export function isGivenUp(error: unknown): boolean {
  const cause = error instanceof Failure ? error.options.cause : error
  return ['57014', '55P03'].includes((cause as PostgresError | undefined)?.code ?? '')
}

const UNAVAILABLE_SQLSTATES = /^(08|53|57P|57014|25006|55P03)/
const UNAVAILABLE_ERRNO = /^(ECONN|EPIPE|ENOENT|ETIMEDOUT|EHOST|ENET|EAI_)/
const UNAVAILABLE_MESSAGE =
  /timeout exceeded|read timeout|Connection terminated|not queryable|Client was closed|connection error|Cannot use a pool/i

/**
 * Converts "the database is unavailable, full or too slow" to a 503; other errors are unchanged.
 */
export function translate(error: unknown): unknown {
  const { code, message } = error as PostgresError
  const away =
    code === undefined
      ? UNAVAILABLE_MESSAGE.test(message ?? '')
      : UNAVAILABLE_SQLSTATES.test(code) || UNAVAILABLE_ERRNO.test(code)
  return away ? new Failure('unavailable', { retryAfterSeconds: 1, cause: error }) : error
}

type Queryable = Pick<pg.Pool, 'query'> | Pick<pg.PoolClient, 'query'>

export async function run<Row>(
  on: Queryable,
  prepared: boolean,
  statement: Statement,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const name = prepared ? statement.name : undefined
  const config = { text: statement.text, values: withArrayText(values) }
  try {
    const result = await (on as pg.Pool).query(name === undefined ? config : { ...config, name })
    return result.rows as Row[]
  } catch (error) {
    throw translate(error)
  }
}
