/**
 * Pages of a filtered list: walks one index, newest first, and checks each row. The number of rows
 * examined per page is bounded: a page may have fewer rows than requested and still not be the
 * last.
 */
import { leastUuidAt } from '../lib/ids.ts'
import type { ListNode } from '../lib/list-filter.ts'
import type { Db } from './connect.ts'
import { unnamed } from './query.ts'

export interface FilteredTable<Row> {
  /** Columns to read, including `id`. The table's key is `(workspace_id, id)`. */
  columns: string
  idOf: (row: Row) => string
  table: string
  /** SQL for each filter field. */
  fields: Readonly<Record<string, FilteredColumn>>
}

export interface FilteredColumn {
  sql: string
  /** There is an index on `(workspace_id, <sql>, id)`. */
  isIndexed?: boolean
  /** It is the time at which the id was generated, within an hour. */
  isTimeOfId?: boolean
}

/** Maximum rows examined per page. */
const SCAN_BUDGET = 5_000
const HOUR_MS = 3_600_000
const LAST = '\u{10ffff}'

type Add = (value: unknown) => string
type Test = ListNode & { kind: 'is' }

function testOf({ test, value }: Test, sql: string, add: Add): string {
  if (test === 'present') return `${sql} IS NOT NULL`
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
  return `(${parts.join(node.kind === 'and' ? ' AND ' : ' OR ')})`
}

/** The conjunctive tests of the filter. */
const demandsOf = (node: ListNode | undefined): Test[] =>
  node === undefined
    ? []
    : node.kind === 'is'
      ? [node]
      : node.kind === 'and'
        ? node.parts.flatMap(demandsOf)
        : []

/** The index walk and its order, which only that index provides. */
function walkOf(
  { table, columns, fields }: Omit<FilteredTable<unknown>, 'idOf'>,
  node: ListNode | undefined,
  after: string | undefined,
  add: Add,
): string {
  const demands = demandsOf(node)
  const indexed = demands.find(({ test, field }) => test === '=' && fields[field]?.isIndexed)
  let low = '00000000-0000-0000-0000-000000000000'
  let high = after ?? 'ffffffff-ffff-ffff-ffff-ffffffffffff'
  for (const { test, field, value } of demands) {
    if (!fields[field]?.isTimeOfId) continue
    const ms = Date.parse(value)
    if (test === '<' || test === '<=') {
      const bound = leastUuidAt(ms + HOUR_MS)
      if (bound < high) high = bound
    } else {
      const bound = leastUuidAt(ms - HOUR_MS)
      if (bound > low) low = bound
    }
  }
  const pin = indexed ? (fields[indexed.field]?.sql as string) : 'workspace_id'
  const value = indexed ? add(indexed.value) : '$1'
  return `SELECT ${columns} FROM ${table}
    WHERE ${indexed ? 'workspace_id = $1 AND ' : ''}(${pin}, id) < (${value}, ${add(high)}::uuid)
      AND (${pin}, id) >= (${value}, ${add(low)}::uuid)
    ORDER BY ${pin} DESC, id DESC LIMIT ${SCAN_BUDGET}`
}

export interface FilteredRequest {
  node: ListNode | undefined
  /** Id of the previous page's last row. */
  after: string | undefined
  limit: number
}

/** @returns the rows, and where the next page starts; undefined after the last one */
export async function filteredPage<Row>(
  db: Db,
  table: FilteredTable<Row>,
  workspaceId: string,
  request: FilteredRequest,
): Promise<{ rows: Row[]; next: string | undefined }> {
  const { node, after, limit } = request
  const values: unknown[] = [workspaceId]
  const add: Add = (value) => `$${values.push(value)}`
  const walk = walkOf(table, node, after, add)
  const condition = node ? conditionOf(node, table.fields, add) : 'true'
  // Reads one more than requested, to know whether there is more, and the last row walked, where
  // the next page starts. Rows arrive in walk order, which stops when there are enough: sorting
  // would walk everything.
  const text = `SELECT * FROM (
      SELECT ${table.columns}, walked, ${condition} AS passes
      FROM (SELECT walk.*, row_number() OVER () AS walked FROM (${walk}) walk) numbered
    ) seen WHERE passes OR walked = ${SCAN_BUDGET} LIMIT ${limit + 1}`
  const rows = await db.query<Row & { passes: boolean; walked: number }>(unnamed(text), values)
  const passing = rows.filter(({ passes }) => passes)
  const shown = passing.slice(0, limit)
  const last = rows.at(-1)
  const isCut = last?.walked === SCAN_BUDGET
  const end = passing.length > limit ? shown.at(-1) : isCut ? last : undefined
  return { rows: shown, next: end && table.idOf(end) }
}
