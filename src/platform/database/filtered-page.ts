/**
 * Pages of a filtered list: walks one index and checks each row. The number of rows examined per
 * page is bounded: a page may have fewer rows than requested and still not be the last.
 */
import type { ListNode } from '../lib/list-filter.ts'
import type { Db } from './connect.ts'
import { type Add, type FilteredColumn, type FilteredOrder, walkOf } from './filtered-walk.ts'
import { unnamed } from './query.ts'

export interface FilteredTable<Row> {
  /** Columns to read, including the one that orders the list. */
  columns: string
  /** SQL of further columns, for the rows of the page alone; it calls such a row `seen`. */
  more?: string
  /** The value that orders the row, as text. */
  idOf: (row: Row) => string
  table: string
  /**
   * The column of the whole that the rows are parts of, such as the job of an item. The key is
   * `(workspace_id, <part of>, <order>)`; all other indexes start with the first two as well.
   */
  partOf?: string
  /** By default by `id`, newest first. */
  order?: FilteredOrder
  /** SQL for each filter field. */
  fields: Readonly<Record<string, FilteredColumn>>
}

/** Maximum rows examined per page. */
const SCAN_BUDGET = 5_000
const LAST = '\u{10ffff}'

type Test = ListNode & { kind: 'is' }

function testOf({ test, value }: Test, sql: string, add: Add): string {
  if (test === 'present') return `${sql} IS NOT NULL`
  if (test === 'has') return `${add(value)} = ANY (${sql})`
  if (test === '=') return `${sql} = ${add(value)}`
  if (test === 'prefix') {
    return `(${sql}) COLLATE "C" >= ${add(value)} AND (${sql}) COLLATE "C" < ${add(value + LAST)}`
  }
  // As displayed: truncated to milliseconds.
  return `date_trunc('milliseconds', ${sql}) ${test} ${add(value)}::timestamptz`
}

/** True or false but never null, so that negation works. */
function conditionOf(node: ListNode, fields: FilteredTable<unknown>['fields'], add: Add): string {
  if (node.kind === 'not') return `NOT ${conditionOf(node.part, fields, add)}`
  if (node.kind === 'is') {
    const field = fields[node.field]
    if (field === undefined) throw new Error('a field of the filter has no column')
    return `coalesce(${testOf(node, field.sql, add)}, false)`
  }
  const parts = node.parts.map((part) => conditionOf(part, fields, add))
  if (parts.length === 0) return node.kind === 'and' ? 'true' : 'false'
  return `(${parts.join(node.kind === 'and' ? ' AND ' : ' OR ')})`
}

/** Whether no row satisfies a filter, whatever is in it. */
const isNever = (node: ListNode): boolean =>
  node.kind === 'or' ? node.parts.every(isNever) : node.kind === 'and' && node.parts.some(isNever)

export interface FilteredRequest {
  node: ListNode | undefined
  /** What the previous page's last row was ordered by. */
  after: string | undefined
  limit: number
}

/**
 * @param whole UUID of what the rows are parts of, for tables with `partOf`
 * @returns the rows, and where the next page starts; undefined after the last one
 */
export async function filteredPage<Row>(
  db: Db,
  table: FilteredTable<Row>,
  workspaceId: string,
  request: FilteredRequest,
  whole?: string,
): Promise<{ rows: Row[]; next: string | undefined }> {
  const { node, after, limit } = request
  if (node !== undefined && isNever(node)) return { rows: [], next: undefined }
  const { columns, partOf, more } = table
  const values: unknown[] = [workspaceId]
  const add: Add = (value) => `$${values.push(value)}`
  if ((partOf === undefined) !== (whole === undefined)) throw new Error('parts have a whole')
  const pins = partOf === undefined ? [] : [{ column: partOf, value: add(whole) }]
  const walk = `${walkOf(table, { node, after, pins }, add)} LIMIT ${SCAN_BUDGET}`
  const condition = node ? conditionOf(node, table.fields, add) : 'true'
  // Reads one more than requested, to know whether there is more, and the last row walked, where
  // the next page starts. Rows arrive in walk order, which stops when there are enough: sorting
  // would walk everything.
  const page = `SELECT * FROM (
      SELECT ${columns}, walked, ${condition} AS passes
      FROM (SELECT walk.*, row_number() OVER () AS walked FROM (${walk}) walk) numbered
    ) looked WHERE passes OR walked = ${SCAN_BUDGET} LIMIT ${limit + 1}`
  const text = more === undefined ? page : `SELECT seen.*, ${more} FROM (${page}) seen`
  const rows = await db.query<Row & { passes: boolean; walked: number }>(unnamed(text), values)
  const passing = rows.filter(({ passes }) => passes)
  const shown = passing.slice(0, limit)
  const last = rows.at(-1)
  const isDisconnected = last?.walked === SCAN_BUDGET
  const end = passing.length > limit ? shown.at(-1) : isDisconnected ? last : undefined
  return { rows: shown, next: end && table.idOf(end) }
}
