/** Statements of an import, each for all rows of a chunk. */
import { type RowOf, sql, unnested } from '../../../platform/database/sql.ts'
import { secretsInsert } from '../../mqtt/device-secrets/secret-statements.ts'

// A change of the slug waits for this lock and then sees that there is a device.
/** @returns the workspace's slug, fixed until the transaction ends; undefined if it is gone */
export const lockHome = sql('device_transfers.home')`
  SELECT slug FROM workspaces WHERE id = $id AND status = 'active' FOR KEY SHARE`
export const findTemplates = sql('device_transfers.templates')`
  SELECT id, model_key, serial_format FROM device_templates
  WHERE workspace_id = $workspaceId
    AND (id = ANY($ids::uuid[]) OR model_key = ANY($modelKeies::text[]))`
// Locked in a fixed order, to avoid deadlocks between imports.
/** Devices with one of the keys or hardware ids, locked. */
export const lockDevices = sql('device_transfers.lock')`
  WITH hit AS (
    SELECT id FROM devices WHERE workspace_id = $workspaceId
      AND device_key = ANY($deviceKeys::text[])
    UNION SELECT id FROM devices WHERE workspace_id = $workspaceId
      AND hardware_id = ANY($hardwareIds::text[])
  )
  SELECT d.id, d.device_key, d.name, d.hardware_id, d.template_id, d.status, d.tags,
         d.custom_fields, d.config
  FROM devices d JOIN hit USING (id) WHERE d.workspace_id = $workspaceId
  ORDER BY d.id FOR NO KEY UPDATE OF d`
export const updateDevices = sql('device_transfers.update')`
  UPDATE devices d
  SET name = i.name, template_id = i.template_id, hardware_id = i.hardware_id, tags = i.tags,
      custom_fields = i.custom_fields, config = i.config,
      config_version = d.config_version + (d.config <> i.config)::int,
      revision = d.revision + 1, updated_at = now()
  FROM ${unnested(
    'i',
    `id uuid, name text, template_id uuid, hardware_id text, tags jsonb, custom_fields jsonb,
     config jsonb`,
  )}
  WHERE d.workspace_id = $workspaceId AND d.id = i.id`
// The devices are locked, so that no rotation adds a secret meanwhile.
/** @returns ids of devices that had no secrets and are not decommissioned */
export const giveSecrets = sql('device_transfers.give_secrets')`
  WITH input AS (
    SELECT * FROM ${unnested('t', 'id uuid, mqttHash bytea, httpHash bytea')}
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
      mqttHash: 'mqtt_hash',
      httpHash: 'http_hash',
    })}
  )
  SELECT id FROM device`

export type TemplateRow = RowOf<typeof findTemplates>

export type KnownDevice = RowOf<typeof lockDevices>

// The pages of an export.

const columns = `
  SELECT d.id, d.device_key, d.name, d.hardware_id, t.model_key, d.template_id, d.tags,
         d.custom_fields, d.config, d.status, d.approval, d.claimed_at, p.last_seen_at,
         d.created_at, d.updated_at
  FROM devices d
  LEFT JOIN device_templates t ON t.workspace_id = d.workspace_id AND t.id = d.template_id
  LEFT JOIN device_presence p ON p.workspace_id = d.workspace_id AND p.device_id = d.id`

/** Oldest first. */
export const pageOfDevices = sql('device_transfers.page')`
  ${columns} WHERE d.workspace_id = $workspaceId AND d.id > $id ORDER BY d.id LIMIT $limit`

/** The existing devices, in the order of the given ids. */
export const findDevices = sql('device_transfers.some')`
  ${columns} JOIN unnest($ids::uuid[]) WITH ORDINALITY AS wanted (id, place) ON wanted.id = d.id
  WHERE d.workspace_id = $workspaceId ORDER BY wanted.place`

export type ExportRow = RowOf<typeof pageOfDevices>
