/** Selects the devices of a job or campaign, in steps while it is prepared. */
import type { Context } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { invalid } from '../../../platform/errors/errors.ts'
import { uuidOf } from '../../../platform/lib/ids.ts'
import { readDeviceFilter } from '../../devices/filters/device-filter.ts'
import { pageOfDeviceIds } from '../../devices/filters/device-filter-page.ts'
import type { Selection } from '../../common/device-selection.ts'
import { knownDevices } from './store.ts'

export interface Selected {
  /** Distinct UUIDs; undefined: by filter. */
  deviceIds: string[] | undefined
  filter: string | null
}

/** An empty text selects all devices. */
const readFilter = (db: Db, workspaceId: string, text: string) =>
  readDeviceFilter({ db }, workspaceId, text.trim() === '' ? undefined : text)

/** @throws Failure invalid_request, also for devices of other workspaces */
export async function readSelection(
  { db, workspaceId }: Pick<Context, 'db' | 'workspaceId'>,
  { device_ids, filter }: Selection,
): Promise<Selected> {
  if ((device_ids === undefined) === (filter === undefined)) {
    throw invalid('/filter', 'or device_ids must be given, and not both')
  }
  if (device_ids === undefined) {
    const text = filter as string
    await readFilter(db, workspaceId, text)
    return { deviceIds: undefined, filter: text }
  }
  const uuids = device_ids.map((id) => uuidOf('dev', id))
  const rows = await knownDevices.rows(db, { workspaceId, ids: uuids })
  const known = new Set(rows.map(({ id }) => id))
  const missing = uuids.findIndex((uuid) => !known.has(uuid))
  if (missing >= 0) throw invalid(`/device_ids/${missing}`, 'is not a device of this workspace')
  return { deviceIds: [...known], filter: null }
}

/** The next devices, and where to continue; undefined after the last. */
export interface Gathered {
  ids: string[]
  next: string | undefined
}

/**
 * The next devices that pass a filter; duplicates are possible.
 * @param after `next` of the previous call
 * @throws Failure invalid_request if the filter has become invalid
 */
export async function nextSelected(
  trx: Db,
  workspaceId: string,
  filter: string,
  after: string | null,
  limit: number,
): Promise<Gathered> {
  const read = await readFilter(trx, workspaceId, filter)
  return pageOfDeviceIds(trx, workspaceId, read, { after: after ?? undefined, limit })
}
