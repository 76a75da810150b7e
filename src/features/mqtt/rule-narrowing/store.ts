/** Queries for comparing rules of templates. */
import type { TopicRule } from '../../../adapters/broker/port.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { sql, stored } from '../../../platform/database/sql.ts'
import { TemplateRules } from '../../common/topic-rule.ts'

const rules = sql('rule_narrowing.template_rules')`
  SELECT w.slug, t.id, ${stored('t.mqtt_acl', TemplateRules)}
  FROM workspaces w
  LEFT JOIN device_templates t ON t.workspace_id = w.id AND t.id = ANY ($ids::uuid[])
  WHERE w.id = $id`
// Workspaces whose ids have equal hashes share a lock. The number identifies this kind of lock.
const key = '1920298085, hashtext($workspaceId)'
/** Waits for changes of template rules and blocks new ones. */
export const keepTemplateRules = sql('rule_narrowing.keep')`
  SELECT pg_advisory_xact_lock_shared(${key})`
/** Waits for holders of either lock and blocks new ones. */
export const takeTemplateRules = sql('rule_narrowing.take')`SELECT pg_advisory_xact_lock(${key})`
/**
 * Former template rules that not every external broker has replaced yet.
 * @param subjects the templates, as receipts name them
 */
export const unannouncedRules = sql('rule_narrowing.unannounced')`
  SELECT r.subject, ${stored("r.narrowed -> 'template' -> 'before'", TemplateRules, 'before')}
  FROM mqtt_receipts r
  WHERE r.workspace_id = $workspaceId AND r.subject = ANY ($subjects::text[])
    AND r.narrowed IS NOT NULL
    AND EXISTS (SELECT FROM mqtt_receipt_nodes s
                WHERE s.workspace_id = r.workspace_id AND s.receipt_id = r.id
                  AND s.node NOT LIKE 'embedded/%' AND s.verified_at IS NULL)`

export interface TemplateRules {
  slug: string
  /** By template UUID. */
  acls: ReadonlyMap<string, readonly TopicRule[]>
}

/** A workspace's topic prefix, and the rules of the templates. */
export async function templateRules(
  db: Db,
  workspaceId: string,
  templateIds: readonly string[],
): Promise<TemplateRules> {
  const rows = await rules.rows(db, { id: workspaceId, ids: templateIds })
  const acls = rows.flatMap(({ id, mqtt_acl }) =>
    id === null ? [] : [[id, mqtt_acl ?? []] as const],
  )
  return { slug: rows[0]?.slug ?? '', acls: new Map(acls) }
}
