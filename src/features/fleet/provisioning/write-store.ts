/**
 * The writes of provisioning. A registration is one statement, hence one round trip and one
 * transaction: device, secrets, encrypted answer, event and audit entry commit together. A conflict
 * fails it as a whole, and the violated constraint tells what existed.
 */
import { type Db, type Statement, statement } from '../../../platform/database/connect.ts'
import type { Origin } from '../../../platform/record/event.ts'

/** Pending generations valid at once; see docs/decisions/0004-pending-generations.md. */
const PENDING_GENERATIONS = 32

/** The parameters of the encrypted answer and the Idempotency-Key that it is stored under. */
interface AnswerParameters {
  sealed: string
  scope: string
  keyHash: string
  fingerprint: string
}

/**
 * The common end of both hot statements: audit entry, event, and possibly a stored response.
 * Parameters 1 to 12 mean the same in both; see `commonValues`.
 */
const recordsOf = (action: string, answer: AnswerParameters | undefined): string => `
  entry AS (
    INSERT INTO audit_log (workspace_id, id, actor_kind, actor_id, action, resource_kind,
                           resource_id, request_id, address, detail)
    SELECT $1, $3, $4, $5, '${action}', 'device', $6, $7, $8, $9 FROM device
  ), event AS (
    INSERT INTO events (workspace_id, id, type, subject_id, data)
    SELECT $1, $10, '${action}', device.id, $9 FROM device
  )${
    answer
      ? `, answer AS (
    INSERT INTO idempotency_keys (scope, key_hash, fingerprint, sealed)
    SELECT ${answer.scope}, ${answer.keyHash}, ${answer.fingerprint}, ${answer.sealed} FROM device
  )`
      : ''
  }`

// The slug is part of the device's topics and possibly its key, so it must be the one in the
// answer. A change of the slug waits for this lock and then sees that there is a device.
export const HOME = `home AS (
    SELECT id FROM workspaces WHERE id = $1 AND slug = $20 AND status = 'active' FOR KEY SHARE
  )`

const QUOTA = `, quota AS (
    UPDATE api_keys k SET registered = registered + 1 FROM home
    WHERE k.workspace_id = $1 AND k.id = $14
      AND (k.device_quota IS NULL OR k.registered < k.device_quota)
      AND k.revoked_at IS NULL
    RETURNING 1
  )`

const registerStatement = (quota: boolean, answered: boolean): Statement =>
  statement(
    `provisioning.register${quota ? '.quota' : ''}${answered ? '.answered' : ''}`,
    `WITH ${HOME}${quota ? QUOTA : ''}, device AS (
    INSERT INTO devices (workspace_id, id, device_key, name, template_id, hardware_id, tags,
                         approval)
    SELECT $1, $2, $15, $16, $17, $18, $19, $21 FROM ${quota ? 'quota' : 'home'}
    RETURNING id
  ), secrets AS (
    INSERT INTO device_secrets (workspace_id, device_id, kind, generation, hash)
    SELECT $1, device.id, secret.kind, 1, secret.hash
    FROM device, (VALUES ('mqtt', $11::bytea), ('http', $12::bytea)) AS secret (kind, hash)
  ), first_answer AS (
    INSERT INTO registration_answers (workspace_id, device_id, key_id, sealed)
    SELECT $1, device.id, $14, $13 FROM device
  ), ${recordsOf(
    'device.registered',
    answered ? { sealed: '$13', scope: '$22', keyHash: '$23', fingerprint: '$24' } : undefined,
  )}
  SELECT EXISTS (SELECT 1 FROM device) AS registered, EXISTS (SELECT 1 FROM home) AS home`,
  )

const register = [
  [registerStatement(false, false), registerStatement(false, true)],
  [registerStatement(true, false), registerStatement(true, true)],
] as const

// Staff's permission ends with the first use of what was issued by it, so that a lost response
// needs
// no second one.
const ALLOWED = `d.rotation_allowed_at > now() - interval '24 hours'
        AND NOT EXISTS (SELECT FROM device_secrets u
                        WHERE u.workspace_id = $1 AND u.device_id = $2 AND u.is_used
                          AND u.created_at > d.rotation_allowed_at)`

const rotateStatement = (answered: boolean): Statement =>
  statement(
    `provisioning.rotate${answered ? '.answered' : ''}`,
    `WITH device AS (
    UPDATE devices d SET secret_generation = secret_generation + 1
    WHERE d.workspace_id = $1 AND d.id = $2 AND d.status <> 'decommissioned'
      AND ($13::uuid[] IS NULL OR d.template_id = ANY($13))
      AND (NOT $14::boolean OR d.claimed_at IS NULL OR ${ALLOWED})
    RETURNING d.id, d.template_id, d.secret_generation AS generation
  ), overlap AS (
    SELECT now() + make_interval(secs => coalesce(t.rotation_overlap_s, 604800)) AS until
    FROM device LEFT JOIN device_templates t
      ON t.workspace_id = $1 AND t.id = device.template_id
  ), outdated AS (
    DELETE FROM device_secrets s USING device
    WHERE s.workspace_id = $1 AND s.device_id = $2 AND s.expires_at IS NOT NULL
      AND (s.generation <= device.generation - ${PENDING_GENERATIONS} OR s.expires_at <= now())
  ), secrets AS (
    INSERT INTO device_secrets (workspace_id, device_id, kind, generation, hash, expires_at)
    SELECT $1, $2, secret.kind, device.generation, secret.hash, overlap.until
    FROM device, overlap,
         (VALUES ('mqtt', $11::bytea), ('http', $12::bytea)) AS secret (kind, hash)
  ), ${recordsOf(
    'device.rotated',
    answered ? { sealed: '$15', scope: '$16', keyHash: '$17', fingerprint: '$18' } : undefined,
  )}
  SELECT generation FROM device`,
  )

const rotate = [rotateStatement(false), rotateStatement(true)] as const

/** The parameters common to both hot statements. */
export interface ProvisionWrite {
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
  answer: { scope: Buffer; keyHash: Buffer; fingerprint: Buffer } | undefined
}

function commonValues(write: ProvisionWrite): unknown[] {
  const { origin } = write
  return [
    write.workspaceId,
    write.deviceId,
    write.auditId,
    origin.actor.kind,
    origin.actor.id,
    write.resourceId,
    origin.requestId,
    origin.address,
    JSON.stringify(write.data),
    write.eventId,
    write.mqttHash,
    write.httpHash,
  ]
}

const answerValues = ({ answer }: ProvisionWrite): unknown[] =>
  answer === undefined ? [] : [answer.scope, answer.keyHash, answer.fingerprint]

export interface Registration extends ProvisionWrite {
  keyId: string
  hasQuota: boolean
  deviceKey: string
  name: string
  templateId: string | null
  hardwareId: string | null
  tags: Record<string, string>
  /** The workspace's slug as the response contains it. */
  slug: string
  approval: 'approved' | 'pending'
}

/** The result of a registration: `moved` if the workspace's slug has changed. */
export type RegisterOutcome = 'registered' | 'quota_reached' | 'moved'

/** Throws the unique violation of a conflict. */
export async function registerDevice(db: Db, registration: Registration): Promise<RegisterOutcome> {
  const chosen = register[registration.hasQuota ? 1 : 0][registration.answer ? 1 : 0]
  const [row] = await db.query<{ registered: boolean; home: boolean }>(chosen, [
    ...commonValues(registration),
    registration.sealed,
    registration.keyId,
    registration.deviceKey,
    registration.name,
    registration.templateId,
    registration.hardwareId,
    JSON.stringify(registration.tags),
    registration.slug,
    registration.approval,
    ...answerValues(registration),
  ])
  if (row?.registered) return 'registered'
  return row?.home ? 'quota_reached' : 'moved'
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
  write: ProvisionWrite,
  { templateIds, isUnclaimedOnly }: RotationLimits,
): Promise<number | undefined> {
  const answered = write.answer ? [write.sealed, ...answerValues(write)] : []
  const rows = await db.query<{ generation: number }>(rotate[write.answer ? 1 : 0], [
    ...commonValues(write),
    templateIds,
    isUnclaimedOnly,
    ...answered,
  ])
  return rows[0]?.generation
}
