/** Queries on the secrets of principals, which have the same lifecycle as those of devices. */
import type { Db } from '../../../platform/database/connect.ts'
import { sql } from '../../../platform/database/sql.ts'

/** Pending generations that are valid at once, as for devices. */
const PENDING_GENERATIONS = 32

/** Replaces all secrets by a confirmed one. */
export const replaceAllSecrets = sql(
  'mqtt_principal_secrets.replace',
  `WITH principal AS (
     UPDATE mqtt_principals
     SET secret_generation = secret_generation + 1, revision = revision + 1, updated_at = now()
     WHERE workspace_id = $workspaceId AND id = $principalId
     RETURNING secret_generation AS generation
   ), old AS (
     DELETE FROM mqtt_principal_secrets s USING principal
     WHERE s.workspace_id = $workspaceId AND s.principal_id = $principalId
   )
   INSERT INTO mqtt_principal_secrets (workspace_id, principal_id, generation, hash)
   SELECT $workspaceId, $principalId, principal.generation, $hash FROM principal
   RETURNING generation`,
)
const addPending = sql(
  'mqtt_principal_secrets.add_pending',
  `WITH principal AS (
     UPDATE mqtt_principals
     SET secret_generation = secret_generation + 1, revision = revision + 1, updated_at = now()
     WHERE workspace_id = $workspaceId AND id = $principalId
     RETURNING secret_generation AS generation, rotation_overlap_s
   ), outdated AS (
     DELETE FROM mqtt_principal_secrets s USING principal
     WHERE s.workspace_id = $workspaceId AND s.principal_id = $principalId
       AND s.expires_at IS NOT NULL
       AND (s.generation <= principal.generation - ${PENDING_GENERATIONS}
            OR s.expires_at <= now())
   )
   INSERT INTO mqtt_principal_secrets (workspace_id, principal_id, generation, hash, expires_at)
   SELECT $workspaceId, $principalId, principal.generation, $hash,
          now() + make_interval(secs => principal.rotation_overlap_s)
   FROM principal
   RETURNING expires_at`,
)
// As for devices: locks all secrets in one order, so that concurrent confirmations cannot deadlock.
/** Confirms a pending secret and deletes older ones. @returns whether it was still pending */
export const confirmSecret = sql(
  'mqtt_principal_secrets.confirm',
  `WITH held AS (
     SELECT generation FROM mqtt_principal_secrets
     WHERE workspace_id = $workspaceId AND principal_id = $ref AND generation <= $generation
     ORDER BY generation FOR UPDATE
   ), confirmed AS (
     UPDATE mqtt_principal_secrets SET expires_at = NULL
     WHERE workspace_id = $workspaceId AND principal_id = $ref AND expires_at > now()
       AND generation = (SELECT max(generation) FROM held WHERE generation = $generation)
     RETURNING generation
   ), told AS (
     INSERT INTO changes (kind, ref) SELECT 'mqtt-principal', $ref::uuid FROM confirmed
   ), dead AS (
     DELETE FROM mqtt_principal_secrets s USING confirmed
     WHERE s.workspace_id = $workspaceId AND s.principal_id = $ref
       AND s.generation < confirmed.generation
   )
   SELECT generation FROM confirmed`,
)
/** The first secret, confirmed. */
export const insertFirstSecret = sql(
  'mqtt_principal_secrets.insert',
  `INSERT INTO mqtt_principal_secrets (workspace_id, principal_id, generation, hash)
   VALUES ($workspaceId, $principalId, 1, $hash)`,
)

/** Adds a pending secret. @returns its expiry, in milliseconds since the epoch */
export async function addPendingSecret(
  db: Db,
  workspaceId: string,
  principalId: string,
  hash: Buffer,
): Promise<number> {
  const row = await addPending.first(db, { workspaceId, principalId, hash })
  return (row as { expires_at: number }).expires_at
}
