/** Queries on MQTT principals. */
import { type RowOf, sql } from '../../../platform/database/sql.ts'
import { filteredList } from '../../../platform/database/filtered-list.ts'
import { isOutdatedBy, secretConfirmation } from '../device-secrets/secret-statements.ts'

export type PrincipalRow = RowOf<typeof insertPrincipal>

const columns = `workspace_id, id, name, description, status, expires_at, rotation_overlap_s,
  last_connected_at, created_by, created_at, updated_at, revision`

export const countPrincipals = sql('mqtt_principals.count')`
  SELECT count(*) AS principals FROM mqtt_principals WHERE workspace_id = $workspaceId`
/** The slug, fixed until the transaction ends. */
export const slugOf = sql('mqtt_principals.home')`
  SELECT slug FROM workspaces WHERE id = $id FOR KEY SHARE`
export const insertPrincipal = sql('mqtt_principals.insert')`
  INSERT INTO mqtt_principals
    (workspace_id, id, name, description, expires_at, rotation_overlap_s, created_by)
  VALUES ($workspaceId, $id, $name, $description, $expiresAt?, $rotationOverlapS, $createdBy)
  RETURNING ${columns}`
export const pageOfPrincipals = filteredList('mqtt_principals.filtered', {
  columns,
  table: 'mqtt_principals',
  fields: {
    name: { sql: 'name' },
    created_by: { sql: 'created_by' },
    status: {
      sql: `CASE WHEN status = 'active' AND expires_at <= now() THEN 'expired' ELSE status END`,
    },
    expires_at: { sql: 'expires_at' },
    last_connected_at: { sql: 'last_connected_at' },
    created_at: { sql: 'created_at', isTimeOfId: true },
  },
})
export const findPrincipal = sql('mqtt_principals.by_id')`
  SELECT ${columns} FROM mqtt_principals WHERE workspace_id = $workspaceId AND id = $id`
export const lockPrincipal = sql('mqtt_principals.lock')`${findPrincipal.source} FOR UPDATE`
export const updatePrincipal = sql('mqtt_principals.update')`
  UPDATE mqtt_principals
  SET name = $name, description = $description, expires_at = $expiresAt?,
    rotation_overlap_s = $rotationOverlapS,
      revision = revision + 1, updated_at = now()
  WHERE workspace_id = $workspaceId AND id = $id RETURNING ${columns}`
export const deletePrincipal = sql('mqtt_principals.delete')`
  DELETE FROM mqtt_principals WHERE workspace_id = $workspaceId AND id = $id`
/** Current sessions started before it, in microseconds, even if a broker's clock is ahead. */
const endSessions = 'sessions_from = greatest($sessionsFrom::bigint, 1 + last_incarnation)'
export const suspendPrincipal = sql('mqtt_principals.suspend')`
  UPDATE mqtt_principals
  SET status = 'suspended', ${endSessions}, revision = revision + 1, updated_at = now()
  WHERE workspace_id = $workspaceId AND id = $id RETURNING ${columns}`
// Rows are locked in a fixed order, to avoid deadlocks.
export const suspendActive = sql('mqtt_principals.suspend_active')`
  WITH active AS (
    SELECT id FROM mqtt_principals
    WHERE workspace_id = $workspaceId AND id = ANY($ids::uuid[]) AND status = 'active' ORDER BY id
      FOR UPDATE
  )
  UPDATE mqtt_principals p
  SET status = 'suspended', ${endSessions}, revision = revision + 1, updated_at = now()
  FROM active WHERE p.workspace_id = $workspaceId AND p.id = active.id RETURNING p.id`
/** @param creators public ids */
export const findActiveCreatedBy = sql('mqtt_principals.active_by_creator')`
  SELECT id, name FROM mqtt_principals
  WHERE workspace_id = $workspaceId AND created_by = ANY($creators::text[])
    AND status = 'active' ORDER BY id`
export const resumePrincipal = sql('mqtt_principals.resume')`
  UPDATE mqtt_principals
  SET status = 'active', revision = revision + 1, updated_at = now()
  WHERE workspace_id = $workspaceId AND id = $id RETURNING ${columns}`
export const disconnectSessions = sql('mqtt_principals.end_sessions')`
  UPDATE mqtt_principals SET ${endSessions} WHERE workspace_id = $workspaceId AND id = $id`

// Without an index: a workspace has at most a thousand, and few installations ask.
/** Principals of any workspace that had expired by then; milliseconds since the epoch. */
export const findExpired = sql('mqtt_principals.expired')`
  SELECT workspace_id, id FROM mqtt_principals
  WHERE expires_at > to_timestamp($after::float8 / 1000)
    AND expires_at <= to_timestamp($until::float8 / 1000)`

// Queries on the secrets of principals, which have the same lifecycle as those of devices.

const nextGeneration = `UPDATE mqtt_principals
     SET secret_generation = secret_generation + 1, revision = revision + 1, updated_at = now()
     WHERE workspace_id = $workspaceId AND id = $principalId
     RETURNING secret_generation AS generation`

/** Replaces all secrets by a confirmed one. */
export const replaceAllSecrets = sql('mqtt_principal_secrets.replace')`
  WITH principal AS (
    ${nextGeneration}
  ), old AS (
    DELETE FROM mqtt_principal_secrets s USING principal
    WHERE s.workspace_id = $workspaceId AND s.principal_id = $principalId
  )
  INSERT INTO mqtt_principal_secrets (workspace_id, principal_id, generation, hash)
  SELECT $workspaceId, $principalId, principal.generation, $hash FROM principal
  RETURNING generation`
/** Adds a pending secret. @returns its expiry, in milliseconds since the epoch */
export const addPendingSecret = sql('mqtt_principal_secrets.add_pending')`
  WITH principal AS (
    ${nextGeneration}, rotation_overlap_s
  ), outdated AS (
    DELETE FROM mqtt_principal_secrets s USING principal
    WHERE s.workspace_id = $workspaceId AND s.principal_id = $principalId
      AND ${isOutdatedBy('principal')}
  )
  INSERT INTO mqtt_principal_secrets (workspace_id, principal_id, generation, hash, expires_at)
  SELECT $workspaceId, $principalId, principal.generation, $hash,
         now() + make_interval(secs => principal.rotation_overlap_s)
  FROM principal
  RETURNING expires_at AS expires_at!`
/** @returns whether it was still pending */
export const confirmSecret = sql('mqtt_principal_secrets.confirm')`
  ${secretConfirmation({
    table: 'mqtt_principal_secrets',
    own: 'workspace_id = $workspaceId AND principal_id = $ref',
    change: 'mqtt-principal',
  })}`
/** The first secret, confirmed. */
export const insertFirstSecret = sql('mqtt_principal_secrets.insert')`
  INSERT INTO mqtt_principal_secrets (workspace_id, principal_id, generation, hash)
  VALUES ($workspaceId, $principalId, 1, $hash)`
