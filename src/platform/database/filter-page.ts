/**
 * Pages of the rows that pass a filter, at bounded cost however many rows there are. A page may
 * have fewer rows than requested and still not be the last.
 */
import type { FilterNode } from '../lib/filter-node.ts'
import { type Plan, planOf, type PlanStep, type ScanSet } from './filter-plan.ts'
import {
  countSet,
  countSets,
  type Position,
  type Scanned,
  scanStep,
  sortSet,
  type Source,
} from './filter-statements.ts'

/** The cost limits of a page. */
export interface Effort {
  /** Maximum number of rows examined. */
  budget: number
  /** If a scan set reaches at most this many rows, all of them are examined. */
  small: number
}

export const USUAL_EFFORT: Effort = { budget: 5_000, small: 1_000 }

/** A position in a step of the plan, or its start. */
export interface Place {
  step: number
  position: Position | undefined
}

/** The cost limits of a count. */
export interface CountEffort {
  /** Entries of indexes that are read, if these alone give the count. */
  entries: number
  /** Maximum number of rows examined otherwise. */
  budget: number
}

/** Rows that pass. */
export interface PassingCount {
  count: number
  /** Whether there may be more. */
  isLowerBound: boolean
}

interface Search<Row> extends Source {
  node: FilterNode | undefined
  /** The position of a row after itself. */
  positionOf: (row: Row) => Position
  effort: Effort
}

interface Found<Row> {
  /** One more than requested, if there are that many. */
  results: { row: Row; place: Place }[]
  /** Where the scan stopped, if it did. */
  stoppedAt: Place | undefined
}

/** Whether no row passes, whatever is in it. */
const isNever = (node: FilterNode): boolean =>
  node.kind === 'or' ? node.parts.every(isNever) : node.kind === 'and' && node.parts.some(isNever)

/** Scans step by step until the page is full, everything is examined, or the budget is spent. */
async function scanPlan<Row>(
  search: Search<Row>,
  { steps, isExact }: Plan,
  from: Place,
  wanted: number,
): Promise<Found<Row>> {
  const { table, node, positionOf, effort } = search
  const results: Found<Row>['results'] = []
  let budget = Math.max(effort.budget, wanted)
  // Rows of one index are checked while it is read, which stops when there are enough results.
  // Merges and lookups read up to the limit, which therefore starts low.
  const isStopped = table.checked === undefined && steps.every(({ scans }) => scans.length === 1)
  let limit = isExact ? wanted : isStopped ? budget : 2 * wanted
  let at: Place | undefined = from
  while (at !== undefined && budget > 0) {
    const { step, position }: Place = at
    limit = Math.min(limit, budget)
    const request = { node: isExact ? undefined : node, after: position, limit, wanted }
    const rows: (Row & Scanned)[] = await scanStep(search, steps[step] as PlanStep, request)
    for (const row of rows) {
      if (row.passes) results.push({ row, place: { step, position: positionOf(row) } })
    }
    if (results.length >= wanted) return { results: results.slice(0, wanted), stoppedAt: undefined }
    const last = rows.at(-1)
    if (last?.scanned_rows === limit) at = { step, position: positionOf(last) }
    else at = step + 1 < steps.length ? { step: step + 1, position: undefined } : undefined
    budget -= limit
    limit *= 4
  }
  return { results, stoppedAt: at }
}

/** A scan set that reaches few rows, if there is a choice. */
async function smallSet<Row>(search: Search<Row>, { choices }: Plan): Promise<ScanSet | undefined> {
  const { table, effort } = search
  if (table.checked === undefined || choices.length === 0) return undefined
  const counts = await countSets(search, choices, effort.small + 1)
  const least = Math.min(...counts)
  return least <= effort.small ? choices[counts.indexOf(least)] : undefined
}

async function find<Row>(search: Search<Row>, from: Place, wanted: number): Promise<Found<Row>> {
  const { table, node, positionOf, effort } = search
  const plan = planOf(node, table.fieldOf)
  const set = await smallSet(search, plan)
  if (set === undefined || node === undefined) return scanPlan(search, plan, from, wanted)
  const request = { node, after: from.position, limit: 2 * effort.small, wanted }
  const rows = await sortSet<Row>(search, set, plan.steps[0], request)
  const results = rows.map((row) => ({ row, place: { step: 0, position: positionOf(row) } }))
  return { results, stoppedAt: undefined }
}

/** @returns the rows, and where the next page starts; undefined after the last one */
export async function searchPage<Row>(
  search: Search<Row>,
  from: Place,
  limit: number,
): Promise<{ rows: Row[]; next: Place | undefined }> {
  if (search.node !== undefined && isNever(search.node)) return { rows: [], next: undefined }
  const { results, stoppedAt } = await find(search, from, limit + 1)
  const shown = results.slice(0, limit)
  const next = results.length > limit ? shown.at(-1)?.place : stoppedAt
  return { rows: shown.map(({ row }) => row), next }
}

/**
 * Counts the rows that pass a filter. If several indexes reach all of them, the one that reaches
 * the fewest is read.
 */
export async function countPassing(
  search: Source & { node: FilterNode | undefined },
  { entries, budget }: CountEffort,
): Promise<PassingCount> {
  const { table, node } = search
  if (node !== undefined && isNever(node)) return { count: 0, isLowerBound: false }
  const { steps, choices, isExact } = planOf(node, table.fieldOf)
  const limit = isExact ? entries : budget
  let set = steps.flatMap(({ scans }) => scans)
  if (choices.length > 0) {
    const counts = await countSets(search, choices, limit + 1)
    set = [...(choices[counts.indexOf(Math.min(...counts))] ?? set)]
  }
  const request = { node: isExact ? undefined : node, limit: limit + 1 }
  const { passing, examined } = await countSet(search, set, request)
  return { count: Math.min(passing, limit), isLowerBound: examined > limit }
}
