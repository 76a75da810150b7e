/** Read queries of provisioning: what a request refers to, and earlier responses. */
import type { Db } from '../../../platform/database/connect.ts'
import { type RowOf, sql } from '../../../platform/database/sql.ts'

export const findDevice = sql(
  'provisioning.known_device',
  `SELECT d.id, d.device_key, d.template_id, d.status, d.is_claimed AS is_claimed!, w.slug
   FROM devices d JOIN workspaces w ON w.id = d.workspace_id
   WHERE d.workspace_id = $workspaceId AND d.id = $id`,
)
// A device of a broker that keeps passwords itself presents none here: it is seen to be active.
export const findByHardwareIds = sql(
  'provisioning.by_hardware_id',
  `SELECT d.id, d.hardware_id AS hardware_id!, d.device_key, a.key_id, a.sealed,
          a.created_at > now() - interval '24 hours'
            AND d.status = 'registered' AND d.claimed_at IS NULL
            AND (SELECT count(*) = 2 FROM device_secrets s
                 WHERE s.workspace_id = d.workspace_id AND s.device_id = d.id
                   AND s.generation = 1 AND NOT s.is_used) AS fresh
   FROM devices d
   LEFT JOIN registration_answers a ON a.workspace_id = d.workspace_id AND a.device_id = d.id
   WHERE d.workspace_id = $workspaceId AND d.hardware_id = ANY($hardwareIds)`,
)
export type HardwareMatch = RowOf<typeof findByHardwareIds>
export const findStoredResponse = sql(
  'provisioning.stored_answer',
  `SELECT fingerprint, sealed, created_at > now() - interval '24 hours' AS fresh
   FROM idempotency_keys WHERE scope = $scope AND key_hash = $keyHash`,
)
/** Deletes an expired answer, so that its key can be reused. */
export const deleteStoredResponse = sql(
  'provisioning.forget_answer',
  'DELETE FROM idempotency_keys WHERE scope = $scope AND key_hash = $keyHash AND sealed = $sealed',
)
export const findProvisionTemplate = sql(
  'provisioning.template',
  `SELECT id, serial_format, firmware FROM device_templates WHERE workspace_id = $workspaceId
     AND id = $id`,
)
const templates = sql(
  'provisioning.templates',
  `SELECT id, model_key, name, description, serial_format FROM device_templates
   WHERE workspace_id = $workspaceId AND ($ids?::uuid[] IS NULL OR id = ANY($ids))
     AND ($after?::uuid IS NULL OR id < $after)
   ORDER BY id DESC LIMIT $limit`,
)
const EXPIRE_BATCH = 5_000
const expire = sql(
  'provisioning.expire_answers',
  `DELETE FROM registration_answers WHERE (workspace_id, device_id) IN (
     SELECT workspace_id, device_id FROM registration_answers
     WHERE created_at <= now() - interval '24 hours'
     ORDER BY created_at LIMIT ${EXPIRE_BATCH} FOR UPDATE SKIP LOCKED)
   RETURNING 1`,
)

export type KnownDevice = RowOf<typeof findDevice>

export type ProvisionTemplate = RowOf<typeof findProvisionTemplate>

export type TemplateListRow = RowOf<typeof templates>

export const pageOfTemplates = (
  db: Db,
  workspaceId: string,
  templateIds: readonly string[] | null,
  after: string | undefined,
  limit: number,
): Promise<TemplateListRow[]> =>
  templates.rows(db, { workspaceId, ids: templateIds, after: after ?? null, limit })

/** Deletes day-old first responses in batches that hold locks briefly. */
export async function expireRegistrationResponses(db: Db): Promise<void> {
  while ((await expire.rows(db)).length === EXPIRE_BATCH);
}
