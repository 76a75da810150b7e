/** Queries on API keys. */
import { type RowOf, sql } from '../../../platform/database/sql.ts'
import { filteredList } from '../../../platform/database/filtered-list.ts'

const columns = `workspace_id, id, kind, name, hint, template_ids, actions, allowed_cidrs,
  rate_per_min, device_quota, registered, on_known_device, approval, created_by, created_at, expires_at, revoked_at,
  last_used_at, last_used_ip, revision`

export const insertApiKey = sql('api_keys.insert')`
  INSERT INTO api_keys (workspace_id, id, kind, name, hash, hint, template_ids, actions,
                        allowed_cidrs, rate_per_min, device_quota, expires_at, created_by,
                        on_known_device, approval)
  VALUES ($workspaceId, $id, $kind, $name, $hash, $hint, $templateIds?, $actions, $allowedCidrs?,
    $ratePerMin?, $deviceQuota?, $expiresAt?, $createdBy, $onKnownDevice, $approval)
  RETURNING ${columns}`
export type ApiKeyRow = RowOf<typeof insertApiKey>
export const pageOfApiKeys = filteredList('api_keys.filtered', {
  columns,
  table: 'api_keys',
  fields: {
    key_kind: { sql: 'kind' },
    name: { sql: 'name' },
    created_by: { sql: 'created_by' },
    status: {
      sql: `CASE WHEN revoked_at IS NOT NULL THEN 'revoked'
                 WHEN expires_at <= now() THEN 'expired' ELSE 'active' END`,
    },
    created_at: { sql: 'created_at', isTimeOfId: true },
  },
})
export const findApiKey = sql('api_keys.by_id')`
  SELECT ${columns} FROM api_keys WHERE workspace_id = $workspaceId AND id = $id`
export const lockApiKey = sql('api_keys.lock')`${findApiKey.source} FOR UPDATE`
// Registrations without a quota are not counted: a new quota starts at zero.
export const updateKey = sql('api_keys.update')`
  UPDATE api_keys
  SET name = $name, template_ids = $template_ids?, actions = $actions,
      allowed_cidrs = $allowed_cidrs?, rate_per_min = $rate_per_min?,
      device_quota = $device_quota?, expires_at = $expires_at?,
      on_known_device = $on_known_device, approval = $approval,
      registered = CASE WHEN device_quota IS NULL THEN 0 ELSE registered END,
      revision = revision + 1, updated_at = now()
  WHERE workspace_id = $workspaceId AND id = $id RETURNING ${columns}`
export const countLiveKeys = sql('api_keys.count_live')`
  SELECT count(*) AS live FROM api_keys WHERE workspace_id = $workspaceId AND revoked_at IS NULL`
/** Templates of the list that exist in the workspace. */
export const findKnownTemplates = sql('api_keys.known_templates')`
  SELECT id FROM device_templates WHERE workspace_id = $workspaceId AND id = ANY($ids::uuid[])`
/** The key with this hash, if it is not revoked and its workspace is active. */
export const findLiveKey = sql('api_keys.by_hash')`
  SELECT k.workspace_id, k.id, k.kind, k.template_ids, k.actions, k.allowed_cidrs,
         k.rate_per_min, k.device_quota, k.expires_at, k.on_known_device, k.approval, w.slug
  FROM api_keys k JOIN workspaces w ON w.id = k.workspace_id
  WHERE k.hash = $hash AND k.revoked_at IS NULL AND w.status = 'active'`
export type LiveKeyRow = RowOf<typeof findLiveKey>
// Rows are locked in a fixed order, to avoid deadlocks between processes.
export const writeKeyUses = sql('api_keys.touch')`
  WITH used AS (
    SELECT k.workspace_id, k.id, to_timestamp(u.at / 1000.0) AS at, u.ip
    FROM unnest($workspaceId::uuid[], $keyId::uuid[], $at::float8[],
      $address::text[]) AS u (workspace_id, id, at, ip)
    JOIN api_keys k ON k.workspace_id = u.workspace_id AND k.id = u.id
    ORDER BY k.workspace_id, k.id FOR NO KEY UPDATE OF k
  )
  UPDATE api_keys k SET last_used_at = used.at, last_used_ip = used.ip
  FROM used WHERE k.workspace_id = used.workspace_id AND k.id = used.id
    AND (k.last_used_at IS NULL OR k.last_used_at < used.at)`

export interface KeyUse {
  workspaceId: string
  keyId: string
  /** Milliseconds since the epoch. */
  at: number
  address: string
}
