/** Queries on the devices of rotation campaigns. */
import type { RowOfList } from '../../../platform/database/filtered-list.ts'
import { sql } from '../../../platform/database/sql.ts'
import { itemList } from '../device-work/work-statements.ts'
import { itemTables } from './store.ts'

/** Stores which devices were asked, and why others could not be. The devices are locked. */
export const markAsked = sql('rotation_campaign_devices.notify')`
  UPDATE rotation_campaign_devices c
  SET status = CASE WHEN r.code IS NULL THEN 'waiting' ELSE 'failed' END, wave = $wave,
      code = r.code,
      asked_at = CASE WHEN r.code IS NULL THEN now() END,
      asked_generation = CASE WHEN r.code IS NULL THEN d.secret_generation END,
      ended_at = CASE WHEN r.code IS NOT NULL THEN now() END
  FROM unnest($deviceId::uuid[], $code::text[]) AS r (device_id, code)
  LEFT JOIN devices d ON d.workspace_id = $workspaceId AND d.id = r.device_id
  WHERE c.workspace_id = $workspaceId AND c.campaign_id = $id AND c.device_id = r.device_id`
// A new secret has a later generation than when the device was asked: pending until used, then
// confirmed. A device that has one has been in contact, whatever presence says. A broker that keeps
// passwords replaces the old one and reports no use: that the device connected again there has to
// do. Presence that came over a bridge has the name of the broker as its address.
/** Checks the next devices that were asked and stores their state. */
export const trackDevices = sql('rotation_campaign_devices.track')`
  WITH open AS (
    SELECT device_id, status, asked_at, asked_generation, online_at,
           ended_at IS NOT NULL AS is_settled
    FROM rotation_campaign_devices
    WHERE workspace_id = $workspaceId AND campaign_id = $id
      AND status IN ('waiting', 'notified', 'rotated')
      AND ($after?::uuid IS NULL OR device_id > $after)
    ORDER BY device_id LIMIT $limit
  ), fresh AS (
    SELECT s.device_id, bool_or(s.expires_at IS NULL) AS is_used, max(s.created_at) AS at
    FROM open JOIN device_secrets s ON s.workspace_id = $workspaceId
      AND s.device_id = open.device_id
    WHERE s.generation > open.asked_generation AND (s.expires_at IS NULL OR s.expires_at > now())
    GROUP BY s.device_id
  ), seen AS (
    SELECT open.*, fresh.is_used,
           coalesce(p.connected_at > fresh.at AND p.address = ANY ($storingBrokers::text[]),
                    false) AS is_back,
           d.id IS NULL AS is_gone, d.status = 'decommissioned' AS is_over,
           coalesce(open.online_at, CASE
             WHEN p.connected OR p.last_seen_at > open.asked_at OR fresh.device_id IS NOT NULL
             THEN now() END) AS since
    FROM open
    LEFT JOIN fresh ON fresh.device_id = open.device_id
    LEFT JOIN devices d ON d.workspace_id = $workspaceId AND d.id = open.device_id
    LEFT JOIN device_presence p ON p.workspace_id = $workspaceId AND p.device_id = open.device_id
  ), timed AS (
    SELECT seen.*, is_late, is_settled OR is_late AND is_back AS settles
    FROM seen, LATERAL (SELECT since + make_interval(secs => $confirmSeconds) <= now()) l (is_late)
  ), evaluated AS (
    SELECT device_id, status AS was, since, is_settled, settles, CASE
      WHEN is_used THEN 'confirmed'
      WHEN is_gone OR is_over THEN 'failed'
      WHEN settles THEN 'rotated'
      WHEN is_late THEN 'failed'
      WHEN is_used IS NOT NULL THEN 'rotated'
      WHEN since IS NOT NULL THEN 'notified'
      ELSE 'waiting' END AS becomes!, CASE
      WHEN is_gone THEN 'device_not_found'
      WHEN is_over THEN 'invalid_transition'
      ELSE 'not_confirmed' END AS reason
    FROM timed
  ), changed AS (
    UPDATE rotation_campaign_devices c
    SET status = j.becomes, online_at = j.since,
        code = CASE WHEN j.becomes = 'failed' THEN j.reason END,
        ended_at = CASE WHEN j.becomes IN ('confirmed', 'failed') OR j.settles THEN now() END
    FROM evaluated j
    WHERE c.workspace_id = $workspaceId AND c.campaign_id = $id
      AND c.device_id = j.device_id
      AND (j.becomes <> j.was OR j.settles AND NOT j.is_settled)
  )
  SELECT device_id AS id, was, becomes AS becomes! FROM evaluated ORDER BY device_id`
// A device that was offline the whole time does not prolong a wave.
/** Whether a device of the wave may still confirm or fail in time. */
export const isWaveOpen = sql('rotation_campaign_devices.is_open')`
  SELECT FROM rotation_campaign_devices
  WHERE workspace_id = $workspaceId AND campaign_id = $id AND wave = $wave
    AND (status = 'notified' OR status = 'rotated' AND ended_at IS NULL
         OR status = 'waiting' AND asked_at + make_interval(secs => $seconds) > now())
  LIMIT 1`
/** From a wave on: how many devices failed, and how many have ended. */
export const outcomeOf = sql('rotation_campaign_devices.outcome')`
  SELECT count(*) FILTER (WHERE status = 'failed') AS failed, count(*) AS ended
  FROM rotation_campaign_devices
  WHERE workspace_id = $workspaceId AND campaign_id = $id
    AND ended_at IS NOT NULL AND wave >= $wave`
export const pageOfDevices = itemList(
  'rotation_campaign_devices.filtered',
  itemTables,
  'wave, asked_at, online_at',
  { asked_at: { sql: 'asked_at' } },
)

export type CampaignDeviceRow = RowOfList<typeof pageOfDevices>
