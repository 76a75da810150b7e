/** Queries on device secrets. */
import type { Db } from '../../../platform/database/connect.ts'
import { columnsOf, sql, unnested, withUnseenArrays } from '../../../platform/database/sql.ts'
import { secretConfirmation, secretsInsert } from './secret-statements.ts'

/** Adds a confirmed secret of each kind, in a new generation, after a reset. */
export const issueSecrets = sql('device_secrets.issue')`
  WITH device AS (
    UPDATE devices SET secret_generation = secret_generation + 1
    WHERE workspace_id = $workspaceId AND id = $deviceId
    RETURNING secret_generation AS generation
  )
  ${secretsInsert({
    from: 'device',
    device: '$deviceId',
    generation: 'device.generation',
    mqttHash: '$mqttHash::bytea',
    httpHash: '$httpHash::bytea',
    issuedBy: 'reset',
  })}`
/** Removes all secrets of the devices; the caller announces the change. */
export const destroyDeviceSecrets = sql('device_secrets.destroy')`
  WITH deleted AS (
    DELETE FROM registration_answers WHERE workspace_id = $workspaceId
      AND device_id = ANY($deviceIds::uuid[])
  )
  DELETE FROM device_secrets WHERE workspace_id = $workspaceId
    AND device_id = ANY($deviceIds::uuid[])`
/** @returns whether it was still pending */
export const confirmSecret = sql('device_secrets.confirm')`
  ${secretConfirmation({
    table: 'device_secrets',
    own: 'workspace_id = $workspaceId AND device_id = $ref AND kind = $kind',
    also: ', is_used = true, confirmed_at = now()',
    change: 'device',
  })}`
// Rows are locked in a fixed order, to avoid deadlocks between processes. A pending secret that was
// presented in vain is not confirmed.
const markUsed = sql('device_secrets.mark_used', withUnseenArrays)`
  WITH presented AS (
    SELECT s.workspace_id, s.device_id, s.kind, s.generation
    FROM ${unnested('t', 'workspaceId uuid, deviceId uuid, kind text, generation int')}
    JOIN device_secrets s USING (workspace_id, device_id, kind, generation)
    WHERE NOT s.is_used
    ORDER BY s.workspace_id, s.device_id, s.kind, s.generation FOR UPDATE OF s
  )
  UPDATE device_secrets s
  SET is_used = true, confirmed_at = CASE WHEN s.expires_at IS NULL THEN now() END
  FROM presented p
  WHERE s.workspace_id = p.workspace_id AND s.device_id = p.device_id AND s.kind = p.kind
    AND s.generation = p.generation`
/** The valid secrets, the newest first, without their hashes. */
export const findValidSecrets = sql('device_secrets.valid')`
  SELECT kind, generation, issued_by, created_at, confirmed_at, expires_at FROM device_secrets
  WHERE workspace_id = $workspaceId AND device_id = $deviceId
    AND (expires_at IS NULL OR expires_at > now())
  ORDER BY generation DESC, kind`
// Both of the generation: a response contains the password and the token. A secret issued before a
// claim may be known to the previous owner of the device. A broker that keeps passwords itself does
// not report which one was presented: there the first counts as used once the device is active.
const areUnused = sql('device_secrets.are_unused')`
  SELECT count(*) = 2 AND bool_and(
           NOT s.is_used AND (s.expires_at IS NULL OR s.expires_at > now())
           AND (d.claimed_at IS NULL OR d.claimed_at < s.created_at)
           AND (s.generation > 1 OR d.status = 'registered')) AS unused
  FROM device_secrets token
  JOIN device_secrets s ON s.workspace_id = token.workspace_id
    AND s.device_id = token.device_id AND s.generation = token.generation
  JOIN devices d ON d.workspace_id = token.workspace_id AND d.id = token.device_id
  WHERE token.kind = 'http' AND token.hash = $hash`
export const findHttpSecret = sql('device_secrets.by_http_hash')`
  SELECT s.workspace_id, s.device_id, s.generation, s.expires_at, s.is_used,
         d.status,
         d.approval = 'approved' AS is_approved!
  FROM device_secrets s
  JOIN devices d ON d.workspace_id = s.workspace_id AND d.id = s.device_id
  JOIN workspaces w ON w.id = s.workspace_id
  WHERE s.kind = 'http' AND s.hash = $hash AND w.status = 'active'
    AND (s.expires_at IS NULL OR s.expires_at > now())`

export interface HashedSecrets {
  mqttHash: Buffer
  httpHash: Buffer
}

export interface SecretName {
  workspaceId: string
  deviceId: string
  kind: 'mqtt' | 'http'
  generation: number
}

/** Marks secrets that were presented. */
export async function markSecretsUsed(db: Db, secrets: readonly SecretName[]): Promise<void> {
  await markUsed.run(db, columnsOf(secrets))
}

/** Whether both secrets of the generation with this token are valid and were never presented. */
export async function areSecretsUnused(db: Db, httpHash: Buffer): Promise<boolean> {
  const row = await areUnused.first(db, { hash: httpHash })
  return row?.unused === true
}
