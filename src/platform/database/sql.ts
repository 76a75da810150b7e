/**
 * Statements with named parameters and known rows. `npm run generate` prepares each of them against
 * the migrated schema and writes the types of its parameters and rows into `statements.ts`, so that
 * a swapped parameter or a dropped column does not compile.
 * See docs/decisions/0067-statement-types.md.
 */
import { hasDefault, readStored, type StoredSchema } from '../lib/stored-json.ts'
import type { Db } from './db.ts'
import { COLUMN_MARK, type Statement } from './query.ts'

/** By name; `statements.ts` adds them. */
// oxlint-disable-next-line typescript/no-empty-object-type -- it is filled elsewhere
export interface Statements {}

interface Types {
  params: unknown
  row: unknown
}
type TypesOf<Name extends keyof Statements> = Statements[Name] & Types

/** One argument, or none for a statement without parameters. */
type Given<Params> = Record<string, never> extends Params ? [] : [params: Params]

type Runner = Pick<Db, 'query'>

export interface TypedStatement<Params = never, Row = unknown> extends Statement {
  readonly name: string
  /** The text as written, to compose other statements of. */
  readonly source: string
  /** Names of `$1`, `$2` and so on. */
  readonly parameters: readonly string[]
  /** Parameters that may be null. */
  readonly nullable: ReadonlySet<string>
  /** Columns declared as never null (true) or as nullable (false). */
  readonly declared: ReadonlyMap<string, boolean>
  /** Schemas of columns of JSON, stored or composed. */
  readonly stored: ReadonlyMap<string, StoredSchema>
  rows(on: Runner, ...params: Given<Params>): Promise<Row[]>
  /** For statements without a result. */
  run(on: Runner, ...params: Given<Params>): Promise<void>
  /** The first row, if there is one. */
  first(on: Runner, ...params: Given<Params>): Promise<Row | undefined>
  /** The row of a statement that always returns one. */
  one(on: Runner, ...params: Given<Params>): Promise<Row>
  /** Whether there was a row. */
  any(on: Runner, ...params: Given<Params>): Promise<boolean>
  /** The number of rows, such as of those that were changed. */
  count(on: Runner, ...params: Given<Params>): Promise<number>
}

const ARRAY = /(\$\w+)::(\w+\[\])/g

/**
 * The SQL with its array parameters in sub-selects, so that the planner does not see their lengths:
 * for a statement that is often sent with one element or a few. Else a plan for that length always
 * seems to cost less than the one that is kept for any length. The statement is then planned again
 * each time, several times the work of executing it (PostgreSQL documentation, PREPARE, notes).
 */
export const withUnseenArrays = (source: string): string =>
  source.replaceAll(ARRAY, '(SELECT $1::$2)::$2')

/** The type of a statement's rows. */
export type RowOf<Of> = Of extends TypedStatement<infer _Params, infer Row> ? Row : never

/** The columns of an outer join for a row that may be missing: then all of them are null. */
type Joined<Row> = { [Name in keyof Row]: Row[Name] | null }

/**
 * Whether an outer join found the row. Its type is that of a statement which reads the row alone.
 * @param id a column that is null only without the row
 */
export const isJoined = <Row>(row: Joined<Row>, id: keyof Row): row is Row & Joined<Row> =>
  row[id] !== null

/** The type of a statement's parameters. */
export type ParamsOf<Of> = Of extends TypedStatement<infer Params, infer _Row> ? Params : never

/**
 * Rows as one array for each member, which `unnest` makes rows again: a statement has a parameter
 * `$deviceId::uuid[]` for the member `deviceId`. Members that it does not name are ignored.
 */
export function columnsOf<Row extends object>(
  rows: readonly Row[],
): { [Name in keyof Row]: Row[Name][] } {
  const columns = {} as { [Name in keyof Row]: Row[Name][] }
  for (const name in rows[0]) columns[name] = rows.map((row) => row[name])
  return columns
}

/** Parses `deviceId uuid, address? text`: parameters, marks, types and names of columns. */
const fieldsOf = (fields: string) =>
  fields.split(',').map((field) => {
    const [, name = '', mark = '', type = ''] = /^\s*(\w+)(\??)\s+(\w+)\s*$/.exec(field) ?? []
    const column = name.replace(/[A-Z]/g, (on) => `_${on.toLowerCase()}`)
    return { name, mark, type, column }
  })

/**
 * Such rows in the text of a statement: `fields` has the members with their types, as in
 * `deviceId uuid, seq bigint`. The columns are called `device_id` and `seq`.
 */
export function unnested(alias: string, fields: string): string {
  const all = fieldsOf(fields)
  const arrays = all.map(({ name, type }) => `$${name}::${type}[]`)
  return `unnest(${arrays.join(', ')}) AS ${alias} (${all.map(({ column }) => column).join(', ')})`
}

/**
 * The columns of a single such row, whose members are parameters themselves. A member with `?` may
 * be null.
 */
export const singleRow = (fields: string): string =>
  fieldsOf(fields)
    .map(({ name, mark, type, column }) => `$${name}${mark}::${type} AS ${column}`)
    .join(', ')

/** Repeats a statement that changes at most `limit` rows, until it changes fewer. */
export async function exhaust<Params extends { limit: string | number }>(
  statement: { count(on: Runner, params: Params): Promise<number> },
  on: Runner,
  params: NoInfer<Params>,
  signal?: AbortSignal,
): Promise<void> {
  do {
    if (signal?.aborted) return
  } while ((await statement.count(on, params)) === Number(params.limit))
}

/**
 * Rows page by page, until a page has fewer than `limit`.
 * @param read gets the last row of the page before
 */
export async function* pagesOf<Row>(
  limit: number,
  read: (last: Row | undefined) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[], void> {
  let rows = await read(undefined)
  for (; rows.length === limit; rows = await read(rows.at(-1))) yield rows
  if (rows.length > 0) yield rows
}

const storedSchemas: StoredSchema[] = []

/**
 * A column of stored JSON, in the list of those that a statement returns: members that rows of an
 * older release lack get the defaults of the schema.
 * @param name by default that of the column
 */
export const stored = (
  column: string,
  schema: StoredSchema,
  name = column.slice(column.indexOf('.') + 1),
): string => `${column} AS ${name}#${storedSchemas.push(schema) - 1}`

/** The marks of composed columns in the sources of statements. */
export const composedColumns = new Set<string>()

/**
 * A column of JSON that a statement composes, such as by `json_agg`. The schema describes every
 * member; the law `composed-json` compares it with what Postgres returns.
 */
export function composed(expression: string, schema: StoredSchema, name: string): string {
  const column = stored(expression, schema, name)
  composedColumns.add(column.slice(expression.length))
  return column
}

/** Creates what reads the stored JSON of rows, in place. */
export function rowReader<Row>(schemas: ReadonlyMap<string, StoredSchema>): (rows: Row[]) => Row[] {
  const columns = [...schemas].filter(([, schema]) => hasDefault(schema))
  if (columns.length === 0) return (rows) => rows
  return (rows) => {
    for (const row of rows as Record<string, unknown>[]) {
      for (const [column, schema] of columns) row[column] = readStored(schema, row[column])
    }
    return rows
  }
}

/** All statements of the loaded modules, by name. */
export const sqlStatements = new Map<string, TypedStatement>()

const PARAMETER = /\$([a-z]\w*)(\??)/gi

/**
 * A frequent statement, as a template: planned once per connection, by its name.
 *
 * `$deviceId` is a parameter, `$reason?` one that may be null. Whether a column may be null is
 * known if it is one of a table; of other expressions `AS total!` says that it never is. `AS host?`
 * is for a column of a table that may be null here all the same. Columns of JSON: see `stored`.
 * @param adapt changes the whole text, such as `withUnseenArrays`
 */
export const sql =
  <Name extends keyof Statements>(name: Name, adapt = (source: string) => source) =>
  (
    parts: TemplateStringsArray,
    ...values: readonly (string | number)[]
  ): TypedStatement<TypesOf<Name>['params'], TypesOf<Name>['row']> =>
    statementOf(name, adapt(String.raw({ raw: parts }, ...values).trim()))

function statementOf<Name extends keyof Statements>(
  name: Name,
  source: string,
): TypedStatement<TypesOf<Name>['params'], TypesOf<Name>['row']> {
  if (sqlStatements.has(name)) throw new Error(`two statements have the name ${name}`)
  const parameters: string[] = []
  const nullable = new Set<string>()
  const declared = new Map<string, boolean>()
  const schemas = new Map<string, StoredSchema>()
  const text = source
    .replace(PARAMETER, (_all, parameter: string, mark: string) => {
      if (!parameters.includes(parameter)) parameters.push(parameter)
      if (mark === '?') nullable.add(parameter)
      return `$${parameters.indexOf(parameter) + 1}`
    })
    .replace(COLUMN_MARK, (_all, column: string, alias: string, mark: string, at: string) => {
      if (mark !== '') declared.set(alias, mark === '!')
      if (at !== '') schemas.set(alias, storedSchemas[Number(at.slice(1))] as StoredSchema)
      return column
    })
  const read = rowReader<unknown>(schemas)
  const rows = async (on: Runner, given: Readonly<Record<string, unknown>> = {}) =>
    read(
      await on.query(
        made,
        parameters.map((parameter) => given[parameter]),
      ),
    )
  const made = {
    name,
    text,
    source,
    parameters,
    nullable,
    declared,
    stored: schemas,
    rows,
    async run(on: Runner, given?: Record<string, unknown>) {
      await rows(on, given)
    },
    first: async (on: Runner, given?: Record<string, unknown>) => (await rows(on, given))[0],
    async one(on: Runner, given?: Record<string, unknown>) {
      const [row] = await rows(on, given)
      if (row === undefined) throw new Error(`${name} returned no row`)
      return row
    },
    any: async (on: Runner, given?: Record<string, unknown>) => (await rows(on, given)).length > 0,
    count: async (on: Runner, given?: Record<string, unknown>) => (await rows(on, given)).length,
  }
  sqlStatements.set(name, made)
  return made as unknown as TypedStatement<TypesOf<Name>['params'], TypesOf<Name>['row']>
}
