/** Queries on the sequence numbers of device templates. */
import { type Db } from '../../../platform/database/connect.ts'
import { type RowOf, sql } from '../../../platform/database/sql.ts'

const takeSerialBlock = sql(
  'device_templates.take_serials',
  `WITH kept AS (
     DELETE FROM unused_serials
     WHERE workspace_id = $workspaceId AND template_id = $templateId AND first = (
       SELECT first FROM unused_serials WHERE workspace_id = $workspaceId
       AND template_id = $templateId
       ORDER BY first LIMIT 1 FOR UPDATE SKIP LOCKED)
     RETURNING first, last
   ), fresh AS (
     INSERT INTO template_serials AS s (workspace_id, template_id, next)
     SELECT $workspaceId, $templateId, 1 + $count::bigint WHERE NOT EXISTS (SELECT FROM kept)
     ON CONFLICT (workspace_id, template_id) DO UPDATE SET next = s.next + $count
     RETURNING next - $count AS first!, next - 1 AS last!
   )
   SELECT first, last FROM kept UNION ALL SELECT first, last FROM fresh`,
)
const keepUnused = sql(
  'device_templates.keep_unused_serials',
  `INSERT INTO unused_serials (workspace_id, template_id, first, last)
   SELECT t.workspace_id, t.id, u.first, u.last
   FROM unnest($workspaceIds::uuid[], $templateIds::uuid[], $firsts::bigint[], $lasts::bigint[])
          AS u (workspace_id, template_id, first, last)
   JOIN device_templates t ON t.workspace_id = u.workspace_id AND t.id = u.template_id
   FOR KEY SHARE OF t`,
)

/** An inclusive range of sequence numbers. */
export type SerialRange = RowOf<typeof takeSerialBlock>

/**
 * Takes exclusive numbers: stored unused ones, however many, else `count` new ones. Throws a
 * foreign key violation if there is no such template.
 */
export async function takeSerials(
  db: Db,
  workspaceId: string,
  templateId: string,
  count: number,
): Promise<SerialRange> {
  const rows = await takeSerialBlock.rows(db, { workspaceId, templateId, count })
  return rows[0] as SerialRange
}

export interface UnusedSerials extends SerialRange {
  workspaceId: string
  templateId: string
}

/** Stores unused numbers; those of deleted templates are dropped. */
export async function keepUnusedSerials(db: Db, unused: readonly UnusedSerials[]): Promise<void> {
  await keepUnused.rows(db, {
    workspaceIds: unused.map(({ workspaceId }) => workspaceId),
    templateIds: unused.map(({ templateId }) => templateId),
    firsts: unused.map(({ first }) => first),
    lasts: unused.map(({ last }) => last),
  })
}
