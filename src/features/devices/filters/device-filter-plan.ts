/**
 * Plans a filter: which indexes yield every passing device, and in which order. It depends on the
 * filter alone, so that the order of a list is deterministic.
 */
import type { Atom, FilterNode } from './device-filter-atoms.ts'
import type { Driver } from './driver-store.ts'
import { driversOf, everyDevice } from './drivers-store.ts'

/** Drivers that together yield every passing device. */
export type Cover = readonly Driver[]

/** A section of the list: one driver, or several merged by id. */
export interface Leg {
  drivers: Cover
  /** A leg shows devices for which all of these hold, */
  only: readonly Atom[]
  /** except those that an earlier leg has shown: for which all atoms of one of these hold. */
  except: readonly (readonly Atom[])[]
}

export interface Plan {
  /** In sequence; several only for alternatives without a common order. */
  legs: readonly [Leg, ...Leg[]]
  /** All alternatives, to find one that yields few devices; empty if there is no choice. */
  covers: readonly Cover[]
  /** Whether rows must still be checked against the filter. */
  isExact: boolean
}

/** Maximum number of indexes walked per page. */
const MAX_DRIVERS = 16

const isById = (cover: Cover): boolean => cover.every(({ key }) => key === undefined)
const rankOf = (cover: Cover): number => Math.max(...cover.map(({ rank }) => rank))

/** Prefers newest first, then the smallest expected yield. */
const best = (covers: readonly Cover[]): Cover | undefined =>
  covers.toSorted(
    (one, other) => Number(isById(other)) - Number(isById(one)) || rankOf(one) - rankOf(other),
  )[0]

/** Combines bounds on one index: `a >= 1 AND a < 5`. */
function joined(covers: readonly Cover[]): Cover[] {
  const bySource = new Map<string, Driver>()
  const others: Cover[] = []
  for (const cover of covers) {
    const [driver] = cover
    const isRange = cover.length === 1 && driver !== undefined && driver.bounds.length > 0
    if (!isRange) {
      others.push(cover)
      continue
    }
    const same = bySource.get(driver.source)
    const both = same && {
      ...same,
      bounds: [...same.bounds, ...driver.bounds],
      atoms: [...same.atoms, ...driver.atoms],
    }
    bySource.set(driver.source, both ?? driver)
  }
  const created = bySource.get('id')
  const ranges = [...bySource.values()].map((driver) => [driver])
  if (created === undefined) return [...others, ...ranges]
  // A walk by id can be bounded by creation time.
  const narrowed = others.map((cover) =>
    cover.map((driver) =>
      driver.key
        ? driver
        : { ...driver, bounds: created.bounds, atoms: [...driver.atoms, ...created.atoms] },
    ),
  )
  return [...narrowed, ...ranges]
}

/** The possible covers of a filter; none if every device must be examined. */
function coversOf(node: FilterNode): Cover[] {
  if (node.kind === 'atom') {
    const drivers = driversOf(node)
    return drivers.length === 0 ? [] : [drivers]
  }
  const covers = node.parts.map(coversOf)
  if (node.kind === 'and') return joined(covers.flat())
  const chosen = covers.map((each) => best(each) ?? [])
  if (chosen.some((cover) => cover.length === 0)) return []
  const all = chosen.flat()
  return all.length > MAX_DRIVERS ? [] : [all]
}

function isExact(node: FilterNode): boolean {
  if (node.kind === 'atom') {
    const [driver, ...more] = driversOf(node)
    return driver !== undefined && more.length === 0 && driver.isExact && !node.isNegated
  }
  return node.kind === 'or' && node.parts.every(isExact)
}

function legsOf(covers: readonly Cover[]): Plan['legs'] {
  const first = best(covers)
  if (first === undefined) return [{ drivers: [everyDevice], only: [], except: [] }]
  if (isById(first)) return [{ drivers: first, only: [], except: [] }]
  const sorted = covers.find((cover) => cover.length === 1)
  const drivers = sorted ?? first
  const legs = drivers.map((driver, index) => ({
    drivers: [driver],
    only: drivers.length > 1 ? driver.atoms : [],
    except: drivers.slice(0, index).map(({ atoms }) => atoms),
  }))
  return legs as unknown as Plan['legs']
}

export function planOf(node: FilterNode | undefined): Plan {
  const covers = node === undefined ? [] : coversOf(node)
  const legs = legsOf(covers)
  return {
    legs,
    covers: covers.length > 1 && legs.length === 1 ? covers : [],
    isExact: node === undefined || (legs.length === 1 && covers.length === 1 && isExact(node)),
  }
}
