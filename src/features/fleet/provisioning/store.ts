/** Queries of provisioning: rows that a request refers to, earlier responses, and rotation. */
import { INSERT_AUDIT } from '../../../platform/database/audit-insert.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { type ParamsOf, type RowOf, sql, stored } from '../../../platform/database/sql.ts'
import { Firmware } from '../../common/firmware-shape.ts'
import { isOutdatedBy, secretsInsert } from '../../mqtt/device-secrets/secret-statements.ts'

export const findDevice = sql('provisioning.known_device')`
  SELECT d.id, d.device_key, d.template_id, d.status, d.is_claimed AS is_claimed!, w.slug
  FROM devices d JOIN workspaces w ON w.id = d.workspace_id
  WHERE d.workspace_id = $workspaceId AND d.id = $id`
// A device of a broker that keeps passwords itself presents none here: it is seen to be active.
export const findByHardwareIds = sql('provisioning.by_hardware_id')`
  SELECT d.id, d.hardware_id AS hardware_id!, d.device_key, a.key_id, a.sealed,
         a.created_at > now() - interval '24 hours'
           AND d.status = 'registered' AND d.claimed_at IS NULL
           AND (SELECT count(*) = 2 FROM device_secrets s
                WHERE s.workspace_id = d.workspace_id AND s.device_id = d.id
                  AND s.generation = 1 AND NOT s.is_used) AS fresh
  FROM devices d
  LEFT JOIN registration_answers a ON a.workspace_id = d.workspace_id AND a.device_id = d.id
  WHERE d.workspace_id = $workspaceId AND d.hardware_id = ANY($hardwareIds)`
export type HardwareMatch = RowOf<typeof findByHardwareIds>
export const findStoredResponse = sql('provisioning.stored_response')`
  SELECT fingerprint, sealed, created_at > now() - interval '24 hours' AS fresh
  FROM idempotency_keys WHERE scope = $scope AND key_hash = $keyHash`
/** Deletes an expired response, so that its key can be reused. */
export const deleteStoredResponse = sql('provisioning.delete_response')`
  DELETE FROM idempotency_keys WHERE scope = $scope AND key_hash = $keyHash AND sealed = $sealed`
export const findProvisionTemplate = sql('provisioning.template')`
  SELECT id, serial_format, ${stored('firmware', Firmware)}
  FROM device_templates WHERE workspace_id = $workspaceId AND id = $id`
export const pageOfTemplates = sql('provisioning.templates')`
  SELECT id, model_key, name, description, serial_format FROM device_templates
  WHERE workspace_id = $workspaceId AND ($ids?::uuid[] IS NULL OR id = ANY($ids))
    AND ($after?::uuid IS NULL OR id < $after)
  ORDER BY id DESC LIMIT $limit`
const EXPIRE_BATCH = 5_000
const expire = sql('provisioning.expire_responses')`
  DELETE FROM registration_answers WHERE (workspace_id, device_id) IN (
    SELECT workspace_id, device_id FROM registration_answers
    WHERE created_at <= now() - interval '24 hours'
    ORDER BY created_at LIMIT ${EXPIRE_BATCH} FOR UPDATE SKIP LOCKED)
  RETURNING 1`

export type KnownDevice = RowOf<typeof findDevice>

export type ProvisionTemplate = RowOf<typeof findProvisionTemplate>

/** Deletes day-old first responses in batches that hold locks briefly. */
export async function expireRegistrationResponses(db: Db): Promise<void> {
  while ((await expire.count(db)) === EXPIRE_BATCH);
}

// The permission to rotate ends when a secret that was issued under it is first used, and not when
// it is issued: after a lost response the device can ask again.
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
    WHERE s.workspace_id = $workspaceId AND s.device_id = $deviceId AND ${isOutdatedBy('device')}
  ), secrets AS (
    ${secretsInsert({
      from: 'device, overlap',
      device: '$deviceId',
      generation: 'device.generation',
      mqttHash: '$mqttHash::bytea',
      httpHash: '$httpHash::bytea',
      expiresAt: 'overlap.until',
      issuedBy: 'rotation',
    })}
  ), entry AS (
    ${INSERT_AUDIT}
    SELECT $workspaceId, $auditId, $actorKind, $actorId?, 'device.rotated', 'device', $resourceId,
      $requestId?, $address?, $data FROM device
  ), event AS (
    INSERT INTO events (workspace_id, id, type, subject_id, data, traceparent)
    SELECT $workspaceId, $eventId, 'device.rotated', device.id, $data, $traceparent? FROM device
  )${
    withStored
      ? `, answer AS (
    INSERT INTO idempotency_keys (scope, key_hash, fingerprint, sealed)
    SELECT $scope, $keyHash, $fingerprint, $sealed FROM device
  )`
      : ''
  }
  SELECT generation FROM device`

const rotate = sql('provisioning.rotate')`${rotation(false)}`
const rotateStored = sql('provisioning.rotate.stored')`${rotation(true)}`

/** With the whole response, encrypted for the caller's key. */
export type RotationWrite = ParamsOf<typeof rotate> & { sealed: Buffer }

/** The devices that may be rotated; `templateIds` null: any device, also without a template. */
export type RotationLimits = Pick<RotationWrite, 'templateIds' | 'isUnclaimedOnly'>

/**
 * @param slot of the Idempotency-Key, if the request had one
 * @returns undefined if there is no such device within the limits
 */
export const rotateSecrets = (
  db: Db,
  write: RotationWrite,
  slot: { scope: Buffer; keyHash: Buffer; fingerprint: Buffer } | undefined,
): Promise<{ generation: number } | undefined> =>
  slot ? rotateStored.first(db, { ...write, ...slot }) : rotate.first(db, write)
