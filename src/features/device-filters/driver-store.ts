/**
 * The indexes that lists of devices are walked by. A driver is one of them with bounds: it reaches
 * every device that its atoms hold for, in an order of its own.
 */
import type { Bound, Parameters } from './conditions-store.ts'
import type { Atom } from './device-filter-atoms.ts'

export type Value = (parameters: Parameters) => string

export interface Driver {
  /** Names the index and what stands before its order; drivers of one source narrow each other. */
  source: string
  table: 'devices' | 'device_labels' | 'device_presence' | 'device_group_members'
  /**
   * The column before the id, with its one value. It is compared together with the id, as a row:
   * the planner has no other index that gives this order, so it can't choose one.
   */
  pin?: { column: string; value: Value }
  /** What the index holds alone, if it does not hold all. */
  partial?: string
  /** For what has at most one row. */
  only?: { column: string; value: Value }
  /** The column that the order is by, if it isn't newest first. */
  key?: {
    column: string
    cast: 'text' | 'uuid' | 'timestamptz'
    /** One row for each value. */
    isUnique: boolean
    /** The same of a device `d`, `p`. */
    ofDevice: Value
    /** Whether a device can stand in it more than once; it counts where `ofDevice` says. */
    isRepeated: boolean
  }
  /** Of the key, or of the id. */
  bounds: readonly Bound[]
  /** Whether its rows are the devices that the atom holds for, and no others. */
  isExact: boolean
  /** The less, the fewer devices it is expected to reach. */
  rank: number
  /** It reaches every device for which all of them hold. */
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
