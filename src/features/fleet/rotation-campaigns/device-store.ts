/** Queries on the devices of rotation campaigns. */
import type { Db } from '../../../platform/database/connect.ts'
import { type RowOf, sql } from '../../../platform/database/sql.ts'
import { filteredList } from '../../../platform/database/filtered-list.ts'
import type { CampaignDeviceStatus } from './schema.ts'

type Named = { workspace_id: string; id: string }

const insert = sql(
  'rotation_campaign_devices.insert',
  `INSERT INTO rotation_campaign_devices (workspace_id, campaign_id, device_id)
   SELECT $workspaceId, $campaignId, unnest($deviceIds::uuid[]) ON CONFLICT DO NOTHING
   RETURNING 1 AS new`,
)
// The devices are locked in a fixed order; a missing one is null.
/** The next devices to ask, locked until the transaction ends. The campaign must be locked. */
export const lockDueDevices = sql(
  'rotation_campaign_devices.lock_due',
  `WITH due AS (
     SELECT device_id FROM rotation_campaign_devices
     WHERE workspace_id = $workspaceId AND campaign_id = $campaignId AND status = 'due'
     ORDER BY device_id LIMIT $limit
   ), present AS (
     SELECT d.id, d.device_key, d.status FROM devices d JOIN due ON due.device_id = d.id
     WHERE d.workspace_id = $workspaceId ORDER BY d.id FOR NO KEY UPDATE OF d
   )
   SELECT due.device_id AS id, present.device_key, present.status
   FROM due LEFT JOIN present ON present.id = due.device_id ORDER BY due.device_id`,
)
export const markAsked = sql(
  'rotation_campaign_devices.ask',
  `UPDATE rotation_campaign_devices c
   SET status = 'waiting', wave = $wave?, asked_at = now(), asked_generation = d.secret_generation
   FROM devices d
   WHERE c.workspace_id = $workspaceId AND c.campaign_id = $campaignId
     AND c.device_id = ANY($deviceIds::uuid[])
     AND d.workspace_id = $workspaceId AND d.id = c.device_id`,
)
export const markFailed = sql(
  'rotation_campaign_devices.fail',
  `UPDATE rotation_campaign_devices
   SET status = 'failed', wave = $wave?, code = $code?, ended_at = now()
   WHERE workspace_id = $workspaceId AND campaign_id = $campaignId
     AND device_id = ANY($deviceIds::uuid[])`,
)
// A new secret has a later generation than when the device was asked: pending until used, then
// confirmed. A device that has one has been in contact, whatever presence says.
const track = sql(
  'rotation_campaign_devices.track',
  `WITH open AS (
     SELECT device_id, status, asked_at, asked_generation, online_at
     FROM rotation_campaign_devices
     WHERE workspace_id = $workspaceId AND campaign_id = $campaignId
       AND status IN ('waiting', 'notified', 'rotated')
       AND ($after?::uuid IS NULL OR device_id > $after)
     ORDER BY device_id LIMIT $limit
   ), fresh AS (
     SELECT s.device_id, bool_or(s.expires_at IS NULL) AS is_used
     FROM open JOIN device_secrets s ON s.workspace_id = $workspaceId
       AND s.device_id = open.device_id
     WHERE s.generation > open.asked_generation AND (s.expires_at IS NULL OR s.expires_at > now())
     GROUP BY s.device_id
   ), seen AS (
     SELECT open.*, fresh.is_used, d.id IS NULL AS is_gone, d.status = 'decommissioned' AS is_over,
            coalesce(open.online_at, CASE
              WHEN p.connected OR p.last_seen_at > open.asked_at OR fresh.device_id IS NOT NULL
              THEN now() END) AS since
     FROM open
     LEFT JOIN fresh ON fresh.device_id = open.device_id
     LEFT JOIN devices d ON d.workspace_id = $workspaceId AND d.id = open.device_id
     LEFT JOIN device_presence p ON p.workspace_id = $workspaceId AND p.device_id = open.device_id
   ), judged AS (
     SELECT device_id, status AS was, since, CASE
       WHEN is_used THEN 'confirmed'
       WHEN is_gone OR is_over
         OR since + make_interval(secs => $confirmSeconds) <= now() THEN 'failed'
       WHEN is_used IS NOT NULL THEN 'rotated'
       WHEN since IS NOT NULL THEN 'notified'
       ELSE 'waiting' END AS becomes!, CASE
       WHEN is_gone THEN 'device_not_found'
       WHEN is_over THEN 'invalid_transition'
       ELSE 'not_confirmed' END AS reason
     FROM seen
   ), changed AS (
     UPDATE rotation_campaign_devices c
     SET status = j.becomes, online_at = j.since,
         code = CASE WHEN j.becomes = 'failed' THEN j.reason END,
         ended_at = CASE WHEN j.becomes IN ('confirmed', 'failed') THEN now() END
     FROM judged j
     WHERE c.workspace_id = $workspaceId AND c.campaign_id = $campaignId
       AND c.device_id = j.device_id
       AND j.becomes <> j.was
   )
   SELECT device_id AS id, was, becomes AS becomes! FROM judged ORDER BY device_id`,
)
// A device that was offline the whole time does not prolong a wave.
/** Whether a device of the wave may still confirm or fail in time. */
export const isWaveOpen = sql(
  'rotation_campaign_devices.is_open',
  `SELECT FROM rotation_campaign_devices
   WHERE workspace_id = $workspaceId AND campaign_id = $campaignId AND wave = $wave
     AND (status IN ('notified', 'rotated')
          OR status = 'waiting' AND asked_at + make_interval(secs => $seconds) > now())
   LIMIT 1`,
)
const outcome = sql(
  'rotation_campaign_devices.outcome',
  `SELECT count(*) FILTER (WHERE status = 'failed') AS failed, count(*) AS ended
   FROM rotation_campaign_devices
   WHERE workspace_id = $workspaceId AND campaign_id = $campaignId
     AND status IN ('confirmed', 'failed')
     AND wave >= $wave`,
)
export const pageOfDevices = filteredList<CampaignDeviceRow>({
  columns: 'device_id, status, wave, code, asked_at, ended_at',
  more: `(SELECT d.device_key FROM devices d
          WHERE d.workspace_id = $1 AND d.id = seen.device_id) AS device_key`,
  table: 'rotation_campaign_devices',
  partOf: 'campaign_id',
  order: { column: 'device_id', type: 'uuid', isUpwards: true },
  fields: {
    device_id: { sql: 'device_id' },
    status: { sql: 'status', isIndexed: true },
    code: { sql: 'code', isIndexed: true, indexHas: 'code IS NOT NULL' },
    asked_at: { sql: 'asked_at' },
    ended_at: { sql: 'ended_at' },
  },
})

const forget = sql(
  'rotation_campaign_devices.forget',
  `DELETE FROM rotation_campaign_devices
   WHERE workspace_id = $workspaceId AND campaign_id = $campaignId AND device_id = ANY (ARRAY(
     SELECT device_id FROM rotation_campaign_devices
     WHERE workspace_id = $workspaceId AND campaign_id = $campaignId LIMIT $limit))
   RETURNING 1 AS gone`,
)

/** @returns the number of devices new to the campaign */
export const insertDevices = async (
  db: Db,
  { workspace_id, id }: Named,
  deviceIds: readonly string[],
): Promise<number> =>
  (await insert.rows(db, { workspaceId: workspace_id, campaignId: id, deviceIds })).length

export type DueDevice = RowOf<typeof lockDueDevices>

export type Tracked = RowOf<typeof track>

/** Checks the next devices that were asked and stores their state. */
export const trackDevices = (
  db: Db,
  campaign: Named & { confirm_within_s: number },
  after: string | null,
  limit: number,
): Promise<Tracked[]> => {
  const { workspace_id, id, confirm_within_s } = campaign
  return track.rows(db, {
    workspaceId: workspace_id,
    campaignId: id,
    confirmSeconds: confirm_within_s,
    after,
    limit,
  })
}

/** From a wave on: how many devices failed, and how many failed or confirmed. */
export async function outcomeOf(
  db: Db,
  { workspace_id, id, judged_from }: Named & { judged_from: number },
): Promise<{ failed: number; ended: number }> {
  const row = await outcome.first(db, {
    workspaceId: workspace_id,
    campaignId: id,
    wave: judged_from,
  })
  return row ?? { failed: 0, ended: 0 }
}

export interface CampaignDeviceRow {
  device_id: string
  device_key: string | null
  status: CampaignDeviceStatus
  wave: number | null
  code: 'device_not_found' | 'invalid_transition' | 'not_confirmed' | null
  asked_at: number | null
  ended_at: number | null
}

/** Deletes some devices of a campaign. @returns their number */
export const deleteDevices = async (
  db: Db,
  { workspace_id, id }: Named,
  limit: number,
): Promise<number> =>
  (await forget.rows(db, { workspaceId: workspace_id, campaignId: id, limit })).length
