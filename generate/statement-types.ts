/**
 * Writes `statements.ts`: the types of the parameters and rows of each statement, as
 * Postgres describes them on the migrated schema.
 */
import { glob, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Client } from 'pg'
import { sqlStatements, type TypedStatement } from '../src/platform/database/sql.ts'
import { columnTypes, type NamedType, sentJson } from './column-types.ts'
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
  /** The exports of schemas, by schema. */
  schemas: ReadonlyMap<unknown, NamedType>
  /** The columns that statements read, as keys of `columnTypes` have them. */
  texts: Set<string>
  /** The same of JSON, as in `sentJson`. */
  json: Set<string>
}

const quoted = (name: string): string => (/^[a-z_]\w*$/i.test(name) ? name : `'${name}'`)

function typeOfText(place: string, values: readonly string[] | undefined): string | undefined {
  const named = columnTypes[place]
  if (named !== undefined) return typeof named === 'object' ? named.name : named
  return values?.map((value) => `'${value}'`).join(' | ')
}

/**
 * JSON that is ours has the type of its schema, and any other is named as what people have sent.
 * @param place the key of `sentJson`
 * @throws Error for a column that is neither, or both
 */
function typeOfJson(
  place: string,
  column: string,
  { name, stored }: TypedStatement,
  { schemas }: Known,
): string {
  const sent = sentJson[place]
  if (!stored.has(column)) {
    if (sent === undefined) throw new Error(`${name} reads ${place} without its schema`)
    return sent
  }
  if (sent !== undefined) throw new Error(`${name} reads ${place} with a schema: it is as sent`)
  const schema = schemas.get(stored.get(column))
  if (schema === undefined) throw new Error(`${name}: the schema of ${column} is not exported`)
  return `Static<typeof ${schema.name}>`
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
  const isJson = typeName === 'json' || typeName === 'jsonb'
  if (isJson) known.json.add(place)
  else known.texts.add(place)
  const type = isJson
    ? typeOfJson(place, name, statement, known)
    : (typeOfText(place, column?.values) ?? rowTypes[typeName ?? ''] ?? 'string')
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

function importLines(body: string, { schemas }: Known): string[] {
  const names = new Map<string, Set<string>>()
  const types = Object.values(columnTypes).filter((each) => typeof each === 'object')
  for (const { name, from } of [...types, ...schemas.values()]) {
    if (!new RegExp(`\\b${name}\\b`).test(body)) continue
    names.set(from, (names.get(from) ?? new Set()).add(name))
  }
  return [...names]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([from, found]) => `import type { ${[...found].sort().join(', ')} } from '${from}'`)
}

/** The source files whose text has a match, in order. */
async function filesWith(pattern: RegExp): Promise<string[]> {
  const found: string[] = []
  for await (const path of glob('src/{features,platform}/**/*.ts', { cwd: fileURLToPath(root) })) {
    if (pattern.test(await readFile(new URL(path, root), 'utf8'))) found.push(path)
  }
  return found.sort()
}

const load = async (path: string) =>
  (await import(new URL(path, root).href)) as Readonly<Record<string, unknown>>

/** Loads every file that declares statements. */
async function loadStatements(): Promise<TypedStatement[]> {
  await Promise.all((await filesWith(/\bsql\('/)).map(load))
  // Statements that a rule composes of the texts of two slices.
  await load('src/operations.ts')
  return [...sqlStatements.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Where each schema that one of the statements uses is exported. */
async function schemaExports(
  statements: readonly TypedStatement[],
): Promise<Map<unknown, NamedType>> {
  const used = new Set<unknown>(statements.flatMap(({ stored }) => [...stored.values()]))
  const exports = new Map<unknown, NamedType>()
  for (const path of await filesWith(/ from 'typebox'/)) {
    for (const [name, value] of Object.entries(await load(path))) {
      if (used.has(value) && !exports.has(value)) exports.set(value, { name, from: `./${path}` })
    }
  }
  return exports
}

/** @param client on a database with all migrations */
export async function statementTypes(client: Client): Promise<string> {
  const statements = await loadStatements()
  const known: Known = {
    types: await typeNames(client),
    columns: await tableColumns(client),
    schemas: await schemaExports(statements),
    texts: new Set(),
    json: new Set(),
  }
  const lines: string[] = []
  for (const statement of statements) lines.push(...(await linesOf(client, statement, known)))
  const unread = [
    ...Object.keys(columnTypes).filter((place) => !known.texts.has(place)),
    ...Object.keys(sentJson).filter((place) => !known.json.has(place)),
  ]
  if (unread.length > 0) throw new Error(`no statement reads ${unread.join(', ')}`)
  const body = [
    "declare module './src/platform/database/sql.ts' {",
    '  interface Statements {',
    ...lines,
    '  }',
    '}',
  ].join('\n')
  return `${[
    '/** Generated by `npm run generate` from the migrated schema: do not edit. */',
    "import type { Static } from 'typebox'",
    ...importLines(body, known),
    '',
    body,
  ].join('\n')}\n`
}
