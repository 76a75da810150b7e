/** Statements of a page: a bounded index walk that checks each device. */
import { type Db, unnamed } from '../../../platform/database/connect.ts'
import {
  atomCondition,
  type Bound,
  boundsOf,
  nodeCondition,
  type Parameters,
  parametersOf,
} from './conditions-store.ts'
import type { FilterNode } from './device-filter-atoms.ts'
import type { Cover, Leg } from './device-filter-plan.ts'
import type { Driver } from './driver-store.ts'

/** A position in the list: after device `id`, ordered by `k` if set. */
export interface Place {
  k: string | null
  id: string
}

export interface WalkedRow extends Place {
  /** Whether the device passes the filter. */
  passes: boolean
  /** Its number in the walk, from 1. */
  n: number
}

const isUpper = ({ order }: Bound): boolean => order === '<' || order === '<='

/** In the order of a column, continuing after `after`. */
function sortedWalk(
  parameters: Parameters,
  driver: Driver,
  key: NonNullable<Driver['key']>,
  after: Place | undefined,
): string {
  const column = `x.${key.column}`
  const id = idOf(driver)
  // The position lies within the bounds; with two lower bounds the index might start at the other.
  const bounds = after ? driver.bounds.filter(isUpper) : driver.bounds
  const conditions = boundsOf(parameters, column, bounds)
  if (driver.partial) conditions.push(`x.${driver.partial}`)
  if (after !== undefined) {
    const k = `${parameters.add(after.k)}::${key.cast}`
    conditions.push(
      key.isUnique
        ? `${column} > ${k}`
        : `(${column}, ${id}) > (${k}, ${parameters.add(after.id)}::uuid)`,
    )
  }
  const order = key.isUnique ? column : `${column}, ${id}`
  return `SELECT ${id} AS id, ${column}::text AS k FROM ${driver.table} x
    WHERE ${['x.workspace_id = $1', ...conditions].join(' AND ')} ORDER BY ${order}`
}

const idOf = ({ table }: Driver): string => (table === 'devices' ? 'x.id' : 'x.device_id')

const LEAST = '00000000-0000-0000-0000-000000000000'
const GREATEST = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Newest first, continuing after `after`. */
function walkById(parameters: Parameters, driver: Driver, after: Place | undefined): string {
  const { table, pin, partial, only, bounds } = driver
  const id = idOf(driver)
  const uuid = (value: string): string => `${parameters.add(value)}::uuid`
  const lows = bounds.filter((bound) => !isUpper(bound)).map(({ value }) => value(parameters))
  const highs = after ? [uuid(after.id)] : bounds.filter(isUpper).map((b) => b.value(parameters))
  const low = lows.length === 0 ? uuid(LEAST) : `greatest(${lows.join(', ')})`
  const high = highs.length === 0 ? uuid(GREATEST) : `least(${highs.join(', ')})`
  const conditions: string[] = []
  if (pin?.column !== 'workspace_id' || only) conditions.push('x.workspace_id = $1')
  if (partial) conditions.push(`x.${partial}`)
  if (only) conditions.push(`x.${only.column} = ${only.value(parameters)}`)
  if (only || pin === undefined) {
    conditions.push(`${id} < ${high}`, `${id} >= ${low}`)
    return `SELECT ${id} AS id, NULL::text AS k FROM ${table} x WHERE ${conditions.join(' AND ')}
      ORDER BY ${id} DESC`
  }
  const column = `x.${pin.column}`
  const value = pin.value(parameters)
  conditions.push(`(${column}, ${id}) < (${value}, ${high})`)
  conditions.push(`(${column}, ${id}) >= (${value}, ${low})`)
  return `SELECT ${id} AS id, NULL::text AS k FROM ${table} x WHERE ${conditions.join(' AND ')}
    ORDER BY ${column} DESC, ${id} DESC`
}

function walk(
  parameters: Parameters,
  driver: Driver,
  after: Place | undefined,
  limit: number,
): string {
  const { key } = driver
  const rows = key
    ? sortedWalk(parameters, driver, key, after)
    : walkById(parameters, driver, after)
  return `(${rows} LIMIT ${limit})`
}

/** Merges several drivers, each device once. */
function merged(
  parameters: Parameters,
  drivers: Cover,
  after: Place | undefined,
  limit: number,
): string {
  const walks = drivers.map((driver) => walk(parameters, driver, after, limit))
  if (walks.length === 1) return walks.join('')
  return `(SELECT u.id, u.k FROM (${walks.join(' UNION ')}) u ORDER BY u.id DESC LIMIT ${limit})`
}

const device = `FROM devices d
  LEFT JOIN device_presence p ON p.workspace_id = d.workspace_id AND p.device_id = d.id
  WHERE d.workspace_id = $1`

/** The conditions for a device `s` to be shown in the leg. */
function checkOf(parameters: Parameters, leg: Leg, node: FilterNode | undefined): string {
  const conditions = node ? [nodeCondition(parameters, node)] : []
  conditions.push(...leg.only.map((atom) => atomCondition(parameters, atom)))
  for (const atoms of leg.except) {
    const all = atoms.map((atom) => atomCondition(parameters, atom))
    conditions.push(`NOT (${all.join(' AND ')})`)
  }
  const [driver] = leg.drivers
  if (driver?.key?.isRepeated) {
    conditions.push(`s.k COLLATE "C" = ${driver.key.ofDevice(parameters)}`)
  }
  return conditions.map((condition) => ` AND ${condition}`).join('')
}

/**
 * Walks a leg over at most `limit` devices. @returns those that pass, and the last one walked in
 * any case; with `node` undefined all pass
 */
export async function walkLeg(
  db: Db,
  workspaceId: string,
  leg: Leg,
  step: { node: FilterNode | undefined; after: Place | undefined; limit: number },
): Promise<WalkedRow[]> {
  const { node, after, limit } = step
  const parameters = parametersOf(workspaceId)
  const rows = merged(parameters, leg.drivers, after, limit)
  if (node === undefined) {
    const found = await db.query<Place>(unnamed(rows), parameters.values)
    return found.map(({ id, k }, index) => ({ id, k, passes: true, n: index + 1 }))
  }
  // Written so that the check cannot become a join that starts elsewhere.
  const text = `SELECT s.id, s.k, s.n::integer AS n, coalesce(m.passes, false) AS passes
    FROM (SELECT o.id, o.k, row_number() OVER () AS n FROM ${rows} o) s
    LEFT JOIN LATERAL (
      SELECT true AS passes ${device} AND d.id = s.id${checkOf(parameters, leg, node)} OFFSET 0
    ) m ON true
    WHERE m.passes OR s.n = ${limit} ORDER BY s.n`
  return db.query<WalkedRow>(unnamed(text), parameters.values)
}

/** How many devices each cover yields, counted up to `most` per driver. */
export async function countCovers(
  db: Db,
  workspaceId: string,
  covers: readonly Cover[],
  most: number,
): Promise<number[]> {
  const parameters = parametersOf(workspaceId)
  const counts = covers.map((cover, index) => {
    const each = cover.map(
      (driver) => `(SELECT count(*) FROM ${walk(parameters, driver, undefined, most)} w)`,
    )
    return `(${each.join(' + ')})::integer AS c${index}`
  })
  const text = `SELECT ${counts.join(', ')}`
  const [row] = await db.query<Record<string, number>>(unnamed(text), parameters.values)
  return covers.map((_, index) => row?.[`c${index}`] ?? 0)
}

/** Checks all devices of a small cover and sorts them in the order of a leg. */
export async function sortCover(
  db: Db,
  workspaceId: string,
  cover: Cover,
  leg: Leg,
  step: { node: FilterNode; after: Place | undefined; limit: number; most: number },
): Promise<Place[]> {
  const { node, after, limit, most } = step
  const parameters = parametersOf(workspaceId)
  const walks = cover.map(
    (driver) => `SELECT w.id FROM ${walk(parameters, driver, undefined, most)} w`,
  )
  const key = leg.drivers[0]?.key
  const k = key ? `(${key.ofDevice(parameters)})::${key.cast}` : 'NULL::text'
  const column = key?.cast === 'text' ? 'm.k COLLATE "C"' : 'm.k'
  const place = after && {
    k: `${parameters.add(after.k)}::${key?.cast ?? 'text'}`,
    id: `${parameters.add(after.id)}::uuid`,
  }
  const behind = key
    ? place && `(${column}, m.id) > (${place.k}, ${place.id})`
    : place && `m.id < ${place.id} AND ${place.k} IS NULL`
  const text = `SELECT m.id, m.k::text AS k FROM (${walks.join(' UNION ')}) c
    CROSS JOIN LATERAL (
      SELECT d.id, ${k} AS k ${device} AND d.id = c.id AND ${nodeCondition(parameters, node)}
      OFFSET 0
    ) m
    ${behind ? `WHERE ${behind}` : ''}
    ORDER BY ${key ? `${column}, m.id` : 'm.id DESC'} LIMIT ${limit}`
  return db.query<Place>(unnamed(text), parameters.values)
}
