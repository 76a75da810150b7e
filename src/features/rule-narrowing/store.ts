/** The query behind a comparison of templates' rules. */
import type { TopicRule } from '../../broker/port.ts'
import { type Db, statement } from '../../database/connect.ts'

const rules = statement(
  'rule_narrowing.template_rules',
  `SELECT w.slug, t.id, t.mqtt_acl
   FROM workspaces w
   LEFT JOIN device_templates t ON t.workspace_id = w.id AND t.id = ANY ($2::uuid[])
   WHERE w.id = $1`,
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
