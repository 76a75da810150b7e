/** Queries on the secrets of principals, which have the same lifecycle as those of devices. */
import { type Db, statement } from '../../../platform/database/connect.ts'

/** Pending generations that are valid at once, as for devices. */
const PENDING_GENERATIONS = 32

const replaceAll = statement(
  'mqtt_principal_secrets.replace',
  `WITH principal AS (
     UPDATE mqtt_principals
     SET secret_generation = secret_generation + 1, revision = revision + 1, updated_at = now()
     WHERE workspace_id = $1 AND id = $2
     RETURNING secret_generation AS generation
   ), old AS (
     DELETE FROM mqtt_principal_secrets s USING principal
     WHERE s.workspace_id = $1 AND s.principal_id = $2
   )
   INSERT INTO mqtt_principal_secrets (workspace_id, principal_id, generation, hash)
   SELECT $1, $2, principal.generation, $3 FROM principal
   RETURNING generation`,
)
const addPending = statement(
  'mqtt_principal_secrets.add_pending',
  `WITH principal AS (
     UPDATE mqtt_principals
     SET secret_generation = secret_generation + 1, revision = revision + 1, updated_at = now()
     WHERE workspace_id = $1 AND id = $2
     RETURNING secret_generation AS generation, rotation_overlap_s
   ), outdated AS (
     DELETE FROM mqtt_principal_secrets s USING principal
     WHERE s.workspace_id = $1 AND s.principal_id = $2 AND s.expires_at IS NOT NULL
       AND (s.generation <= principal.generation - ${PENDING_GENERATIONS}
            OR s.expires_at <= now())
   )
   INSERT INTO mqtt_principal_secrets (workspace_id, principal_id, generation, hash, expires_at)
   SELECT $1, $2, principal.generation, $3,
          now() + make_interval(secs => principal.rotation_overlap_s)
   FROM principal
   RETURNING expires_at`,
)
// As for devices: locks all secrets in one order, so that concurrent confirmations cannot deadlock.
const confirm = statement(
  'mqtt_principal_secrets.confirm',
  `WITH held AS (
     SELECT generation FROM mqtt_principal_secrets
     WHERE workspace_id = $1 AND principal_id = $2 AND generation <= $3
     ORDER BY generation FOR UPDATE
   ), confirmed AS (
     UPDATE mqtt_principal_secrets SET expires_at = NULL
     WHERE workspace_id = $1 AND principal_id = $2 AND expires_at > now()
       AND generation = (SELECT max(generation) FROM held WHERE generation = $3)
     RETURNING generation
   ), told AS (
     INSERT INTO changes (kind, ref) SELECT 'mqtt-principal', $2::uuid FROM confirmed
   ), dead AS (
     DELETE FROM mqtt_principal_secrets s USING confirmed
     WHERE s.workspace_id = $1 AND s.principal_id = $2 AND s.generation < confirmed.generation
   )
   SELECT generation FROM confirmed`,
)
const insert = statement(
  'mqtt_principal_secrets.insert',
  `INSERT INTO mqtt_principal_secrets (workspace_id, principal_id, generation, hash)
   VALUES ($1, $2, 1, $3)`,
)

/** The first secret, confirmed. */
export async function insertFirstSecret(
  db: Db,
  workspaceId: string,
  principalId: string,
  hash: Buffer,
): Promise<void> {
  await db.query(insert, [workspaceId, principalId, hash])
}

/** Replaces all secrets by a confirmed one. */
export async function replaceAllSecrets(
  db: Db,
  workspaceId: string,
  principalId: string,
  hash: Buffer,
): Promise<void> {
  await db.query(replaceAll, [workspaceId, principalId, hash])
}

/** Adds a pending secret. @returns its expiry, in milliseconds since the epoch */
export async function addPendingSecret(
  db: Db,
  workspaceId: string,
  principalId: string,
  hash: Buffer,
): Promise<number> {
  const values = [workspaceId, principalId, hash]
  const [row] = await db.query<{ expires_at: number }>(addPending, values)
  return (row as { expires_at: number }).expires_at
}

/** Confirms a pending secret and deletes older ones. @returns whether it was still pending */
export async function confirmSecret(
  db: Db,
  workspaceId: string,
  principalId: string,
  generation: number,
): Promise<boolean> {
  return (await db.query(confirm, [workspaceId, principalId, generation])).length > 0
}
