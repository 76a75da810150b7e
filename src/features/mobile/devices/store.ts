/** Queries on devices bound to a mobile identity. */
import { type Db, statement } from '../../../platform/database/connect.ts'

export interface MoidDeviceRow {
  workspace_id: string
  device_id: string
  claim_id: string
  device_key: string
  name: string
  status: 'registered' | 'active' | 'suspended' | 'decommissioned'
  template_id: string | null
  model_key: string | null
  connected: boolean
  last_seen_at: number | null
  bound_at: number
  revision: number
}

const bound = `SELECT c.workspace_id, c.device_id, c.id AS claim_id, d.device_key,
    coalesce(c.name, d.name) AS name, d.status, d.template_id, t.model_key,
    coalesce(p.connected, false) AS connected, p.last_seen_at, c.bound_at, c.revision
  FROM claims c
  JOIN workspaces w ON w.id = c.workspace_id AND w.status = 'active'
  JOIN devices d ON d.workspace_id = c.workspace_id AND d.id = c.device_id
  LEFT JOIN device_templates t ON t.workspace_id = d.workspace_id AND t.id = d.template_id
  LEFT JOIN device_presence p ON p.workspace_id = d.workspace_id AND p.device_id = d.id
  WHERE c.moid_id = $1 AND c.status = 'bound' AND ($2::uuid IS NULL OR c.workspace_id = $2)`

const page = statement(
  'moid_devices.page',
  `${bound} AND ($3::uuid IS NULL OR c.id < $3) ORDER BY c.id DESC LIMIT $4`,
)
const byId = statement('moid_devices.by_id', `${bound} AND c.device_id = $3`)
const rename = statement(
  'moid_devices.rename',
  `UPDATE claims SET name = $3, revision = revision + 1
   WHERE workspace_id = $1 AND id = $2 AND status = 'bound'`,
)

/** @param within the only workspace to search; null: all */
export const pageOfDevices = (
  db: Db,
  moidId: string,
  within: string | null,
  after: string | undefined,
  limit: number,
): Promise<MoidDeviceRow[]> => db.query(page, [moidId, within, after ?? null, limit])

export async function findDevice(
  db: Db,
  moidId: string,
  within: string | null,
  deviceId: string,
): Promise<MoidDeviceRow | undefined> {
  return (await db.query<MoidDeviceRow>(byId, [moidId, within, deviceId]))[0]
}

export async function writeName(
  db: Db,
  workspaceId: string,
  claimId: string,
  name: string | null,
): Promise<void> {
  await db.query(rename, [workspaceId, claimId, name])
}
