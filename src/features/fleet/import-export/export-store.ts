/** The pages of an export. */
import { type RowOf, sql } from '../../../platform/database/sql.ts'

const columns = `
  SELECT d.id, d.device_key, d.name, d.hardware_id, t.model_key, d.template_id, d.tags,
         d.custom_fields, d.config, d.status, d.approval, d.claimed_at, p.last_seen_at,
         d.created_at, d.updated_at
  FROM devices d
  LEFT JOIN device_templates t ON t.workspace_id = d.workspace_id AND t.id = d.template_id
  LEFT JOIN device_presence p ON p.workspace_id = d.workspace_id AND p.device_id = d.id`

/** Oldest first. */
export const pageOfDevices = sql(
  'device_transfers.page',
  `${columns} WHERE d.workspace_id = $workspaceId AND d.id > $id ORDER BY d.id LIMIT $limit`,
)

/** The existing devices, in the order of the given ids. */
export const findDevices = sql(
  'device_transfers.some',
  `${columns} JOIN unnest($ids::uuid[]) WITH ORDINALITY AS wanted (id, place) ON wanted.id = d.id
   WHERE d.workspace_id = $workspaceId ORDER BY wanted.place`,
)

export type ExportRow = RowOf<typeof pageOfDevices>
