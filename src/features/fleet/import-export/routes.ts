/** Operations that import and export devices. */
import { type Services, streamOperation } from '../../../context.ts'
import { rowOperationOf } from '../../../platform/http/row-operation.ts'
import { deviceColumns } from './device-columns.ts'
import { exportDevices } from './device-export.ts'
import { importDevices, type ImportServices } from './device-import.ts'
import { ExportedDevice, ExportQuery, ImportDevice, ImportQuery, ImportResult } from './schema.ts'

const access = ['user', 'platform-key'] as const
const tag = 'Devices'

const rowOperation = rowOperationOf<Services & ImportServices>()

export const deviceTransferOperations = [
  rowOperation({
    id: 'importDevices',
    route: 'POST /workspaces/:id/devices/import',
    tag,
    summary: 'Import devices from a file',
    description:
      'NDJSON, or CSV with a header, with up to 1,000,000 rows in the columns of an export. The response is NDJSON with one result for each row, in the same order, as rows are committed. An invalid row fails alone. A row identifies its device by `device_key` or by `hardware_id`. Repeating an import changes nothing more.',
    access,
    permission: 'devices.write',
    query: ImportQuery,
    body: ImportDevice,
    rows: { rows: 1_000_000, lineBytes: 65_536, csv: deviceColumns },
    returns: { 200: ImportResult },
    fails: ['malformed_csv'],
    example: { device_key: 'TH2-000123', name: 'Kitchen', tags: { floor: 'ground' } },
    run: (context, { query, body }) => importDevices(context, query, body),
  }),
  streamOperation({
    id: 'exportDevices',
    route: 'GET /workspaces/:id/devices/export',
    tag,
    summary: 'Export devices to a file',
    description:
      'Streams devices in the columns that an import accepts, oldest first or in the order of the filter. Contains no secrets.',
    access,
    permission: 'devices.read',
    query: ExportQuery,
    stream: { formats: ['ndjson', 'csv'], filename: 'devices' },
    row: ExportedDevice,
    run: (context, { query, format }) => exportDevices(context, query, format),
  }),
]
