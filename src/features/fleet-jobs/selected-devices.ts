/** Which devices a job is about, and how they are found in steps while it is prepared. */
import type { Context, Services } from '../../context.ts'
import type { Db } from '../../database/connect.ts'
import { invalid } from '../../errors.ts'
import { parseId } from '../../lib/ids.ts'
import * as items from './item-store.ts'
import type { Selection } from './schema.ts'
import * as store from './store.ts'

export interface Selected {
  /** UUIDs, each once; undefined: those of the filter. */
  deviceIds: string[] | undefined
  filter: string | null
}

/** @throws Failure invalid_request, for devices of others too. */
export async function readSelection(
  { db, workspaceId }: Pick<Context, 'db' | 'workspaceId'>,
  { device_ids, filter }: Selection,
): Promise<Selected> {
  if ((device_ids === undefined) === (filter === undefined)) {
    throw invalid('/filter', 'or device_ids must be given, and not both')
  }
  if (device_ids === undefined) {
    const text = filter as string
    if (text !== '') throw invalid('/filter', 'can not be read')
    return { deviceIds: undefined, filter: text }
  }
  const uuids = device_ids.map((id) => parseId('dev', id) as string)
  const known = await store.findKnownDevices(db, workspaceId, uuids)
  const missing = uuids.findIndex((uuid) => !known.has(uuid))
  if (missing >= 0) throw invalid(`/device_ids/${missing}`, 'is no device of this workspace')
  return { deviceIds: [...known], filter: null }
}

/**
 * The next devices that pass a filter, in the order of their ids.
 * @throws Failure invalid_request when the filter is not good any more.
 */
export function nextSelected(
  _services: Pick<Services, 'clock'>,
  trx: Db,
  workspaceId: string,
  _filter: string,
  after: string | null,
  limit: number,
): Promise<string[]> {
  return items.nextDevices(trx, workspaceId, after, limit)
}
