/** Queries on the calling device. */
import { sql } from '../../../platform/database/sql.ts'

export const findDevice = sql('device_auth.device')`
  SELECT d.workspace_id, d.id AS device_id, d.device_key, w.slug AS workspace_slug, d.name,
         d.template_id, d.status, d.approval, d.is_claimed AS claimed!, d.claimed_at, d.tags,
         EXISTS (SELECT FROM device_secrets s
                 WHERE s.workspace_id = d.workspace_id AND s.device_id = d.id
                   AND s.expires_at IS NULL AND s.created_at < greatest(d.released_at,
                   d.rotation_asked_at)) AS rotation_due!
  FROM devices d JOIN workspaces w ON w.id = d.workspace_id
  WHERE d.workspace_id = $workspaceId AND d.id = $deviceId`
