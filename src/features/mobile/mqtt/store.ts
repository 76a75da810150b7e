/** Queries on phones' MQTT logins. */
import { type RowOf, sql } from '../../../platform/database/sql.ts'

/** Serializes an identity's transactions that count logins. @returns whether it exists */
export const lockMoid = sql('moid_mqtt_logins.lock_moid')`
  SELECT FROM moids WHERE id = $moidId FOR NO KEY UPDATE`
/** Devices of an identity in a workspace, most recently claimed first. */
export const findHeldDevices = sql('moid_mqtt_logins.held_devices')`
  SELECT d.id, d.device_key, w.slug,
         d.status IN ('registered', 'active') AND d.approval = 'approved' AS serves!
  FROM claims c
  JOIN workspaces w ON w.id = c.workspace_id AND w.status = 'active'
  JOIN devices d ON d.workspace_id = c.workspace_id AND d.id = c.device_id
  WHERE c.moid_id = $moidId AND c.workspace_id = $workspaceId AND c.status = 'bound'
  ORDER BY c.id DESC LIMIT $limit`
// No login outlives its session: a refresh only moves the end of a session on, and a session that
// is ended before that is announced.
export const insertLogin = sql('moid_mqtt_logins.insert')`
  INSERT INTO moid_mqtt_logins (workspace_id, id, moid_id, session_id, hash, expires_at)
  VALUES ($workspaceId, $id, $moidId, $sessionId, $hash,
          least(now() + make_interval(secs => $lifetimeSeconds),
                (SELECT s.expires_at FROM moid_sessions s WHERE s.id = $sessionId)))
  RETURNING expires_at`
/** Deletes all but the newest of an identity in a workspace: the new one is among those kept. */
export const deleteOldest = sql('moid_mqtt_logins.remove_oldest')`
  DELETE FROM moid_mqtt_logins l
  USING (SELECT o.workspace_id, o.id FROM moid_mqtt_logins o
         WHERE o.moid_id = $moidId AND o.workspace_id = $workspaceId AND o.expires_at > now()
         ORDER BY o.created_at DESC, o.id DESC OFFSET $kept) AS old
  WHERE l.workspace_id = old.workspace_id AND l.id = old.id RETURNING l.workspace_id, l.id`
/** @returns the deleted ones */
export const deleteExpired = sql('moid_mqtt_logins.remove_expired')`
  DELETE FROM moid_mqtt_logins WHERE (workspace_id, id) IN (
    SELECT workspace_id, id FROM moid_mqtt_logins
    WHERE expires_at < now() - interval '10 seconds' ORDER BY expires_at
    LIMIT $limit FOR UPDATE SKIP LOCKED)
  RETURNING workspace_id, id`

export type HeldDevice = RowOf<typeof findHeldDevices>
