/** Pages of the devices that pass a filter. */
import type { Db } from '../../../platform/database/connect.ts'
import {
  type CountEffort,
  countPassing,
  type Effort,
  type PassingCount,
  type Place,
  searchPage,
  USUAL_EFFORT,
} from '../../../platform/database/filter-page.ts'
import type { Position } from '../../../platform/database/filter-statements.ts'
import type { PageOf } from '../../../platform/database/filtered-list.ts'
import { rowReader, type TypedStatement } from '../../../platform/database/sql.ts'
import type { FilterNode } from '../../../platform/lib/filter-node.ts'
import { deviceTable } from './fields-store.ts'

export interface DeviceIdPage {
  /** UUIDs; possibly fewer than requested, or none, although there is a next page. */
  ids: string[]
  /** Cursor of the next page; undefined on the last one. Opaque, and bound to this filter. */
  next: string | undefined
}

const textOf = ({ step, position }: Place): string =>
  JSON.stringify(position ? [step, position.k, position.id] : [step])

function readPlace(text: string | undefined): Place {
  if (text === undefined) return { step: 0, position: undefined }
  const [step, k, id] = JSON.parse(text) as [number, (string | null)?, string?]
  return { step, position: id === undefined ? undefined : { k: k ?? null, id } }
}

interface PageOfFilter {
  /** `next` of the previous page of the same filter. */
  after: string | undefined
  limit: number
}

/**
 * Pages of devices as a statement returns each of them, in one statement.
 * @param ofOne returns the device `$2` of the workspace `$1`
 */
export function pageOfDevices<Row>(
  ofOne: TypedStatement<{ workspaceId: string; id: string }, Row>,
): PageOf<Row> {
  const positionOf = ({ k, id }: Row & Position): Position => ({ k, id })
  const table = { ...deviceTable, whole: ofOne.text.replaceAll('$2', 'seen.id') }
  const read = rowReader<Row>(ofOne.stored)
  return async (db, workspaceId, { node, after, limit }) => {
    const search = { db, table, workspaceId, node, positionOf, effort: USUAL_EFFORT }
    const { rows, next } = await searchPage<Row & Position>(search, readPlace(after), limit)
    return { rows: read(rows), next: next && textOf(next) }
  }
}

/** @param node undefined: all devices */
export async function pageOfDeviceIds(
  db: Db,
  workspaceId: string,
  node: FilterNode | undefined,
  { after, limit }: PageOfFilter,
  effort: Effort = USUAL_EFFORT,
): Promise<DeviceIdPage> {
  const positionOf = ({ k, id }: Position): Position => ({ k, id })
  const search = { db, table: deviceTable, workspaceId, node, positionOf, effort }
  const { rows, next } = await searchPage(search, readPlace(after), limit)
  return { ids: rows.map(({ id }) => id), next: next && textOf(next) }
}

/** The most that is read for one count. */
const COUNT_EFFORT: CountEffort = { entries: 100_000, budget: 20_000 }

/** @param node undefined: all devices */
export const countDevicesThat = (
  db: Db,
  workspaceId: string,
  node: FilterNode | undefined,
  effort: CountEffort = COUNT_EFFORT,
): Promise<PassingCount> => countPassing({ db, table: deviceTable, workspaceId, node }, effort)

/**
 * All devices that pass a filter, in chunks, for long-running work that can resume. Devices that
 * start to pass, or move in the order, while it runs may be missed.
 * @param options.after the `after` of the last processed chunk
 */
export async function* iterateDeviceIds(
  db: Db,
  workspaceId: string,
  node: FilterNode | undefined,
  options: { after?: string | undefined; chunk: number },
): AsyncGenerator<{ ids: string[]; after: string | undefined }> {
  let { after } = options
  do {
    const page = await pageOfDeviceIds(db, workspaceId, node, { after, limit: options.chunk })
    after = page.next
    if (page.ids.length > 0 || after !== undefined) yield { ids: page.ids, after }
  } while (after !== undefined)
}
