/**
 * Writes `statements.ts`: the types of the parameters and rows of each statement, as
 * Postgres describes them on the migrated schema.
 */
import { glob, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Client } from 'pg'
import { sqlStatements, type TypedStatement } from '../src/platform/database/sql.ts'
import { columnTypes } from './column-types.ts'
import {
  type DescribedField,
  describeStatement,
  type TableColumn,
  tableColumns,
  typeNames,
} from './described-statements.ts'

const root = new URL('../', import.meta.url)

/** By the names of `pg_type`; how `typeParsers` reads them. */
const rowTypes: Readonly<Record<string, string>> = {
  bool: 'boolean',
  bytea: 'Buffer',
  int2: 'number',
  int4: 'number',
  int8: 'number',
  float4: 'number',
  float8: 'number',
  timestamptz: 'number',
  json: 'unknown',
  jsonb: 'unknown',
  _int8: 'string[]',
  _timestamptz: 'Date[]',
  _text: 'string[]',
  _uuid: 'string[]',
  _int4: 'number[]',
  _bool: 'boolean[]',
}

/** JSON is passed as text, and so are times, as RFC 3339. */
const parameterTypes: Readonly<Record<string, string>> = {
  bool: 'boolean',
  bytea: 'Buffer',
  int2: 'number',
  int4: 'number',
  int8: 'number | string',
  float4: 'number',
  float8: 'number',
  numeric: 'number | string',
}

interface Known {
  /** Names of types, by their identifiers. */
  types: ReadonlyMap<number, string>
  columns: readonly TableColumn[]
}

const quoted = (name: string): string => (/^[a-z_]\w*$/i.test(name) ? name : `'${name}'`)

function namedType(column: string): string | undefined {
  const named = columnTypes[column]
  return typeof named === 'object' ? named.type : named
}

function typeOfColumn({ table, column, values, typeId }: TableColumn, { types }: Known): string {
  const named = namedType(`${table}.${column}`)
  if (named !== undefined) return named
  if (values !== undefined) return values.map((value) => `'${value}'`).join(' | ')
  return rowTypes[types.get(typeId) ?? ''] ?? 'string'
}

/**
 * JSON that is ours has a schema, and any other is named as what people have sent.
 * @param place the key of `columnTypes`
 * @throws Error for a column that is neither
 */
function requireSchema(place: string, column: string, { name, stored }: TypedStatement): void {
  const named = columnTypes[place]
  const isKnown = typeof named === 'string' || (named !== undefined && stored.has(column))
  if (!isKnown) throw new Error(`${name} reads ${place} without its schema`)
}

const orNull = (type: string, isNullable: boolean): string =>
  isNullable && type !== 'unknown' ? `${type} | null` : type

/** The text in parentheses that begins at `open`. */
function inParentheses(text: string, open: number): string {
  let depth = 0
  for (let end = open; end < text.length; end += 1) {
    if (text[end] === '(') depth += 1
    if (text[end] === ')') depth -= 1
    if (depth === 0) return text.slice(open, end)
  }
  return text.slice(open)
}

const OUTER_JOIN = /\b(LEFT|RIGHT|FULL) JOIN (?:LATERAL )?(\w+|\()/g

/** Whether rows of a table may be missing from an outer join; true if that is not certain. */
function isOuterJoined(text: string, table: string, { columns }: Known): boolean {
  const has = (part: string): boolean => new RegExp(`\\b${table}\\b`).test(part)
  return [...text.matchAll(OUTER_JOIN)].some(({ 0: join, 1: side, 2: name = '', index }) => {
    if (side !== 'LEFT') return true
    if (name === '(') return has(inParentheses(text, index + join.length - 1))
    if (columns.some((column) => column.table === name)) return name === table
    // A common table expression.
    const made = new RegExp(`\\b${name} AS (?:(?:NOT )?MATERIALIZED )?\\(`).exec(text)
    return made === null || has(inParentheses(text, made.index + made[0].length - 1))
  })
}

/** Computed columns that are never null: counts and the time. */
const condition = String.raw`[^()]*(?:\([^()]*\)[^()]*)*`
const counted = String.raw`count\((?:\*|[\w.]+)\)(?: FILTER \(WHERE ${condition}\))?`
const NEVER_NULL = new RegExp(
  String.raw`\b(?:${counted}|now\(\)|clock_timestamp\(\))(?:::int)? AS (\w+)`,
  'g',
)

function fieldOf(field: DescribedField, statement: TypedStatement, known: Known): string {
  const { tableId, columnId, name, typeId } = field
  const column = known.columns.find(
    (each) => each.tableId === tableId && each.columnId === columnId,
  )
  const place = column
    ? `${column.table}.${column.column}`
    : `${statement.name.split('.')[0]}.${name}`
  const typeName = known.types.get(typeId)
  if (typeName === 'json' || typeName === 'jsonb') requireSchema(place, name, statement)
  const type = column
    ? typeOfColumn(column, known)
    : (namedType(place) ?? rowTypes[typeName ?? ''] ?? 'string')
  const isKnown = column
    ? column.isNotNull && !isOuterJoined(statement.text, column.table, known)
    : [...statement.text.matchAll(NEVER_NULL)].some(([, alias]) => alias === name)
  return `${quoted(name)}: ${orNull(type, !(statement.declared.get(name) ?? isKnown))}`
}

function parameterType(typeId: number, { types }: Known): string {
  const name = types.get(typeId) ?? ''
  if (!name.startsWith('_')) return parameterTypes[name] ?? 'string'
  return `readonly (${parameterTypes[name.slice(1)] ?? 'string'} | null)[]`
}

const braced = (members: readonly string[]): string =>
  members.length === 0 ? 'Record<string, never>' : `{ ${members.join('; ')} }`

async function linesOf(client: Client, statement: TypedStatement, known: Known): Promise<string[]> {
  const { name, text, parameters, nullable } = statement
  const found = await describeStatement(client, text).catch((error: unknown) => {
    throw new Error(`the statement ${name}: ${(error as Error).message}`, { cause: error })
  })
  const params = parameters.map((parameter, index) => {
    const type = parameterType(found.parameters[index] ?? 0, known)
    return `${parameter}: ${orNull(type, nullable.has(parameter))}`
  })
  const fields = found.fields.map((field) => fieldOf(field, statement, known))
  return [
    `    '${name}': {`,
    `      params: ${braced(params)}`,
    `      row: ${braced(fields)}`,
    '    }',
  ]
}

function importLines(body: string): string[] {
  const names = new Map<string, Set<string>>()
  for (const named of Object.values(columnTypes)) {
    if (typeof named === 'string' || !body.includes(named.type)) continue
    names.set(named.from, (names.get(named.from) ?? new Set()).add(named.name))
  }
  return [...names]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([from, found]) => `import type { ${[...found].sort().join(', ')} } from '${from}'`)
}

/** Loads every file that declares statements. */
async function loadStatements(): Promise<TypedStatement[]> {
  const stores: string[] = []
  for await (const path of glob('src/{features,platform}/**/*.ts', { cwd: fileURLToPath(root) })) {
    const text = await readFile(new URL(path, root), 'utf8')
    if (/\bsql\('/.test(text)) stores.push(path)
  }
  await Promise.all(stores.map((path) => import(new URL(path, root).href)))
  // Statements that a rule composes of the texts of two slices.
  await import('../src/operations.ts')
  return [...sqlStatements.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** @param client on a database with all migrations */
export async function statementTypes(client: Client): Promise<string> {
  const known: Known = { types: await typeNames(client), columns: await tableColumns(client) }
  const statements: string[] = []
  for (const statement of await loadStatements()) {
    statements.push(...(await linesOf(client, statement, known)))
  }
  const body = [
    "declare module './src/platform/database/sql.ts' {",
    '  interface Statements {',
    ...statements,
    '  }',
    '}',
  ].join('\n')
  return `${[
    '/** Generated by `npm run generate` from the migrated schema: do not edit. */',
    ...importLines(body),
    '',
    body,
  ].join('\n')}\n`
}
