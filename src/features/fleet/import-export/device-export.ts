/** Exports all devices as a stream, page by page: at most one page is in memory. */
import type { Context } from '../../../context.ts'
import { pagesOf } from '../../../platform/database/sql.ts'
import type { StreamChunk, StreamFormat } from '../../../platform/http/stream-format.ts'
import { formatId, NIL_UUID } from '../../../platform/lib/ids.ts'
import type { FilterNode } from '../../../platform/lib/filter-node.ts'
import { readDeviceFilter } from '../../devices/filters/device-filter.ts'
import { iterateDeviceIds } from '../../devices/filters/device-filter-page.ts'
import { timestamp, timestampOrNull } from '../../common/shapes.ts'
import { csvHeader, csvRow } from './device-columns.ts'
import * as store from './import-store.ts'
import type { ExportedDevice, ExportQuery } from './schema.ts'

const PAGE = 1_000

const exported = (row: store.ExportRow): ExportedDevice => ({
  ...row,
  id: formatId('dev', row.id),
  template_id: row.template_id === null ? null : formatId('tpl', row.template_id),
  claimed_at: timestampOrNull(row.claimed_at),
  last_seen_at: timestampOrNull(row.last_seen_at),
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
})

async function* filtered(
  { db, workspaceId }: Context,
  filter: FilterNode | undefined,
): AsyncGenerator<store.ExportRow[]> {
  for await (const { ids } of iterateDeviceIds(db, workspaceId, filter, { chunk: PAGE })) {
    if (ids.length > 0) yield await store.findDevices.rows(db, { workspaceId, ids })
  }
}

const all = ({ db, workspaceId }: Context) =>
  pagesOf(PAGE, (last?: store.ExportRow) =>
    store.pageOfDevices.rows(db, { workspaceId, id: last?.id ?? NIL_UUID, limit: PAGE }),
  )

/** Oldest first, or in the filter's order. Devices changed meanwhile may or may not be included. */
export async function* exportDevices(
  context: Context,
  { filter: text }: ExportQuery,
  format: StreamFormat,
): AsyncGenerator<StreamChunk<ExportedDevice>> {
  const filter = await readDeviceFilter(context, context.workspaceId, text, '/query/filter')
  if (format === 'csv') yield csvHeader
  for await (const rows of text === undefined ? all(context) : filtered(context, filter)) {
    const devices = rows.map(exported)
    yield format === 'csv' ? devices.map(csvRow).join('') : devices
  }
}
