/**
 * The predicates of a filter in SQL: a condition on a row, and index scans. An index scan is an
 * index with bounds: it reaches every row for which its predicates hold, in its own order.
 */
import { leastUuidAt, NIL_UUID, MAX_UUID } from '../lib/ids.ts'
import type { Order, Predicate } from '../lib/filter-node.ts'
import { HOUR_MS, nearestTime } from '../lib/time.ts'

/** Makes a value a parameter of the statement. @returns its placeholder */
export type Add = (value: unknown) => string

/** SQL of a value. */
export type Value = (add: Add) => string

/** A bound of a sorted column. */
export interface Bound {
  order: Order
  value: Value
}

/** A column with a single value in all rows of a list or of an index scan. */
export interface Pin {
  column: string
  value: Value
  /** Whether at most one row of a list has a value. */
  isUnique?: boolean
}

/** UUIDs, both inclusive. */
export type IdRange = readonly [from: string, to: string]

/** The column that defines the order of an index scan, unless it is that of the list. */
export interface ScanKey {
  column: string
  cast: 'text' | 'uuid' | 'timestamptz'
  /** Whether values are unique. */
  isUnique?: boolean
  /** The same of a row that is checked. */
  ofRow: Value
  /** Whether a row can occur more than once; then the place given by `ofRow` counts. */
  isRepeated?: boolean
}

export interface IndexScan {
  /**
   * Identifies the index and the columns before its order; scans with one source narrow each
   * other.
   */
  source: string
  /** The table of the index, if it is not the list's own, and its column with the row's id. */
  table?: { name: string; id: string }
  /** The index has it after the columns that are equal in the whole list. */
  pin?: Pin
  /** The condition of a partial index. */
  partial?: string
  key?: ScanKey
  /** On the key. */
  bounds?: readonly Bound[]
  /** Without a key. */
  ids?: IdRange
  /** Whether it reaches only rows that pass the predicate that it is for. */
  isExact: boolean
  /** Lower means fewer rows expected. */
  rank: number
  predicates: readonly Predicate[]
}

export interface FieldSql {
  /** True for rows that pass; null counts as false. */
  condition(predicate: Predicate, add: Add): string
  /** Scans that together reach every row that passes; none if only a scan of all rows does. */
  scans(predicate: Predicate): readonly IndexScan[]
  /** The same for the negation. */
  scansOfNegation?(predicate: Predicate): readonly IndexScan[]
}

/** Sorts after every text that starts with what precedes it, bytewise in UTF-8. */
const LAST = '\u{10ffff}'

export const textValue =
  (text: string): Value =>
  (add) =>
    `${add(text)}::text COLLATE "C"`

/** Texts that start with `text`. */
export const prefixBounds = (text: string, value = textValue): Bound[] => [
  { order: '>=', value: value(text) },
  { order: '<', value: value(text + LAST) },
]

/** Times are compared as displayed, truncated to milliseconds. */
export function timeBound(order: Order, time: string): Bound {
  const isAfterIt = order === '<=' || order === '>'
  const at = new Date(nearestTime(Date.parse(time) + (isAfterIt ? 1 : 0))).toISOString()
  return {
    order: order === '<' || order === '<=' ? '<' : '>=',
    value: (add) => `${add(at)}::timestamptz`,
  }
}

export const within = (column: string, bounds: readonly Bound[], add: Add): string =>
  bounds.map(({ order, value }) => `${column} ${order} ${value(add)}`).join(' AND ')

/** The condition of a predicate on a column; `<` and the like compare times. */
export function columnCondition(column: string, predicate: Predicate, add: Add): string {
  const { test, value } = predicate
  if (test === 'present') return `${column} IS NOT NULL`
  if (test === 'has') return `${add(value)} = ANY (${column})`
  if (test === '=') return `${column} = ${add(value)}`
  if (test === 'prefix') return within(`(${column}) COLLATE "C"`, prefixBounds(value), add)
  return within(column, [timeBound(test as Order, value)], add)
}

/** All rows, in the order of the list. */
export const everyRow: IndexScan = { source: 'id', isExact: true, rank: 9, predicates: [] }

/** Exceeds clock differences and the duration of transactions. */
const MARGIN_MS = HOUR_MS

/** Ids grow with time, so they approximate the time of creation. */
export function createdScan(predicate: Predicate): IndexScan {
  const isBefore = predicate.test === '<' || predicate.test === '<='
  const edge = leastUuidAt(Date.parse(predicate.value) + (isBefore ? MARGIN_MS : -MARGIN_MS))
  const ids: IdRange = isBefore ? [NIL_UUID, edge] : [edge, MAX_UUID]
  return { ...everyRow, ids, isExact: false, rank: 5, predicates: [predicate] }
}

export const idScan = (predicate: Predicate): IndexScan => ({
  ...everyRow,
  ids: [predicate.value, predicate.value],
  rank: 0,
  predicates: [predicate],
})

/** Rows with one value of a column, newest first. */
export const pinScan = (predicate: Predicate, rank: number, column: string): IndexScan => ({
  source: column,
  pin: { column, value: (add) => add(predicate.value) },
  isExact: true,
  rank,
  predicates: [predicate],
})
