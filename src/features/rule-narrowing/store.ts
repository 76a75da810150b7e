/** The queries behind a comparison of templates' rules. */
import type { TopicRule } from '../../broker/port.ts'
import { type Db, statement } from '../../database/connect.ts'

const rules = statement(
  'rule_narrowing.template_rules',
  `SELECT w.slug, t.id, t.mqtt_acl
   FROM workspaces w
   LEFT JOIN device_templates t ON t.workspace_id = w.id AND t.id = ANY ($2::uuid[])
   WHERE w.id = $1`,
)
// Of two workspaces whose ids have the same hash one waits for the other. The number is this
// lock's own.
const key = '1920298085, hashtext($1)'
const keep = statement('rule_narrowing.keep', `SELECT pg_advisory_xact_lock_shared(${key})`)
const take = statement('rule_narrowing.take', `SELECT pg_advisory_xact_lock(${key})`)
const untold = statement(
  'rule_narrowing.untold',
  `SELECT r.subject, r.narrowed -> 'template' -> 'before' AS before
   FROM mqtt_receipts r
   WHERE r.workspace_id = $1 AND r.subject = ANY ($2::text[]) AND r.narrowed IS NOT NULL
     AND EXISTS (SELECT FROM mqtt_receipt_nodes s
                 WHERE s.workspace_id = r.workspace_id AND s.receipt_id = r.id
                   AND s.node NOT LIKE 'embedded/%' AND s.verified_at IS NULL)`,
)

export interface TemplateRules {
  slug: string
  /** By the template's UUID. */
  acls: ReadonlyMap<string, readonly TopicRule[]>
}

/** What the topics of a workspace begin with, and the rules of those of its templates. */
export async function templateRules(
  db: Db,
  workspaceId: string,
  templateIds: readonly string[],
): Promise<TemplateRules> {
  const rows = await db.query<{ slug: string; id: string | null; mqtt_acl: TopicRule[] | null }>(
    rules,
    [workspaceId, templateIds],
  )
  const acls = rows.flatMap(({ id, mqtt_acl }) =>
    id === null ? [] : [[id, mqtt_acl ?? []] as const],
  )
  return { slug: rows[0]?.slug ?? '', acls: new Map(acls) }
}

/** Waits until nobody changes rules of templates, and keeps all who want to waiting. */
export async function keepTemplateRules(trx: Db, workspaceId: string): Promise<void> {
  await trx.query(keep, [workspaceId])
}

/** Waits until nobody relies on the rules of templates any more, or changes them. */
export async function takeTemplateRules(trx: Db, workspaceId: string): Promise<void> {
  await trx.query(take, [workspaceId])
}

/**
 * What devices had by templates before changes that not every broker elsewhere has followed yet.
 * @param subjects the templates, as receipts name them.
 */
export const rulesUntold = (
  trx: Db,
  workspaceId: string,
  subjects: readonly string[],
): Promise<{ subject: string; before: readonly TopicRule[] | null }[]> =>
  trx.query(untold, [workspaceId, subjects])
