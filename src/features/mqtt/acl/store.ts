/** Queries on own topic rules: one row per owner. */
import type { Db } from '../../../platform/database/connect.ts'
import { type RowOf, sql, stored } from '../../../platform/database/sql.ts'
import { type OwnRule, OwnRules, TemplateRules } from '../../common/topic-rule.ts'

/** A principal has no `device_key` and no `mqtt_acl`. */
export type RulesRow = RowOf<typeof device.find> | RowOf<typeof principal.find>

// A list that was never written is empty and has revision 1.
const own = `${stored("coalesce(a.rules, '[]')", OwnRules, 'rules!')}, coalesce(a.revision, 1) AS revision!`

const device = {
  lock: sql('mqtt_rules.lock_device')`
    SELECT 1 FROM devices WHERE workspace_id = $workspaceId AND id = $id FOR NO KEY UPDATE`,
  find: sql('mqtt_rules.of_device')`
    SELECT w.slug, d.device_key, ${stored('t.mqtt_acl', TemplateRules)}, ${own}
    FROM devices d
    JOIN workspaces w ON w.id = d.workspace_id
    LEFT JOIN device_templates t ON t.workspace_id = d.workspace_id AND t.id = d.template_id
    LEFT JOIN device_acls a ON a.workspace_id = d.workspace_id AND a.device_id = d.id
    WHERE d.workspace_id = $workspaceId AND d.id = $id`,
  write: sql('mqtt_rules.write_device')`
    INSERT INTO device_acls AS a (workspace_id, device_id, rules)
    VALUES ($workspaceId, $id, $rules)
    ON CONFLICT (workspace_id, device_id) DO UPDATE
      SET rules = EXCLUDED.rules, revision = a.revision + 1, updated_at = now()
    RETURNING revision`,
}

const principal = {
  lock: sql('mqtt_rules.lock_principal')`
    SELECT 1 FROM mqtt_principals WHERE workspace_id = $workspaceId
      AND id = $id FOR NO KEY UPDATE`,
  find: sql('mqtt_rules.of_principal')`
    SELECT w.slug, NULL::text AS device_key, ${stored('NULL::jsonb', TemplateRules, 'mqtt_acl')}, ${own}
    FROM mqtt_principals p
    JOIN workspaces w ON w.id = p.workspace_id
    LEFT JOIN mqtt_principal_acls a ON a.workspace_id = p.workspace_id AND a.principal_id = p.id
    WHERE p.workspace_id = $workspaceId AND p.id = $id`,
  write: sql('mqtt_rules.write_principal')`
    INSERT INTO mqtt_principal_acls AS a (workspace_id, principal_id, rules)
    VALUES ($workspaceId, $id, $rules)
    ON CONFLICT (workspace_id, principal_id) DO UPDATE
      SET rules = EXCLUDED.rules, revision = a.revision + 1, updated_at = now()
    RETURNING revision`,
}

const statements = { device, principal }

export interface RuleOwnerKey {
  kind: keyof typeof statements
  /** UUID. */
  id: string
}

export const findRules = async (
  db: Db,
  workspaceId: string,
  { kind, id }: RuleOwnerKey,
): Promise<RulesRow | undefined> => statements[kind].find.first(db, { workspaceId, id })

/**
 * Serializes changes of the list while the transaction lasts. The list must be read by a later
 * statement: one that waits for a lock keeps its older snapshot.
 */
export async function lockRules(
  trx: Db,
  workspaceId: string,
  owner: RuleOwnerKey,
): Promise<RulesRow | undefined> {
  const { kind, id } = owner
  const isThere = await statements[kind].lock.any(trx, { workspaceId, id })
  return isThere ? findRules(trx, workspaceId, owner) : undefined
}

/** @returns the revision of the list */
export async function writeRules(
  trx: Db,
  workspaceId: string,
  { kind, id }: RuleOwnerKey,
  rules: readonly OwnRule[],
): Promise<number> {
  const row = { workspaceId, id, rules: JSON.stringify(rules) }
  return (await statements[kind].write.one(trx, row)).revision
}
