/** Queries on the sequence numbers of device templates. */
import { type Db, statement } from '../../../platform/database/connect.ts'

const takeSerialBlock = statement(
  'device_templates.take_serials',
  `WITH kept AS (
     DELETE FROM unused_serials
     WHERE workspace_id = $1 AND template_id = $2 AND first = (
       SELECT first FROM unused_serials WHERE workspace_id = $1 AND template_id = $2
       ORDER BY first LIMIT 1 FOR UPDATE SKIP LOCKED)
     RETURNING first, last
   ), fresh AS (
     INSERT INTO template_serials AS s (workspace_id, template_id, next)
     SELECT $1, $2, 1 + $3::bigint WHERE NOT EXISTS (SELECT FROM kept)
     ON CONFLICT (workspace_id, template_id) DO UPDATE SET next = s.next + $3
     RETURNING next - $3 AS first, next - 1 AS last
   )
   SELECT first, last FROM kept UNION ALL SELECT first, last FROM fresh`,
)
const keepUnused = statement(
  'device_templates.keep_unused_serials',
  `INSERT INTO unused_serials (workspace_id, template_id, first, last)
   SELECT t.workspace_id, t.id, u.first, u.last
   FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bigint[])
          AS u (workspace_id, template_id, first, last)
   JOIN device_templates t ON t.workspace_id = u.workspace_id AND t.id = u.template_id
   FOR KEY SHARE OF t`,
)

/** An inclusive range of sequence numbers. */
export interface SerialRange {
  first: number
  last: number
}

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
  const rows = await db.query<SerialRange>(takeSerialBlock, [workspaceId, templateId, count])
  return rows[0] as SerialRange
}

export interface UnusedSerials extends SerialRange {
  workspaceId: string
  templateId: string
}

/** Stores unused numbers; those of deleted templates are dropped. */
export async function keepUnusedSerials(db: Db, unused: readonly UnusedSerials[]): Promise<void> {
  await db.query(keepUnused, [
    unused.map(({ workspaceId }) => workspaceId),
    unused.map(({ templateId }) => templateId),
    unused.map(({ first }) => first),
    unused.map(({ last }) => last),
  ])
}
