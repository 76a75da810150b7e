/** Pages of devices that pass a filter, at bounded cost however many devices there are. */
import type { Db } from '../../../platform/database/connect.ts'
import type { DeviceFilter } from './device-filter-atoms.ts'
import { type Cover, type Leg, type Plan, planOf } from './device-filter-plan.ts'
import { countCovers, type Place, sortCover, walkLeg } from './page-store.ts'

/** The cost limits of a page. */
export interface Effort {
  /** Maximum number of devices examined. */
  budget: number
  /** If an index yields at most this many devices, all of them are examined. */
  small: number
}

const USUAL: Effort = { budget: 5_000, small: 1_000 }

export interface DeviceIdPage {
  /** UUIDs; possibly fewer than requested, or none, although there is a next page. */
  ids: string[]
  /** Cursor of the next page; undefined on the last one. Opaque, and bound to this filter. */
  next: string | undefined
}

/** A position in a leg, or its start. */
interface Position {
  leg: number
  place: Place | undefined
}

const textOf = ({ leg, place }: Position): string =>
  JSON.stringify(place ? [leg, place.k, place.id] : [leg])

function readPosition(text: string | undefined): Position {
  if (text === undefined) return { leg: 0, place: undefined }
  const [leg, k, id] = JSON.parse(text) as [number, (string | null)?, string?]
  return { leg, place: id === undefined ? undefined : { k: k ?? null, id } }
}

interface Found {
  /** One more than requested, if there are that many. */
  places: Position[]
  /** Where the walk stopped. */
  stoppedAt: Position | undefined
}

interface Search {
  db: Db
  workspaceId: string
  filter: DeviceFilter
  plan: Plan
  wanted: number
  effort: Effort
}

/** A cover that yields few devices, if there is a choice. */
async function smallCover(search: Search): Promise<Cover | undefined> {
  const { db, workspaceId, plan, effort } = search
  if (plan.covers.length === 0) return undefined
  const counts = await countCovers(db, workspaceId, plan.covers, effort.small + 1)
  const least = Math.min(...counts)
  return least <= effort.small ? plan.covers[counts.indexOf(least)] : undefined
}

/** Walks the legs until the page is full, everything is seen, or the budget is spent. */
async function walkPlan(search: Search, from: Position): Promise<Found> {
  const { db, workspaceId, filter, plan, wanted, effort } = search
  const node = plan.isExact ? undefined : filter.node
  const places: Position[] = []
  let budget = Math.max(effort.budget, wanted)
  let step = node ? 2 * wanted : wanted
  let at: Position | undefined = from
  while (at !== undefined && budget > 0) {
    const leg: number = at.leg
    const limit = Math.min(step, budget)
    const next = { node, after: at.place, limit }
    const rows = await walkLeg(db, workspaceId, plan.legs[leg] as Leg, next)
    for (const place of rows) if (place.passes) places.push({ leg, place })
    if (places.length >= wanted) return { places: places.slice(0, wanted), stoppedAt: undefined }
    const last = rows.at(-1)
    if (last?.n === limit) at = { leg, place: last }
    else at = leg + 1 < plan.legs.length ? { leg: leg + 1, place: undefined } : undefined
    budget -= limit
    step *= 4
  }
  return { places, stoppedAt: at }
}

async function find(search: Search, from: Position): Promise<Found> {
  const { db, workspaceId, filter, plan, wanted, effort } = search
  const cover = await smallCover(search)
  if (cover === undefined || filter.node === undefined) return walkPlan(search, from)
  const step = { node: filter.node, after: from.place, limit: wanted, most: 2 * effort.small }
  const found = await sortCover(db, workspaceId, cover, plan.legs[0], step)
  return { places: found.map((place) => ({ leg: 0, place })), stoppedAt: undefined }
}

/** @param after `next` of the previous page of the same filter */
export async function pageOfDeviceIds(
  db: Db,
  workspaceId: string,
  filter: DeviceFilter,
  { after, limit }: { after: string | undefined; limit: number },
  effort: Effort = USUAL,
): Promise<DeviceIdPage> {
  const plan = planOf(filter.node)
  const search = { db, workspaceId, filter, plan, wanted: limit + 1, effort }
  const { places, stoppedAt } = await find(search, readPosition(after))
  const shown = places.slice(0, limit)
  const next = places.length > limit ? shown.at(-1) : stoppedAt
  return { ids: shown.flatMap(({ place }) => place?.id ?? []), next: next && textOf(next) }
}

/**
 * All devices that pass a filter, in chunks, for long-running work that can resume. Devices that
 * start to pass, or move in the order, while it runs may be missed.
 * @param options.after the `after` of the last processed chunk
 */
export async function* iterateDeviceIds(
  db: Db,
  workspaceId: string,
  filter: DeviceFilter,
  options: { after?: string | undefined; chunk: number },
): AsyncGenerator<{ ids: string[]; after: string | undefined }> {
  let { after } = options
  do {
    const page = await pageOfDeviceIds(db, workspaceId, filter, { after, limit: options.chunk })
    after = page.next
    if (page.ids.length > 0 || after !== undefined) yield { ids: page.ids, after }
  } while (after !== undefined)
}
