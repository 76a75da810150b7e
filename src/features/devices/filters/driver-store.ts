/**
 * Indexes that device lists are walked by. A driver is one of them with bounds: it yields every
 * device for which its atoms hold, in its own order.
 */
import type { Bound, Parameters } from './conditions-store.ts'
import type { Atom } from './device-filter-atoms.ts'

export type Value = (parameters: Parameters) => string

export interface Driver {
  /**
   * Identifies the index and the columns before its order; drivers with one source narrow each
   * other.
   */
  source: string
  table: 'devices' | 'device_labels' | 'device_presence' | 'device_group_members'
  /**
   * A leading column with a single value. Compared together with the id as a row, so that the
   * planner can only choose this index.
   */
  pin?: { column: string; value: Value }
  /** The predicate of a partial index. */
  partial?: string
  /** For sources with at most one row. */
  only?: { column: string; value: Value }
  /** The column that defines the order, unless it is newest first. */
  key?: {
    column: string
    cast: 'text' | 'uuid' | 'timestamptz'
    /** Whether values are unique. */
    isUnique: boolean
    /** The same for a device `d`, `p`. */
    ofDevice: Value
    /** Whether a device can occur more than once; then the place given by `ofDevice` counts. */
    isRepeated: boolean
  }
  /** On the key, or on the id. */
  bounds: readonly Bound[]
  /** Whether it yields exactly the devices for which the atoms hold. */
  isExact: boolean
  /** Lower means fewer devices expected. */
  rank: number
  /** It yields every device for which all of them hold. */
  atoms: readonly Atom[]
}

export const uuid =
  (id: string): Value =>
  (parameters) =>
    `${parameters.add(id)}::uuid`

export const columnPin = (
  atom: Atom,
  rank: number,
  table: Driver['table'],
  column: string,
  value: Value,
): Driver => ({
  source: column,
  table,
  pin: { column, value },
  bounds: [],
  isExact: true,
  rank,
  atoms: [atom],
})
