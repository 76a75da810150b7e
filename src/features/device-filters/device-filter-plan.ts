/**
 * How a filter is answered: which indexes reach every device that passes, and in which order. It is
 * decided here and from the filter alone, so that the order of a list is never a matter of luck.
 */
import type { Atom, FilterNode } from './device-filter-atoms.ts'
import type { Driver } from './driver-store.ts'
import { driversOf, everyDevice } from './drivers-store.ts'

/** Drivers that together reach every device that passes. */
export type Cover = readonly Driver[]

/** A stretch of the list: one driver, or several that are merged by id. */
export interface Leg {
  drivers: Cover
  /** Of several legs each shows that for which all of these hold, */
  only: readonly Atom[]
  /** and not what an earlier one has shown: that for which all atoms of one of these hold. */
  except: readonly (readonly Atom[])[]
}

export interface Plan {
  /** One after the other; more than one only for alternatives that have no order in common. */
  legs: readonly [Leg, ...Leg[]]
  /** All that would do, to be tried for one that reaches few; empty if there is no choice. */
  covers: readonly Cover[]
  /** Whether the rows of the legs have to be looked at, or pass as they are. */
  isExact: boolean
}

/** Indexes that one page walks at most. */
const MAX_DRIVERS = 16

const isById = (cover: Cover): boolean => cover.every(({ key }) => key === undefined)
const rankOf = (cover: Cover): number => Math.max(...cover.map(({ rank }) => rank))

/** Newest first before other orders, then what is expected to reach fewer. */
const best = (covers: readonly Cover[]): Cover | undefined =>
  covers.toSorted(
    (one, other) => Number(isById(other)) - Number(isById(one)) || rankOf(one) - rankOf(other),
  )[0]

/** Bounds of one and the same index are one driver: `a >= 1 AND a < 5`. */
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
  // Whatever is newest first can begin and end where the time of creation says.
  const narrowed = others.map((cover) =>
    cover.map((driver) =>
      driver.key
        ? driver
        : { ...driver, bounds: created.bounds, atoms: [...driver.atoms, ...created.atoms] },
    ),
  )
  return [...narrowed, ...ranges]
}

/** The covers of a filter that can be chosen from; none if only a look at every device will do. */
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
