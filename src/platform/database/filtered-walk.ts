/** The index walk of a filtered list, in an order that only that index provides. */
import { leastUuidAt } from '../lib/ids.ts'
import type { ListNode } from '../lib/list-filter.ts'

export interface FilteredColumn {
  sql: string
  /** There is an index on `(workspace_id, <part of>, <sql>, <order>)`, perhaps for some values. */
  isIndexed?: boolean | ((value: string) => boolean)
  /** The condition of that index, if it is partial; rows with an indexed value satisfy it. */
  indexHas?: string
  /** It is the time at which the id was generated, within an hour. */
  isTimeOfId?: boolean
}

export interface FilteredOrder {
  column: string
  type: 'uuid' | 'integer' | 'timestamptz'
  isUpwards?: boolean
}

/** Makes a value a parameter of the statement. */
export type Add = (value: unknown) => string

interface WalkedTable {
  columns: string
  table: string
  order?: FilteredOrder
  fields: Readonly<Record<string, FilteredColumn>>
}

interface Pin {
  column: string
  /** A parameter. */
  value: string
}

const HOUR_MS = 3_600_000
const BY_ID: FilteredOrder = { column: 'id', type: 'uuid' }
const edges = {
  uuid: ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
  integer: ['-2147483648', '2147483647'],
  timestamptz: ['-infinity', 'infinity'],
} as const

type Test = ListNode & { kind: 'is' }

/** The conjunctive tests of the filter. */
const conditionsOf = (node: ListNode | undefined): Test[] =>
  node === undefined
    ? []
    : node.kind === 'is'
      ? [node]
      : node.kind === 'and'
        ? node.parts.flatMap(conditionsOf)
        : []

/** Inclusive bounds of the ids; only UUIDs can be compared as texts here. */
function boundsOf(
  demands: readonly Test[],
  fields: WalkedTable['fields'],
  { column, type }: FilteredOrder,
): [low: string, high: string] {
  let [low, high]: readonly [string, string] = edges[type]
  const atLeast = (bound: string): void => void (bound > low && (low = bound))
  const atMost = (bound: string): void => void (bound < high && (high = bound))
  if (type !== 'uuid') return [low, high]
  for (const { test, field, value } of demands) {
    const { sql, isTimeOfId } = fields[field] as FilteredColumn
    if (sql === column && test === '=') {
      atLeast(value)
      atMost(value)
    }
    if (!isTimeOfId) continue
    const ms = Date.parse(value)
    if (test === '<' || test === '<=') atMost(leastUuidAt(ms + HOUR_MS))
    else atLeast(leastUuidAt(ms - HOUR_MS))
  }
  return [low, high]
}

const usesIndex = ({ isIndexed }: FilteredColumn, value: string): boolean =>
  typeof isIndexed === 'function' ? isIndexed(value) : isIndexed === true

/**
 * The statement of the walk, without its limit. Columns are compared as a row, which only the one
 * index supports.
 * @param pins columns that are equal in all rows of the list, after the workspace, which is $1
 */
export function walkOf(
  { table, columns, fields, order = BY_ID }: WalkedTable,
  place: { node: ListNode | undefined; after: string | undefined; pins: readonly Pin[] },
  add: Add,
): string {
  const { node, after } = place
  const demands = conditionsOf(node)
  const indexed = demands.find(
    ({ test, field, value }) => test === '=' && usesIndex(fields[field] as FilteredColumn, value),
  )
  const index = indexed && (fields[indexed.field] as FilteredColumn)
  const pins: Pin[] = [{ column: 'workspace_id', value: '$1' }, ...place.pins]
  if (index !== undefined) pins.push({ column: index.sql, value: add(indexed?.value) })
  const pin = pins.pop() as Pin
  const [low, high] = boundsOf(demands, fields, order)
  const isBound = (edge: string): boolean =>
    after === undefined ||
    (order.type === 'uuid' && (order.isUpwards ? after < edge : after > edge))
  const from = (bound: string, operator: string): string =>
    `(${pin.column}, ${order.column}) ${operator} (${pin.value}, ${add(bound)}::${order.type})`
  const conditions = pins.map(({ column, value }) => `${column} = ${value}`)
  if (index?.indexHas !== undefined) conditions.push(index.indexHas)
  if (order.isUpwards) {
    conditions.push(isBound(low) ? from(low, '>=') : from(after as string, '>'), from(high, '<='))
  } else {
    conditions.push(isBound(high) ? from(high, '<=') : from(after as string, '<'), from(low, '>='))
  }
  const direction = order.isUpwards ? 'ASC' : 'DESC'
  return `SELECT ${columns} FROM ${table} WHERE ${conditions.join(' AND ')}
    ORDER BY ${pin.column} ${direction}, ${order.column} ${direction}`
}
