/** Read queries of provisioning: what a request refers to, and earlier responses. */
import { type Db, statement } from '../../../platform/database/connect.ts'

const knownDevice = statement(
  'provisioning.known_device',
  `SELECT d.id, d.device_key, d.template_id, d.status, d.is_claimed, w.slug
   FROM devices d JOIN workspaces w ON w.id = d.workspace_id
   WHERE d.workspace_id = $1 AND d.id = $2`,
)
// A device of a broker that keeps passwords itself presents none here: it is seen to be active.
const byHardwareId = statement(
  'provisioning.by_hardware_id',
  `SELECT d.id, d.hardware_id, d.device_key, a.key_id, a.sealed,
          a.created_at > now() - interval '24 hours'
            AND d.status = 'registered' AND d.claimed_at IS NULL
            AND (SELECT count(*) = 2 FROM device_secrets s
                 WHERE s.workspace_id = d.workspace_id AND s.device_id = d.id
                   AND s.generation = 1 AND NOT s.is_used) AS fresh
   FROM devices d
   LEFT JOIN registration_answers a ON a.workspace_id = d.workspace_id AND a.device_id = d.id
   WHERE d.workspace_id = $1 AND d.hardware_id = ANY($2)`,
)
const storedAnswer = statement(
  'provisioning.stored_answer',
  `SELECT fingerprint, sealed, created_at > now() - interval '24 hours' AS fresh
   FROM idempotency_keys WHERE scope = $1 AND key_hash = $2`,
)
const forgetAnswer = statement(
  'provisioning.forget_answer',
  'DELETE FROM idempotency_keys WHERE scope = $1 AND key_hash = $2 AND sealed = $3',
)
const templateForKey = statement(
  'provisioning.template',
  `SELECT id, serial_format, firmware FROM device_templates WHERE workspace_id = $1 AND id = $2`,
)
const templates = statement(
  'provisioning.templates',
  `SELECT id, model_key, name, description, serial_format FROM device_templates
   WHERE workspace_id = $1 AND ($2::uuid[] IS NULL OR id = ANY($2))
     AND ($3::uuid IS NULL OR id < $3)
   ORDER BY id DESC LIMIT $4`,
)
const EXPIRE_BATCH = 5_000
const expire = statement(
  'provisioning.expire_answers',
  `DELETE FROM registration_answers WHERE (workspace_id, device_id) IN (
     SELECT workspace_id, device_id FROM registration_answers
     WHERE created_at <= now() - interval '24 hours'
     ORDER BY created_at LIMIT ${EXPIRE_BATCH} FOR UPDATE SKIP LOCKED)
   RETURNING 1`,
)

export interface KnownDevice {
  id: string
  device_key: string
  template_id: string | null
  status: string
  is_claimed: boolean
  slug: string
}

export async function findDevice(
  db: Db,
  workspaceId: string,
  deviceId: string,
): Promise<KnownDevice | undefined> {
  return (await db.query<KnownDevice>(knownDevice, [workspaceId, deviceId]))[0]
}

export interface HardwareMatch {
  id: string
  hardware_id: string
  device_key: string
  key_id: string | null
  sealed: Buffer | null
  /**
   * Whether the first response is less than a day old, and nobody has used or claimed the device.
   */
  fresh: boolean | null
}

export const findByHardwareIds = (
  db: Db,
  workspaceId: string,
  hardwareIds: readonly string[],
): Promise<HardwareMatch[]> => db.query(byHardwareId, [workspaceId, hardwareIds])

export interface StoredAnswerRow {
  fingerprint: Buffer
  sealed: Buffer
  fresh: boolean
}

export async function findStoredAnswer(
  db: Db,
  scope: Buffer,
  keyHash: Buffer,
): Promise<StoredAnswerRow | undefined> {
  return (await db.query<StoredAnswerRow>(storedAnswer, [scope, keyHash]))[0]
}

/** Deletes an expired answer, so that its key can be reused. */
export async function forgetStoredAnswer(
  db: Db,
  scope: Buffer,
  keyHash: Buffer,
  sealed: Buffer,
): Promise<void> {
  await db.query(forgetAnswer, [scope, keyHash, sealed])
}

export interface ProvisionTemplate {
  id: string
  serial_format: string
  firmware: { url: string; sha256: string; size_bytes: number } | null
}

export async function findProvisionTemplate(
  db: Db,
  workspaceId: string,
  templateId: string,
): Promise<ProvisionTemplate | undefined> {
  return (await db.query<ProvisionTemplate>(templateForKey, [workspaceId, templateId]))[0]
}

export interface TemplateListRow {
  id: string
  model_key: string
  name: string
  description: string
  serial_format: string
}

export const pageOfTemplates = (
  db: Db,
  workspaceId: string,
  templateIds: readonly string[] | null,
  after: string | undefined,
  limit: number,
): Promise<TemplateListRow[]> =>
  db.query(templates, [workspaceId, templateIds, after ?? null, limit])

/** Deletes day-old first responses in batches that hold locks briefly. */
export async function expireRegistrationAnswers(db: Db): Promise<void> {
  while ((await db.query(expire)).length === EXPIRE_BATCH);
}
