/** Queries on devices bound to a mobile identity. */
import { type RowOf, sql } from '../../../platform/database/sql.ts'

const bound = `SELECT c.workspace_id, c.device_id AS device_id!, c.id AS claim_id, d.device_key,
    coalesce(c.name, d.name) AS name!, d.status, d.template_id, t.model_key,
    coalesce(p.connected, false) AS connected!, p.last_seen_at, c.bound_at AS bound_at!,
    c.revision
  FROM claims c
  JOIN workspaces w ON w.id = c.workspace_id AND w.status = 'active'
  JOIN devices d ON d.workspace_id = c.workspace_id AND d.id = c.device_id
  LEFT JOIN device_templates t ON t.workspace_id = d.workspace_id AND t.id = d.template_id
  LEFT JOIN device_presence p ON p.workspace_id = d.workspace_id AND p.device_id = d.id
  WHERE c.moid_id = $moidId AND c.status = 'bound'
    AND ($workspaceId?::uuid IS NULL OR c.workspace_id = $workspaceId)`

export const pageOfDevices = sql('moid_devices.page')`
  ${bound} AND ($after?::uuid IS NULL OR c.id < $after) ORDER BY c.id DESC LIMIT $limit`
export const findDevice = sql('moid_devices.by_id')`${bound} AND c.device_id = $deviceId`
export type MoidDeviceRow = RowOf<typeof findDevice>
export const writeName = sql('moid_devices.rename')`
  UPDATE claims SET name = $name?, revision = revision + 1
  WHERE workspace_id = $workspaceId AND id = $id AND status = 'bound'`
