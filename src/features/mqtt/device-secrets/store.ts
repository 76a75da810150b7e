/** Queries on device secrets. */
import { type Db, statement } from '../../../platform/database/connect.ts'

const replaceAll = statement(
  'device_secrets.replace',
  `WITH device AS (
     UPDATE devices SET secret_generation = secret_generation + 1
     WHERE workspace_id = $1 AND id = $2
     RETURNING secret_generation AS generation
   ), old AS (
     DELETE FROM device_secrets USING device WHERE workspace_id = $1 AND device_id = $2
   ), told AS (
     INSERT INTO changes (kind, ref) VALUES ('device', $2)
   ), forgotten AS (
     DELETE FROM registration_answers WHERE workspace_id = $1 AND device_id = $2
   )
   INSERT INTO device_secrets (workspace_id, device_id, kind, generation, hash)
   SELECT $1, $2, secret.kind, device.generation, secret.hash
   FROM device, (VALUES ('mqtt', $3::bytea), ('http', $4::bytea)) AS secret (kind, hash)
   RETURNING generation`,
)
const destroyAll = statement(
  'device_secrets.destroy',
  `WITH forgotten AS (
     DELETE FROM registration_answers WHERE workspace_id = $1 AND device_id = ANY($2::uuid[])
   )
   DELETE FROM device_secrets WHERE workspace_id = $1 AND device_id = ANY($2::uuid[])`,
)
// Locks all secrets of the device in one order: two concurrent confirmations would otherwise
// deadlock deleting each other.
const confirm = statement(
  'device_secrets.confirm',
  `WITH held AS (
     SELECT generation FROM device_secrets
     WHERE workspace_id = $1 AND device_id = $2 AND kind = $3 AND generation <= $4
     ORDER BY generation FOR UPDATE
   ), confirmed AS (
     UPDATE device_secrets SET expires_at = NULL, is_used = true
     WHERE workspace_id = $1 AND device_id = $2 AND kind = $3 AND expires_at > now()
       AND generation = (SELECT max(generation) FROM held WHERE generation = $4)
     RETURNING generation
   ), told AS (
     INSERT INTO changes (kind, ref) SELECT 'device', $2::uuid FROM confirmed
   ), dead AS (
     DELETE FROM device_secrets s USING confirmed
     WHERE s.workspace_id = $1 AND s.device_id = $2 AND s.kind = $3
       AND s.generation < confirmed.generation
   )
   SELECT generation FROM confirmed`,
)
// Rows are locked in a fixed order, to avoid deadlocks between processes.
const markUsed = statement(
  'device_secrets.mark_used',
  `WITH presented AS (
     SELECT s.workspace_id, s.device_id, s.kind, s.generation
     FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::int[])
       AS t (workspace_id, device_id, kind, generation)
     JOIN device_secrets s USING (workspace_id, device_id, kind, generation)
     WHERE NOT s.is_used
     ORDER BY s.workspace_id, s.device_id, s.kind, s.generation FOR UPDATE OF s
   )
   UPDATE device_secrets s SET is_used = true FROM presented p
   WHERE s.workspace_id = p.workspace_id AND s.device_id = p.device_id AND s.kind = p.kind
     AND s.generation = p.generation`,
)
// Both of the generation: a response contains the password and the token. What was issued before a
// claim may be known to whoever had the device before. A broker that keeps passwords itself does
// not tell which one was presented: there the first counts as used once the device is active.
const areUnused = statement(
  'device_secrets.are_unused',
  `SELECT count(*) = 2 AND bool_and(
            NOT s.is_used AND (s.expires_at IS NULL OR s.expires_at > now())
            AND (d.claimed_at IS NULL OR d.claimed_at < s.created_at)
            AND (s.generation > 1 OR d.status = 'registered')) AS unused
   FROM device_secrets token
   JOIN device_secrets s ON s.workspace_id = token.workspace_id
     AND s.device_id = token.device_id AND s.generation = token.generation
   JOIN devices d ON d.workspace_id = token.workspace_id AND d.id = token.device_id
   WHERE token.kind = 'http' AND token.hash = $1`,
)
const byHttpHash = statement(
  'device_secrets.by_http_hash',
  `SELECT s.workspace_id, s.device_id, s.generation, s.expires_at, s.is_used,
          d.status,
          d.approval = 'approved' AS is_approved
   FROM device_secrets s
   JOIN devices d ON d.workspace_id = s.workspace_id AND d.id = s.device_id
   JOIN workspaces w ON w.id = s.workspace_id
   WHERE s.kind = 'http' AND s.hash = $1 AND w.status = 'active'
     AND (s.expires_at IS NULL OR s.expires_at > now())`,
)

export interface HashedSecrets {
  mqttHash: Buffer
  httpHash: Buffer
}

/** Replaces all secrets by a confirmed one. @returns its generation */
export async function replaceAllSecrets(
  db: Db,
  workspaceId: string,
  deviceId: string,
  secrets: HashedSecrets,
): Promise<number | undefined> {
  const values = [workspaceId, deviceId, secrets.mqttHash, secrets.httpHash]
  return (await db.query<{ generation: number }>(replaceAll, values))[0]?.generation
}

/** Removes all secrets of the devices; the caller announces the change. */
export async function destroyDeviceSecrets(
  db: Db,
  workspaceId: string,
  deviceIds: readonly string[],
): Promise<void> {
  await db.query(destroyAll, [workspaceId, deviceIds])
}

/** Confirms a pending secret and deletes older ones. @returns whether it was still pending */
export async function confirmSecret(
  db: Db,
  workspaceId: string,
  deviceId: string,
  kind: 'mqtt' | 'http',
  generation: number,
): Promise<boolean> {
  return (await db.query(confirm, [workspaceId, deviceId, kind, generation])).length > 0
}

export interface SecretName {
  workspaceId: string
  deviceId: string
  kind: 'mqtt' | 'http'
  generation: number
}

/** Marks secrets that were presented. */
export async function markSecretsUsed(db: Db, secrets: readonly SecretName[]): Promise<void> {
  await db.query(markUsed, [
    secrets.map(({ workspaceId }) => workspaceId),
    secrets.map(({ deviceId }) => deviceId),
    secrets.map(({ kind }) => kind),
    secrets.map(({ generation }) => generation),
  ])
}

/** Whether both secrets of the generation with this token are valid and were never presented. */
export async function areSecretsUnused(db: Db, httpHash: Buffer): Promise<boolean> {
  const [row] = await db.query<{ unused: boolean | null }>(areUnused, [httpHash])
  return row?.unused === true
}

export interface HttpSecretRow {
  workspace_id: string
  device_id: string
  generation: number
  expires_at: number | null
  is_used: boolean
  status: string
  is_approved: boolean
}

export async function findHttpSecret(db: Db, hash: Buffer): Promise<HttpSecretRow | undefined> {
  return (await db.query<HttpSecretRow>(byHttpHash, [hash]))[0]
}
