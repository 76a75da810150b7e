/**
 * The rotation of a device's secrets by one statement, hence one round trip and one transaction:
 * secrets, stored response, event and audit entry commit together.
 */
import type { Db } from '../../../platform/database/connect.ts'
import { sql } from '../../../platform/database/sql.ts'
import type { Origin } from '../../../platform/record/event.ts'

/** Pending generations valid at once; see docs/decisions/0004-pending-generations.md. */
const PENDING_GENERATIONS = 32

// Staff's permission ends with the first use of what was issued by it, so that a lost response
// needs no second one.
const ALLOWED = `d.rotation_allowed_at > now() - interval '24 hours'
        AND NOT EXISTS (SELECT FROM device_secrets u
                        WHERE u.workspace_id = $workspaceId AND u.device_id = $deviceId
                          AND u.is_used
                          AND u.created_at > d.rotation_allowed_at)`

const rotation = (withStored: boolean): string =>
  `WITH device AS (
    UPDATE devices d SET secret_generation = secret_generation + 1
    WHERE d.workspace_id = $workspaceId AND d.id = $deviceId AND d.status <> 'decommissioned'
      AND ($templateIds?::uuid[] IS NULL OR d.template_id = ANY($templateIds?))
      AND (NOT $isUnclaimedOnly::boolean OR d.claimed_at IS NULL OR ${ALLOWED})
    RETURNING d.id, d.template_id, d.secret_generation AS generation
  ), overlap AS (
    SELECT now() + make_interval(secs => coalesce(t.rotation_overlap_s, 604800)) AS until
    FROM device LEFT JOIN device_templates t
      ON t.workspace_id = $workspaceId AND t.id = device.template_id
  ), outdated AS (
    DELETE FROM device_secrets s USING device
    WHERE s.workspace_id = $workspaceId AND s.device_id = $deviceId AND s.expires_at IS NOT NULL
      AND (s.generation <= device.generation - ${PENDING_GENERATIONS} OR s.expires_at <= now())
  ), secrets AS (
    INSERT INTO device_secrets (workspace_id, device_id, kind, generation, hash, expires_at)
    SELECT $workspaceId, $deviceId, secret.kind, device.generation, secret.hash, overlap.until
    FROM device, overlap,
         (VALUES ('mqtt', $mqttHash::bytea), ('http', $httpHash::bytea)) AS secret (kind, hash)
  ), entry AS (
    INSERT INTO audit_log (workspace_id, id, actor_kind, actor_id, action, resource_kind,
                           resource_id, request_id, address, detail)
    SELECT $workspaceId, $auditId, $actorKind, $actorId?, 'device.rotated', 'device', $resourceId,
      $requestId?, $address?, $data FROM device
  ), event AS (
    INSERT INTO events (workspace_id, id, type, subject_id, data)
    SELECT $workspaceId, $eventId, 'device.rotated', device.id, $data FROM device
  )${
    withStored
      ? `, answer AS (
    INSERT INTO idempotency_keys (scope, key_hash, fingerprint, sealed)
    SELECT $scope, $keyHash, $fingerprint, $sealed FROM device
  )`
      : ''
  }
  SELECT generation FROM device`

const rotate = sql('provisioning.rotate', rotation(false))
const rotateStored = sql('provisioning.rotate.answered', rotation(true))

export interface RotationWrite {
  workspaceId: string
  deviceId: string
  auditId: string
  eventId: string
  origin: Origin
  /** Public id. */
  resourceId: string
  data: Record<string, unknown>
  mqttHash: Buffer
  httpHash: Buffer
  /** The whole response, encrypted for the caller's key. */
  sealed: Buffer
  /** Set if the request had an Idempotency-Key. */
  response: { scope: Buffer; keyHash: Buffer; fingerprint: Buffer } | undefined
}

/** Whose credentials may be renewed. */
export interface RotationLimits {
  /** Null: devices of any template, and those without one. */
  templateIds: readonly string[] | null
  /** Claimed devices only if staff have allowed it. */
  isUnclaimedOnly: boolean
}

/** @returns the new generation; undefined if there is no such device within the limits */
export async function rotateSecrets(
  db: Db,
  write: RotationWrite,
  { templateIds, isUnclaimedOnly }: RotationLimits,
): Promise<number | undefined> {
  const { origin, response } = write
  const params = {
    workspaceId: write.workspaceId,
    deviceId: write.deviceId,
    auditId: write.auditId,
    actorKind: origin.actor.kind,
    actorId: origin.actor.id,
    resourceId: write.resourceId,
    requestId: origin.requestId,
    address: origin.address,
    data: JSON.stringify(write.data),
    eventId: write.eventId,
    mqttHash: write.mqttHash,
    httpHash: write.httpHash,
    templateIds,
    isUnclaimedOnly,
  }
  const row = await (response
    ? rotateStored.first(db, { ...params, ...response, sealed: write.sealed })
    : rotate.first(db, params))
  return row?.generation
}
