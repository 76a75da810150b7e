/**
 * Devices as a table, with the columns of an exported device. `tags`, `custom_fields` and `config`
 * are JSON in one cell; imports also accept columns such as `tags.floor` or
 * `custom_fields.battery`.
 */
import { Failure, invalid } from '../../../platform/errors/errors.ts'
import { MalformedJson, parseJson } from '../../../platform/lib/json.ts'
import { type ExportedDevice, ExportedDevice as Shape } from './schema.ts'

/** In export order. */
const COLUMNS = Object.keys(Shape.properties) as (keyof ExportedDevice)[]
const OBJECTS = ['tags', 'custom_fields', 'config'] as const

interface Column {
  name: string
  /** Undefined for a column that holds a whole member. */
  member: string | undefined
}

const isObjectColumn = (name: string): name is (typeof OBJECTS)[number] =>
  (OBJECTS as readonly string[]).includes(name)

function columnOf(name: string): Column {
  if ((COLUMNS as readonly string[]).includes(name)) return { name, member: undefined }
  const [column = '', ...rest] = name.split('.')
  const member = rest.join('.')
  const isMember = member !== '' && member !== '__proto__'
  if (isObjectColumn(column) && isMember) return { name: column, member }
  const pointer = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
  throw invalid(pointer, 'is not a column of this operation')
}

/**
 * Spreadsheets interpret cells with these prefixes as formulas (OWASP, CSV injection). A leading
 * apostrophe makes them text and is removed on import.
 */
const FORMULA = /^'*[=+\-@\t\r]/
const guarded = (text: string): string => (FORMULA.test(text) ? `'${text}` : text)
const unguarded = (text: string): string =>
  text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text

function jsonOf(name: string, cell: string): unknown {
  try {
    return parseJson(Buffer.from(cell), { isExact: true })
  } catch (error) {
    if (!(error instanceof MalformedJson)) throw error
    throw new Failure('malformed_json', {
      detail: `The cell ${name} is not JSON: ${error.message}`,
      errors: [{ pointer: `/${name}`, message: 'must be a JSON object' }],
    })
  }
}

const JSON_CELL = /^(?:-?\d|[[{"]|(?:true|false|null)$)/

/** Rows from a table, whose cells do not distinguish numbers from text. */
const tables = new WeakSet<object>()

/** A custom field value in its defined type, if the row came from a table. */
export function fieldValueOf(row: object, value: unknown, type: string | undefined): unknown {
  if (!tables.has(row)) return value
  const isScalar = typeof value === 'number' || typeof value === 'boolean'
  if (type === 'string' && isScalar) return String(value)
  const isNumber = typeof value === 'string' && /^-?\d+(?:\.\d+)?$/.test(value)
  return type === 'number' && isNumber ? Number(value) : value
}

/**
 * Tags are text. Other members are JSON if the cell parses as such, otherwise or after an
 * apostrophe text.
 */
function memberOf(name: string, cell: string): unknown {
  const text = unguarded(cell)
  if (name === 'tags' || text !== cell || !JSON_CELL.test(text)) return text
  try {
    const value = parseJson(Buffer.from(text), { isExact: true })
    // A number that would not round-trip stays text.
    return typeof value === 'number' && String(value) !== text ? text : value
  } catch {
    return text
  }
}

/** An empty cell leaves its column unset. */
function deviceOf(columns: readonly Column[], cells: readonly string[]): Record<string, unknown> {
  const device: Record<string, unknown> = {}
  tables.add(device)
  for (const [at, { name, member }] of columns.entries()) {
    const cell = cells[at] ?? ''
    if (cell === '') continue
    if (member === undefined) {
      device[name] = isObjectColumn(name) ? jsonOf(name, cell) : unguarded(cell)
      continue
    }
    const object = (device[name] ??= {})
    // Mutated: a copy per cell would block the process for seconds on a wide row.
    if (typeof object === 'object') {
      ;(object as Record<string, unknown>)[member] = memberOf(name, cell)
    }
  }
  return device
}

/** More than a device can have: even refused columns cost time per row. */
const MAX_COLUMNS = 1_000

/**
 * Parses the header of a device table.
 * @throws Failure invalid_request naming a column that is unknown, duplicate or excessive
 */
export function deviceColumns(header: readonly string[]): (cells: readonly string[]) => unknown {
  const beyond = header[MAX_COLUMNS]
  if (beyond !== undefined) {
    throw invalid(`/${beyond}`, `is one more than the ${MAX_COLUMNS} columns that a table may have`)
  }
  const columns = header.map(columnOf)
  const seen = new Set<string>()
  for (const name of header) {
    if (seen.has(name)) throw invalid(`/${name}`, 'is a column twice')
    seen.add(name)
  }
  // Single-member columns override the whole object.
  const order = [...columns.keys()].toSorted(
    (one, other) =>
      Number(columns[one]?.member !== undefined) - Number(columns[other]?.member !== undefined),
  )
  const sorted = order.map((at) => columns[at] as Column)
  return (cells) =>
    deviceOf(
      sorted,
      order.map((at) => cells[at] ?? ''),
    )
}

const quoted = (text: string): string =>
  /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text

function cellOf(value: ExportedDevice[keyof ExportedDevice]): string {
  if (value === null) return ''
  if (typeof value === 'object') {
    const text = JSON.stringify(value)
    return text === '{}' ? '' : quoted(text)
  }
  return quoted(guarded(value))
}

export const csvHeader = `${COLUMNS.join(',')}\r\n`

export const csvRow = (device: ExportedDevice): string =>
  `${COLUMNS.map((name) => cellOf(device[name])).join(',')}\r\n`
