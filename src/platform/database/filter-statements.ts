/** Statements of a page: a bounded scan of indexes that checks each row. */
import type { FilterNode, Predicate } from '../lib/filter-node.ts'
import { MAX_UUID, NIL_UUID } from '../lib/ids.ts'
import { constant, type Db, unnamed } from './connect.ts'
import type { FieldOf, PlanStep, ScanSet } from './filter-plan.ts'
import {
  type Add,
  type Bound,
  type IndexScan,
  type Pin,
  type ScanKey,
  within,
} from './index-scan.ts'

export interface ListOrder {
  column: string
  type: 'uuid' | 'integer' | 'timestamptz'
  isUpwards?: boolean
}

/** A position in the list: after row `id`, ordered by `k` if set. */
export interface Position {
  k: string | null
  id: string
}

export interface SearchTable {
  table: string
  order: ListOrder
  /** Columns that are equal in the whole list, in addition to the workspace, as in each index. */
  parts?: readonly Pin[]
  /** Columns of a result. By default only its position. */
  columns?: string
  /** SQL of further columns, for rows of the page alone: `seen` is one, `$1` the workspace. */
  more?: string
  /** SQL that selects the rest of a row of the page, which it calls `seen`. */
  whole?: string
  /** The row checked in place of the scanned one: SQL from FROM to WHERE, and its id there. */
  checked?: { rows: string; id: string }
  fieldOf: FieldOf
}

/** Where a search looks. */
export interface Source {
  db: Db
  table: SearchTable
  workspaceId: string
}

/** Values of the statement that is being composed. */
interface Parameters {
  values: unknown[]
  add: Add
}

function parametersOf(workspaceId: string): Parameters {
  const values: unknown[] = [workspaceId]
  return { values, add: (value) => `$${values.push(value)}` }
}

const edges = {
  uuid: [NIL_UUID, MAX_UUID],
  integer: ['-2147483648', '2147483647'],
  timestamptz: ['-infinity', 'infinity'],
} as const

/** True or false but never null, so that negation works. */
const testOf = ({ fieldOf }: SearchTable, predicate: Predicate, add: Add): string =>
  `coalesce(${fieldOf(predicate.field).condition(predicate, add)}, false)`

function conditionOf(table: SearchTable, node: FilterNode, add: Add): string {
  if (node.kind === 'is') return `${node.isNegated ? 'NOT ' : ''}${testOf(table, node, add)}`
  const parts = node.parts.map((part) => conditionOf(table, part, add))
  if (parts.length === 0) return node.kind === 'and' ? 'true' : 'false'
  return `(${parts.join(node.kind === 'and' ? ' AND ' : ' OR ')})`
}

const pinsOf = ({ parts = [] }: SearchTable): Pin[] => [
  { column: 'workspace_id', value: () => '$1' },
  ...parts,
]

const isUpper = ({ order }: Bound): boolean => order === '<' || order === '<='

const idOf = ({ order }: SearchTable, { table }: IndexScan): string => table?.id ?? order.column

/** In the order of a column, continuing after `after`. */
function scanByKey(
  table: SearchTable,
  scan: IndexScan,
  key: ScanKey,
  after: Position | undefined,
  add: Add,
): string[] {
  const { column, cast, isUnique } = key
  const id = idOf(table, scan)
  const conditions = pinsOf(table).map((pin) => `${pin.column} = ${pin.value(add)}`)
  const { bounds = [], partial } = scan
  // The position lies within the bounds; with two lower bounds the index might start at the other.
  const open = after ? bounds.filter(isUpper) : bounds
  if (open.length > 0) conditions.push(within(column, open, add))
  if (partial !== undefined) conditions.push(partial)
  if (after !== undefined) {
    const k = `${add(after.k)}::${cast}`
    conditions.push(
      isUnique ? `${column} > ${k}` : `(${column}, ${id}) > (${k}, ${add(after.id)}::uuid)`,
    )
  }
  return [conditions.join(' AND '), isUnique ? column : `${column}, ${id}`]
}

/**
 * In the order of the list. Columns are compared as a row, which only the one index supports.
 */
function scanByList(
  table: SearchTable,
  scan: IndexScan,
  after: Position | undefined,
  add: Add,
): string[] {
  const { type, isUpwards } = table.order
  const id = idOf(table, scan)
  const equal = [...pinsOf(table), ...(scan.pin ? [scan.pin] : [])]
  const pin = scan.pin?.isUnique ? undefined : equal.pop()
  const conditions = equal.map(({ column, value }) => `${column} = ${value(add)}`)
  if (scan.partial !== undefined) conditions.push(scan.partial)
  const value = pin?.value(add)
  // The ends of the order are literals: as a parameter, they would look like any other value to a
  // plan that is made once.
  const ends: readonly string[] = edges[type]
  const compare = (operator: string, place: string): void => {
    const other = `${ends.includes(place) ? `'${place}'` : add(place)}::${type}`
    conditions.push(
      pin
        ? `(${pin.column}, ${id}) ${operator} (${value}, ${other})`
        : `${id} ${operator} ${other}`,
    )
  }
  const [low, high] = scan.ids ?? edges[type]
  const [first, last] = isUpwards ? [low, high] : [high, low]
  const [ahead, back, direction] = isUpwards ? ['>', '<', 'ASC'] : ['<', '>', 'DESC']
  const isBefore = (place: string): boolean =>
    type === 'uuid' && (isUpwards ? place < first : place > first)
  if (after === undefined || isBefore(after.id)) compare(`${ahead}=`, first)
  else compare(ahead, after.id)
  compare(`${back}=`, last)
  const columns = pin ? [pin.column, id] : [id]
  return [conditions.join(' AND '), columns.map((column) => `${column} ${direction}`).join(', ')]
}

function scanOf(
  table: SearchTable,
  scan: IndexScan,
  after: Position | undefined,
  limit: number,
  add: Add,
): string {
  const { key } = scan
  const [where, order] = key
    ? scanByKey(table, scan, key, after, add)
    : scanByList(table, scan, after, add)
  const columns =
    table.columns ?? `${idOf(table, scan)} AS id, ${key ? key.column : 'NULL'}::text AS k`
  return `(SELECT ${columns} FROM ${scan.table?.name ?? table.table} WHERE ${where}
    ORDER BY ${order} LIMIT ${limit})`
}

/** Merges several scans, each row once. */
function merged(
  table: SearchTable,
  scans: ScanSet,
  after: Position | undefined,
  limit: number,
  add: Add,
): string {
  const each = scans.map((scan) => scanOf(table, scan, after, limit, add))
  if (each.length === 1) return each.join('')
  const { column, isUpwards } = table.order
  return `(SELECT DISTINCT ON (${column}) * FROM (${each.join(' UNION ALL ')}) each
    ORDER BY ${column} ${isUpwards ? 'ASC' : 'DESC'} LIMIT ${limit})`
}

/** Conditions for a row to be shown in the step. */
function checkOf(table: SearchTable, step: PlanStep, node: FilterNode, add: Add): string {
  const all = (predicates: readonly Predicate[]): string =>
    predicates.map((predicate) => testOf(table, predicate, add)).join(' AND ')
  const conditions = [conditionOf(table, node, add)]
  if (step.only.length > 0) conditions.push(all(step.only))
  for (const predicates of step.except) conditions.push(`NOT (${all(predicates)})`)
  const key = step.scans[0]?.key
  if (key?.isRepeated) conditions.push(`scanned.k COLLATE "C" = ${key.ofRow(add)}`)
  return conditions.join(' AND ')
}

export interface ScanRequest {
  /** Undefined: all rows pass. */
  node: FilterNode | undefined
  after: Position | undefined
  /** How many rows are examined, and how many results are wanted. */
  limit: number
  wanted: number
}

/** A result, or the last of the examined rows. */
export interface Scanned {
  passes: boolean
  /** Its number among the examined rows, from 1. */
  scanned_rows: number
}

/** The page with all columns of its rows, in the same order: each is looked up as it is reached. */
function shownOf({ more, whole }: SearchTable, page: string): string {
  if (whole !== undefined) {
    return `SELECT seen.*, whole.* FROM (${page}) seen
      CROSS JOIN LATERAL (${whole} OFFSET 0) whole`
  }
  return more === undefined ? page : `SELECT seen.*, ${more} FROM (${page}) seen`
}

/**
 * Examines rows of a step. @returns those that pass, and the last of `limit` in any case. They
 * arrive in the order of the scan, which stops when there are enough: sorting would read them all.
 */
export async function scanStep<Row>(
  { db, table, workspaceId }: Source,
  step: PlanStep,
  { node, after, limit, wanted }: ScanRequest,
): Promise<(Row & Scanned)[]> {
  const { values, add } = parametersOf(workspaceId)
  const rows = merged(table, step.scans, after, limit, add)
  if (node === undefined) {
    const found = await db.query<Row>(constant(shownOf(table, rows)), values)
    return found.map((row, index) => ({ ...row, passes: true, scanned_rows: index + 1 }))
  }
  const check = checkOf(table, step, node, add)
  // Written so that the check cannot become a join that starts elsewhere.
  const passes = table.checked
    ? `SELECT true AS passes ${table.checked.rows} AND ${table.checked.id} = scanned.id
         AND ${check} OFFSET 0`
    : `SELECT ${check} AS passes`
  const page = `SELECT scanned.*, coalesce(checked.passes, false) AS passes
    FROM (SELECT each.*, (row_number() OVER ())::integer AS scanned_rows FROM ${rows} each) scanned
    LEFT JOIN LATERAL (${passes}) checked ON true
    WHERE checked.passes OR scanned_rows = ${limit} LIMIT ${wanted}`
  return db.query<Row & Scanned>(unnamed(shownOf(table, page)), values)
}

/** How many rows each set reaches, counted up to `max` per scan. */
export async function countSets(
  { db, table, workspaceId }: Source,
  sets: readonly ScanSet[],
  max: number,
): Promise<number[]> {
  const { values, add } = parametersOf(workspaceId)
  const counts = sets.map((set, index) => {
    const each = set.map(
      (scan) => `(SELECT count(*) FROM ${scanOf(table, scan, undefined, max, add)} each)`,
    )
    return `(${each.join(' + ')})::integer AS c${index}`
  })
  const text = `SELECT ${counts.join(', ')}`
  const [row] = await db.query<Record<string, number>>(unnamed(text), values)
  return sets.map((_, index) => row?.[`c${index}`] ?? 0)
}

/** Checks all rows of a small set, of at most `limit` per scan, and sorts them as a step does. */
export async function sortSet<Row>(
  { db, table, workspaceId }: Source,
  set: ScanSet,
  step: PlanStep,
  { node, after, limit, wanted }: ScanRequest & { node: FilterNode },
): Promise<Row[]> {
  const { values, add } = parametersOf(workspaceId)
  if (table.checked === undefined) throw new Error('rows of the list have another order')
  const { rows, id } = table.checked
  const scans = set.map((scan) => scanOf(table, scan, undefined, limit, add))
  const key = step.scans[0]?.key
  const k = key ? `(${key.ofRow(add)})::${key.cast}` : 'NULL::text'
  const column = key?.cast === 'text' ? 'checked.k COLLATE "C"' : 'checked.k'
  const conditions = ['true']
  if (after !== undefined) {
    const place = `${add(after.id)}::uuid`
    conditions.push(
      key
        ? `(${column}, checked.id) > (${add(after.k)}::${key.cast}, ${place})`
        : `checked.id < ${place}`,
    )
  }
  const text = `SELECT checked.id, checked.k::text AS k
    FROM (SELECT DISTINCT each.id FROM (${scans.join(' UNION ALL ')}) each) scanned
    CROSS JOIN LATERAL (
      SELECT ${id} AS id, ${k} AS k ${rows} AND ${id} = scanned.id
        AND ${conditionOf(table, node, add)} OFFSET 0
    ) checked
    WHERE ${conditions.join(' AND ')}
    ORDER BY ${key ? `${column}, checked.id` : 'checked.id DESC'} LIMIT ${wanted}`
  return db.query<Row>(unnamed(shownOf(table, text)), values)
}

/**
 * Counts the rows of a set that pass, and how many entries of indexes were read for it.
 * @param node undefined: all rows of the set pass
 * @param limit of the entries that are read
 */
export async function countSet(
  { db, table, workspaceId }: Source,
  set: ScanSet,
  { node, limit }: { node: FilterNode | undefined; limit: number },
): Promise<{ passing: number; examined: number }> {
  const { values, add } = parametersOf(workspaceId)
  if (table.checked === undefined) throw new Error('rows of the list have another order')
  const { rows, id } = table.checked
  const scans = set.map((scan) => scanOf(table, scan, undefined, limit, add))
  const examined = `SELECT id FROM (${scans.join(' UNION ALL ')}) each LIMIT ${limit}`
  const passing =
    node === undefined
      ? 'SELECT DISTINCT examined.id FROM examined'
      : `SELECT FROM (SELECT DISTINCT examined.id FROM examined) scanned
         CROSS JOIN LATERAL (
           SELECT ${rows} AND ${id} = scanned.id AND ${conditionOf(table, node, add)} OFFSET 0
         ) checked`
  const isPlain = node === undefined && set.length === 1
  const text = isPlain
    ? `SELECT count(*)::integer AS passing, count(*)::integer AS examined FROM (${examined}) examined`
    : `WITH examined AS MATERIALIZED (${examined})
       SELECT (SELECT count(*)::integer FROM examined) AS examined,
         (SELECT count(*)::integer FROM (${passing}) passing) AS passing`
  const [row] = await db.query<{ passing: number; examined: number }>(unnamed(text), values)
  return row ?? { passing: 0, examined: 0 }
}
