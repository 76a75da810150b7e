/** Queries on device configurations and their versions. */
import { changeInsert } from '../../../platform/database/change-feed.ts'
import { type RowOf, sql, unnested, withUnseenArrays } from '../../../platform/database/sql.ts'

export const findConfig = sql('device_configs.by_device')`
  SELECT d.id, d.config, coalesce(t.default_config, '{}') || d.config AS effective!,
         d.config_version AS version, c.changed_by, coalesce(c.changed_at, d.created_at) AS changed_at!,
         r.version AS reported_version, r.sha256 AS reported_sha256, r.status AS reported_status,
         r.error AS reported_error, r.error_code AS reported_error_code, r.applied_at,
         r.reported_at
  FROM devices d
  LEFT JOIN device_templates t ON t.workspace_id = d.workspace_id AND t.id = d.template_id
  LEFT JOIN device_configs c ON c.workspace_id = d.workspace_id AND c.device_id = d.id
    AND c.version = d.config_version
  LEFT JOIN device_config_reports r ON r.workspace_id = d.workspace_id AND r.device_id = d.id
  WHERE d.workspace_id = $workspaceId AND d.id = $id`
export type ConfigRow = RowOf<typeof findConfig>
// In a fixed order, to avoid deadlocks between bulk changes.
/** The existing devices, locked until the transaction ends. */
export const lockConfigs = sql('device_configs.lock')`
  SELECT id, config FROM devices WHERE workspace_id = $workspaceId AND id = ANY ($ids::uuid[])
  ORDER BY id FOR NO KEY UPDATE`
/** Writes new configurations, each as its device's next version. */
export const writeConfigs = sql('device_configs.write')`
  UPDATE devices d SET config = g.config, config_version = d.config_version + 1,
                       revision = d.revision + 1, updated_at = now()
  FROM unnest($ids::uuid[], $configs::jsonb[]) AS g (id, config)
  WHERE d.workspace_id = $workspaceId AND d.id = g.id`
/**
 * Adds the current configurations to the history and deletes versions that are too old. Also stores
 * the previous version if it was the initial one, which has no row yet: `before` has the previous
 * configurations, in the order of `ids`. @returns the new versions
 */
export const keepVersions = sql('device_configs.keep')`
  WITH given AS (
    SELECT d.id, d.config_version AS version, d.config, d.created_at, g.before
    FROM unnest($ids::uuid[], $before::jsonb[]) AS g (id, before)
    JOIN devices d ON d.workspace_id = $workspaceId AND d.id = g.id
  ), first AS (
    INSERT INTO device_configs (workspace_id, device_id, version, config, changed_by, changed_at)
    SELECT $workspaceId, id, version - 1, before, NULL, created_at FROM given
    ON CONFLICT DO NOTHING
  ), old AS (
    DELETE FROM device_configs c USING given
    WHERE c.workspace_id = $workspaceId AND c.device_id = given.id
      AND c.version <= given.version - $versions
  ), announced AS (
    ${changeInsert('config', 'given', 'id')}
  )
  INSERT INTO device_configs (workspace_id, device_id, version, config, changed_by)
  SELECT $workspaceId, id, version, config, $changedBy? FROM given
  RETURNING device_id, version`
const kept = `SELECT c.version, c.config, c.changed_by, c.changed_at FROM device_configs c
  WHERE c.workspace_id = $workspaceId AND c.device_id = $deviceId`
const created = `SELECT d.config_version AS version, d.config, NULL AS changed_by,
         d.created_at AS changed_at
  FROM devices d
  WHERE d.workspace_id = $workspaceId AND d.id = $deviceId
    AND NOT EXISTS (SELECT FROM device_configs c WHERE c.workspace_id = $workspaceId
      AND c.device_id = $deviceId)`
/** Newest first; a device whose configuration never changed has one version. */
export const pageOfVersions = sql('device_configs.page')`
  SELECT v.version AS version!, v.config AS config!, v.changed_by, v.changed_at AS changed_at!
  FROM (${kept} UNION ALL ${created}) AS v
  WHERE $version?::int IS NULL OR v.version < $version
  ORDER BY v.version DESC LIMIT $limit`

// Batch statements across workspaces: configurations for devices, and their reports.

export interface DeviceRef {
  workspaceId: string
  deviceId: string
}

export const effectiveConfigs = sql('device_configs.effective', withUnseenArrays)`
  SELECT d.id, coalesce(t.default_config, '{}') || d.config AS effective!,
         d.config_version AS version,
         greatest(coalesce(c.changed_at, d.created_at), t.updated_at) AS changed_at!
  FROM unnest($workspaceId::uuid[], $deviceId::uuid[])
    AS g (workspace_id, device_id)
  JOIN devices d ON d.workspace_id = g.workspace_id AND d.id = g.device_id
  LEFT JOIN device_templates t ON t.workspace_id = d.workspace_id AND t.id = d.template_id
  LEFT JOIN device_configs c ON c.workspace_id = d.workspace_id AND c.device_id = d.id
    AND c.version = d.config_version
  WHERE d.status <> 'decommissioned'`
// A repeated report changes nothing, also if it was applied again: events report changes. Devices
// are locked in a fixed order; deleted ones are skipped.
/** Stores the latest report of each device, with an event for each change. */
export const writeReports = sql('device_configs.report')`
  WITH given AS (
    SELECT g.*
    FROM ${unnested(
      'g',
      `workspaceId uuid, deviceId uuid, version int, sha256 text, status text, error text,
       error_code text, applied_at timestamptz, eventId uuid, data jsonb`,
    )}
    JOIN devices d ON d.workspace_id = g.workspace_id AND d.id = g.device_id
    ORDER BY d.workspace_id, d.id FOR KEY SHARE OF d
  ), written AS (
    INSERT INTO device_config_reports AS r
      (workspace_id, device_id, version, sha256, status, error, error_code, applied_at)
    SELECT workspace_id, device_id, version, sha256, status, error, error_code, applied_at
    FROM given
    ON CONFLICT (workspace_id, device_id) DO UPDATE
    SET version = excluded.version, sha256 = excluded.sha256, status = excluded.status,
        error = excluded.error, error_code = excluded.error_code,
        applied_at = excluded.applied_at, reported_at = now()
    WHERE (r.version, r.sha256, r.status, r.error, r.error_code)
      IS DISTINCT FROM (excluded.version, excluded.sha256, excluded.status, excluded.error,
                        excluded.error_code)
    RETURNING r.workspace_id, r.device_id
  )
  INSERT INTO events (workspace_id, id, type, subject_id, data)
  SELECT workspace_id, event_id, 'device.config_reported', device_id, data
  FROM written JOIN given USING (workspace_id, device_id)`
