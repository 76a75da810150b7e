/** Statements of an import, each for all rows of a chunk. */
import { changeInsert } from '../../../platform/database/change-feed.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { type RowOf, sql } from '../../../platform/database/sql.ts'
import type { Origin } from '../../../platform/record/event.ts'
import { originParams } from '../../common/row-key.ts'
import { secretsInsert } from '../../mqtt/device-secrets/secret-statements.ts'

// A change of the slug waits for this lock and then sees that there is a device.
/** @returns the workspace's slug, fixed until the transaction ends; undefined if it is gone */
export const lockHome = sql(
  'device_transfers.home',
  `SELECT slug FROM workspaces WHERE id = $id AND status = 'active' FOR KEY SHARE`,
)
export const findTemplates = sql(
  'device_transfers.templates',
  `SELECT id, model_key, serial_format FROM device_templates
   WHERE workspace_id = $workspaceId
     AND (id = ANY($ids::uuid[]) OR model_key = ANY($modelKeies::text[]))`,
)
// Locked in a fixed order, to avoid deadlocks between imports.
/** Devices with one of the keys or hardware ids, locked. */
export const lockDevices = sql(
  'device_transfers.lock',
  `WITH hit AS (
     SELECT id FROM devices WHERE workspace_id = $workspaceId
       AND device_key = ANY($deviceKeys::text[])
     UNION SELECT id FROM devices WHERE workspace_id = $workspaceId
       AND hardware_id = ANY($hardwareIds::text[])
   )
   SELECT d.id, d.device_key, d.name, d.hardware_id, d.template_id, d.status, d.tags,
          d.custom_fields, d.config
   FROM devices d JOIN hit USING (id) WHERE d.workspace_id = $workspaceId
   ORDER BY d.id FOR NO KEY UPDATE OF d`,
)
const update = sql(
  'device_transfers.update',
  `WITH input AS (
     SELECT * FROM json_to_recordset($devices::json) AS t (
       id uuid, name text, template_id uuid, hardware_id text, tags jsonb, custom_fields jsonb,
       config jsonb, is_moved boolean, audit_id uuid, event_id uuid, resource_id text, data jsonb,
       detail jsonb)
   ), device AS (
     UPDATE devices d
     SET name = i.name, template_id = i.template_id, hardware_id = i.hardware_id, tags = i.tags,
         custom_fields = i.custom_fields, config = i.config,
         config_version = d.config_version + (d.config <> i.config)::int,
         revision = d.revision + 1, updated_at = now()
     FROM input i WHERE d.workspace_id = $workspaceId AND d.id = i.id
   ), moved AS (
     SELECT id FROM input WHERE is_moved
   ), announced AS (
     ${changeInsert('device', 'moved', 'id')}
   ), entry AS (
     INSERT INTO audit_log (workspace_id, id, actor_kind, actor_id, action, resource_kind,
                            resource_id, request_id, address, detail)
     SELECT $workspaceId, audit_id, $actorKind, $actorId?, 'device.updated', 'device', resource_id,
       $requestId?, $address?, data || detail
     FROM input
   )
   INSERT INTO events (workspace_id, id, type, subject_id, data)
   SELECT $workspaceId, event_id, 'device.updated', id, data FROM input`,
)
// The devices are locked, so that no rotation adds a secret meanwhile.
const giveSecrets = sql(
  'device_transfers.give_secrets',
  `WITH input AS (
     SELECT * FROM json_to_recordset($devices::json) AS t (
       id uuid, mqtt_hash text, http_hash text, audit_id uuid, event_id uuid, resource_id text,
       data jsonb)
   ), device AS (
     UPDATE devices d SET secret_generation = d.secret_generation + 1
     FROM input i
     WHERE d.workspace_id = $workspaceId AND d.id = i.id AND d.status <> 'decommissioned'
       AND NOT EXISTS (SELECT 1 FROM device_secrets s
                       WHERE s.workspace_id = $workspaceId AND s.device_id = d.id)
     RETURNING d.id, d.secret_generation AS generation
   ), done AS (
     SELECT input.*, device.generation FROM input JOIN device USING (id)
   ), secrets AS (
     ${secretsInsert({
       from: 'done',
       device: 'done.id',
       generation: 'done.generation',
       mqttHash: "decode(mqtt_hash, 'base64')",
       httpHash: "decode(http_hash, 'base64')",
     })}
   ), announced AS (
     ${changeInsert('device', 'done', 'id')}
   ), entry AS (
     INSERT INTO audit_log (workspace_id, id, actor_kind, actor_id, action, resource_kind,
                            resource_id, request_id, address, detail)
     SELECT $workspaceId, audit_id, $actorKind, $actorId?, 'device.credentials_reset', 'device',
       resource_id, $requestId?, $address?, data
     FROM done
   ), event AS (
     INSERT INTO events (workspace_id, id, type, subject_id, data)
     SELECT $workspaceId, event_id, 'device.credentials_reset', id, data FROM done
   )
   SELECT id FROM device`,
)

export type TemplateRow = RowOf<typeof findTemplates>

export type KnownDevice = RowOf<typeof lockDevices>

/** Audit entry and event of a row. */
export interface Records {
  audit_id: string
  event_id: string
  /** Public id. */
  resource_id: string
  data: Record<string, unknown>
}

export interface ChangedDevice extends Omit<KnownDevice, 'status' | 'device_key'>, Records {
  /** Whether the template changed. */
  is_moved: boolean
  detail: Record<string, unknown>
}

export interface GivenSecrets extends Records {
  id: string
  /** Keyed hashes in base64. */
  mqtt_hash: string
  http_hash: string
}

const paramsOf = (workspaceId: string, origin: Origin, rows: unknown) => ({
  ...originParams(origin),
  workspaceId,
  devices: JSON.stringify(rows),
})

export async function updateDevices(
  db: Db,
  workspaceId: string,
  origin: Origin,
  devices: readonly ChangedDevice[],
): Promise<void> {
  if (devices.length > 0) await update.run(db, paramsOf(workspaceId, origin, devices))
}

/** @returns ids of devices that had no secrets and are not decommissioned */
export async function giveFirstSecrets(
  db: Db,
  workspaceId: string,
  origin: Origin,
  devices: readonly GivenSecrets[],
): Promise<Set<string>> {
  if (devices.length === 0) return new Set()
  const rows = await giveSecrets.rows(db, paramsOf(workspaceId, origin, devices))
  return new Set(rows.map(({ id }) => id))
}

// The pages of an export.

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
