/** Rows of a list that do not move while they are read: new ones wait until they are asked for. */
import { useState } from 'react'
import type { ListQuery } from './Table.tsx'

interface Seen {
  /** The list that was shown. */
  of: string
  keys: ReadonlySet<string>
}

interface SteadyList<Row> extends ListQuery<Row> {
  isFetching: boolean
  /** Whether the page has read it since it was opened. */
  isFetchedAfterMount: boolean
}

/**
 * Leaves out the rows that have come before or between those that were shown. Rows at the end move
 * nothing, and are those of further pages. Data of an earlier visit is replaced as a whole by the
 * first read; its `staleTime` is to be 0, so that there is one.
 * @param of what selects the list; of another list all rows are shown
 */
export function useSteadyRows<Row, List extends SteadyList<Row>>(
  list: List & { items: readonly Row[] | undefined },
  keyOf: (row: Row) => string,
  of: string,
): List {
  const [seen, setSeen] = useState<Seen>({ of, keys: new Set() })
  const [isCurrent, setCurrent] = useState(false)
  const { items } = list
  if (items === undefined) return list
  const before = seen.of === of ? seen.keys : new Set<string>()
  const known = isCurrent ? before : new Set<string>()
  if (!isCurrent && (list.isFetchedAfterMount || !list.isFetching)) setCurrent(true)
  const last = items.findLastIndex((row) => known.has(keyOf(row)))
  const shown = items.filter((row, at) => at > last || known.has(keyOf(row)))
  const show = (rows: readonly Row[]): void => setSeen({ of, keys: new Set(rows.map(keyOf)) })
  if (seen.of !== of || shown.some((row) => !before.has(keyOf(row)))) show(shown)
  const waiting = { count: items.length - shown.length, show: () => show(items) }
  return { ...list, items: shown, waiting }
}
