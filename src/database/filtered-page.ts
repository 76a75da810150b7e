/**
 * Pages of a list that has a filter: a walk along one index, newest first, and a look at each row.
 * A page looks at so many rows at most: it may have fewer than were asked for, and not be the last.
 */
import { leastUuidAt } from '../lib/ids.ts'
import type { ListNode } from '../lib/list-filter.ts'
import type { Db } from './connect.ts'
import { unnamed } from './query.ts'

export interface FilteredTable<Row> {
  /** What is read of each row, `id` among it. Its key is `(workspace_id, id)`. */
  columns: string
  idOf: (row: Row) => string
  table: string
  /** SQL for each field of the filter. */
  fields: Readonly<Record<string, FilteredColumn>>
}

export interface FilteredColumn {
  sql: string
  /** There is an index of `(workspace_id, <sql>, id)`. */
  isIndexed?: boolean
  /** It is the time at which the id was made, give or take an hour. */
  isTimeOfId?: boolean
}

/** Rows that are looked at for one page at most. */
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
  // As they are shown: to the millisecond.
  return `date_trunc('milliseconds', ${sql}) ${test} ${add(value)}::timestamptz`
}

/** True or false and never null, so that its opposite is what it seems to be. */
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

/** What every row of the list has to pass, test by test. */
const demandsOf = (node: ListNode | undefined): Test[] =>
  node === undefined
    ? []
    : node.kind === 'is'
      ? [node]
      : node.kind === 'and'
        ? node.parts.flatMap(demandsOf)
        : []

/** The rows of the walk, and its order, which only the one index has. */
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
  /** Id of the row that the page before has ended with. */
  after: string | undefined
  limit: number
}

/**
 * @returns the rows, and where the next page begins; undefined after the last one.
 */
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
  // One more than asked for tells whether there is more; the last of the walk, where it goes on.
  // They come in the order of the walk, which ends when there are enough: sorting would see it all.
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
