/** Batch statements across workspaces: configurations for devices, and their reports. */
import type { Db } from '../../../platform/database/connect.ts'
import { type RowOf, sql } from '../../../platform/database/sql.ts'

export interface DeviceRef {
  workspaceId: string
  deviceId: string
}

export type EffectiveRow = RowOf<typeof effective>

const effective = sql(
  'device_configs.effective',
  `SELECT d.id, coalesce(t.default_config, '{}') || d.config AS effective!,
          d.config_version AS version,
          greatest(coalesce(c.changed_at, d.created_at), t.updated_at) AS changed_at!
   FROM unnest($workspaceIds::uuid[], $deviceIds::uuid[]) AS g (workspace_id, device_id)
   JOIN devices d ON d.workspace_id = g.workspace_id AND d.id = g.device_id
   LEFT JOIN device_templates t ON t.workspace_id = d.workspace_id AND t.id = d.template_id
   LEFT JOIN device_configs c ON c.workspace_id = d.workspace_id AND c.device_id = d.id
     AND c.version = d.config_version
   WHERE d.status <> 'decommissioned'`,
)
// A repeated report changes nothing, also if it was applied again: events tell of news. Devices are
// locked in a fixed order; deleted ones are skipped.
const report = sql(
  'device_configs.report',
  `WITH given AS (
     SELECT g.*
     FROM unnest($workspaceIds::uuid[], $deviceIds::uuid[], $versions::int[], $sha256s::text[],
       $statuses::text[], $errors::text[], $eventIds::uuid[],
                 $errorCodes::text[], $appliedAts::timestamptz[])
       AS g (workspace_id, device_id, version, sha256, status, error, event_id, error_code,
             applied_at)
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
   SELECT workspace_id, g.event_id, 'device.config_reported', device_id, e.data
   FROM written JOIN given g USING (workspace_id, device_id)
   JOIN unnest($eventIds::uuid[], $data::jsonb[]) AS e (event_id,
     data) ON e.event_id = g.event_id`,
)

export const effectiveConfigs = (db: Db, devices: readonly DeviceRef[]): Promise<EffectiveRow[]> =>
  effective.rows(db, {
    workspaceIds: devices.map(({ workspaceId }) => workspaceId),
    deviceIds: devices.map(({ deviceId }) => deviceId),
  })

export interface Report extends DeviceRef {
  version: number | null
  sha256: string | null
  status: string
  error: string | null
  error_code: string | null
  /** RFC 3339; null if unknown. */
  applied_at: string | null
  /** UUID of the event. */
  eventId: string
  data: Record<string, unknown>
}

/** Stores the latest report of each device, with an event for each change. */
export async function writeReports(db: Db, reports: readonly Report[]): Promise<void> {
  await report.run(db, {
    workspaceIds: reports.map(({ workspaceId }) => workspaceId),
    deviceIds: reports.map(({ deviceId }) => deviceId),
    versions: reports.map(({ version }) => version),
    sha256s: reports.map(({ sha256 }) => sha256),
    statuses: reports.map(({ status }) => status),
    errors: reports.map(({ error }) => error),
    eventIds: reports.map(({ eventId }) => eventId),
    data: reports.map(({ data }) => JSON.stringify(data)),
    errorCodes: reports.map(({ error_code }) => error_code),
    appliedAts: reports.map(({ applied_at }) => applied_at),
  })
}
