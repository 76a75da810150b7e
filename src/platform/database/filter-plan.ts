/**
 * Plans a filter: which index scans reach every passing row, and in which order. It depends on the
 * filter alone, so that the order of a list is deterministic.
 */
import type { FilterNode, Predicate } from '../lib/filter-node.ts'
import { everyRow, type FieldSql, type IdRange, type IndexScan } from './index-scan.ts'

/** Index scans that together reach every passing row. */
export type ScanSet = readonly IndexScan[]

/** A section of the list: one index scan, or several merged in the order of the list. */
export interface PlanStep {
  scans: ScanSet
  /** A step shows rows for which all of these hold, */
  only: readonly Predicate[]
  /** except those that an earlier step has shown: for which all predicates of one of these hold. */
  except: readonly (readonly Predicate[])[]
}

export interface Plan {
  /** In sequence; several only for alternatives without a common order. */
  steps: readonly [PlanStep, ...PlanStep[]]
  /** All that could be scanned instead, to find what reaches few rows; empty without a choice. */
  choices: readonly ScanSet[]
  /** Whether rows must still be checked against the filter. */
  isExact: boolean
}

export type FieldOf = (name: string) => FieldSql

/** Maximum number of indexes scanned per page. */
const MAX_SCANS = 16

const isInListOrder = (set: ScanSet): boolean => set.every(({ key }) => key === undefined)
const rankOf = (set: ScanSet): number => Math.max(...set.map(({ rank }) => rank))

/** Prefers the order of the list, then the fewest expected rows. */
const best = (sets: readonly ScanSet[]): ScanSet | undefined =>
  sets.toSorted(
    (one, other) =>
      Number(isInListOrder(other)) - Number(isInListOrder(one)) || rankOf(one) - rankOf(other),
  )[0]

function common(one: IdRange | undefined, other: IdRange): IdRange {
  const [from, to] = one ?? other
  return [from > other[0] ? from : other[0], to < other[1] ? to : other[1]]
}

/** Both bounds on one index: `a >= 1 AND a < 5`. */
const narrowed = (scan: IndexScan, by: IndexScan): IndexScan => ({
  ...scan,
  ...(by.bounds && { bounds: [...(scan.bounds ?? []), ...by.bounds] }),
  ...(by.ids && { ids: common(scan.ids, by.ids) }),
  rank: Math.min(scan.rank, by.rank),
  predicates: [...scan.predicates, ...by.predicates],
})

/** The sets of an AND, of which each reaches all. Bounds on one index are combined. */
function combined(sets: readonly ScanSet[]): ScanSet[] {
  const ranges = new Map<string, IndexScan>()
  const others: ScanSet[] = []
  for (const set of sets) {
    const [scan, more] = set
    if (scan === undefined || more !== undefined || !(scan.bounds ?? scan.ids)) others.push(set)
    else {
      const same = ranges.get(scan.source)
      ranges.set(scan.source, same ? narrowed(same, scan) : scan)
    }
  }
  // A scan in the order of ids can be bounded by them.
  const ids = ranges.get(everyRow.source)
  const all = others.map((set) =>
    set.map((scan) => (ids && !scan.key ? { ...narrowed(scan, ids), rank: scan.rank } : scan)),
  )
  return [...all, ...[...ranges.values()].map((scan) => [scan])]
}

function scansOf(node: FilterNode & { kind: 'is' }, fieldOf: FieldOf): ScanSet {
  const field = fieldOf(node.field)
  return (node.isNegated ? field.scansOfNegation?.(node) : field.scans(node)) ?? []
}

/** The possible scan sets of a filter; none if every row must be examined. */
function setsOf(node: FilterNode, fieldOf: FieldOf): ScanSet[] {
  if (node.kind === 'is') {
    const scans = scansOf(node, fieldOf)
    return scans.length === 0 ? [] : [scans]
  }
  const sets = node.parts.map((part) => setsOf(part, fieldOf))
  if (node.kind === 'and') return combined(sets.flat())
  const chosen = sets.map((each) => best(each) ?? [])
  const all = chosen.flat()
  return chosen.some((set) => set.length === 0) || all.length > MAX_SCANS ? [] : [all]
}

function isExact(node: FilterNode, fieldOf: FieldOf): boolean {
  if (node.kind !== 'is') {
    return node.kind === 'or' && node.parts.every((part) => isExact(part, fieldOf))
  }
  const scans = scansOf(node, fieldOf)
  return scans.length > 0 && scans.every((scan) => scan.isExact)
}

function stepsOf(sets: readonly ScanSet[]): Plan['steps'] {
  const first = best(sets) ?? [everyRow]
  if (isInListOrder(first)) return [{ scans: first, only: [], except: [] }]
  const scans = sets.find((set) => set.length === 1) ?? first
  const steps = scans.map((scan, index) => ({
    scans: [scan],
    only: scans.length > 1 ? scan.predicates : [],
    except: scans.slice(0, index).map(({ predicates }) => predicates),
  }))
  return steps as unknown as Plan['steps']
}

export function planOf(node: FilterNode | undefined, fieldOf: FieldOf): Plan {
  const sets = node === undefined ? [] : setsOf(node, fieldOf)
  const steps = stepsOf(sets)
  return {
    steps,
    choices: sets.length > 1 && steps.length === 1 ? sets : [],
    isExact:
      node === undefined || (steps.length === 1 && sets.length === 1 && isExact(node, fieldOf)),
  }
}
