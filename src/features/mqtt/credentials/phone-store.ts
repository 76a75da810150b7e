/** The query behind the CONNECT of a phone: its login and the devices its identity has claimed. */
import { type RowOf, sql } from '../../../platform/database/sql.ts'

/** Devices that one login covers at most: the most recently claimed ones. */
export const MAX_DEVICES = 100

export interface HeldDevice {
  id: string
  device_key: string
  /** Whether the device itself may connect. */
  serves: boolean
}

export type PhoneRow = RowOf<typeof findPhone>

/**
 * SQL of the devices that an identity has claimed in a workspace, as a JSON list.
 * @param moid SQL of the identity's UUID
 * @param workspace SQL of the workspace's
 */
const heldDevices = (moid: string, workspace: string): string =>
  `(SELECT json_agg(json_build_object(
             'id', d.id, 'device_key', d.device_key,
             'serves', d.status IN ('registered', 'active') AND d.approval = 'approved')
             ORDER BY d.id)
    FROM (SELECT c.device_id FROM claims c
          WHERE c.moid_id = ${moid} AND c.status = 'bound' AND c.workspace_id = ${workspace}
          ORDER BY c.id DESC LIMIT ${MAX_DEVICES}) AS held
    JOIN devices d ON d.workspace_id = ${workspace} AND d.id = held.device_id)`

export const findPhone = sql(
  'mqtt_credentials.by_phone',
  `SELECT l.workspace_id, l.id, l.moid_id, l.session_id, w.slug,
          least(l.expires_at, s.expires_at) AS expires_at!,
          encode(l.hash, 'base64') AS hash!,
          w.status AS workspace_status,
          coalesce(s.ended_at IS NULL AND s.expires_at > now(), false) AS session_lives!,
          ${heldDevices('l.moid_id', 'l.workspace_id')} AS devices
   FROM moid_mqtt_logins l
   JOIN workspaces w ON w.id = l.workspace_id
   LEFT JOIN moid_sessions s ON s.id = l.session_id
   WHERE l.id = $id`,
)
