/** Queries that merge old hours into days, in the sums and in the ledger. */
import { type Db, statement } from '../../../platform/database/connect.ts'
import { added, meters, summed } from './store.ts'

/** Replaces the process id in merged ledger entries. */
export const FOLDED = '00000000-0000-0000-0000-000000000000'
/** Sequence number of an entry for a whole day. */
export const WHOLE_DAY = 1

const oldest = (days: string): string =>
  `date_trunc('day', now() - make_interval(days => ${days}), 'UTC')`

const withOldHours = statement(
  'usage.with_old_hours',
  `SELECT w.id FROM workspaces w
   WHERE w.id > $1 AND EXISTS (
     SELECT FROM usage_hours h WHERE h.workspace_id = w.id AND h.hour < ${oldest('$2')})
   ORDER BY w.id LIMIT $3`,
)
// Blocks recomputation of the sums.
const hold = statement('usage.hold_shared', 'SELECT FROM usage_horizon FOR SHARE')
// Keeps folding and making days apart: the latter would not see entries that are just being folded,
// and leave them behind. Statements of their own, since the snapshot must come after the lock.
const LOCK = 1_634_890_611
const keepEntries = statement('usage.keep_entries', `SELECT pg_advisory_xact_lock_shared(${LOCK})`)
const takeEntries = statement('usage.take_entries', `SELECT pg_advisory_xact_lock(${LOCK})`)
const uneven = statement(
  'usage.uneven_days',
  `SELECT DISTINCT date_trunc('day', at, 'UTC') AS day FROM (
     SELECT starts_at AS at FROM subscription_terms WHERE workspace_id = $1
     UNION ALL
     SELECT period_start FROM invoices WHERE workspace_id = $1
     UNION ALL
     SELECT billed_from FROM subscriptions WHERE workspace_id = $1 AND isfinite(billed_from)
     UNION ALL
     SELECT to_timestamp(edge.ms::float8 / 1000)
     FROM invoices i CROSS JOIN LATERAL jsonb_array_elements(i.content->'terms') AS term
     CROSS JOIN LATERAL (VALUES (term->>'from'), (term->>'to')) AS edge (ms)
     WHERE i.workspace_id = $1
   ) AS edges WHERE at <> date_trunc('day', at, 'UTC')`,
)
const nextSpan = statement(
  'usage.next_span',
  `SELECT first AS from, least(first + make_interval(days => $4), ${oldest('$2')}) AS to
   FROM (
     SELECT date_trunc('day', min(hour), 'UTC') AS first FROM usage_hours
     WHERE workspace_id = $1 AND hour < ${oldest('$2')}
       AND NOT (date_trunc('day', hour, 'UTC') = ANY ($3::timestamptz[]))
   ) AS found WHERE first IS NOT NULL`,
)
const span = `workspace_id = $1 AND hour >= $2 AND hour < $3
  AND NOT (date_trunc('day', hour, 'UTC') = ANY ($4::timestamptz[]))`
const rollHours = statement(
  'usage.roll_hours',
  `WITH gone AS (
     DELETE FROM usage_hours WHERE ${span} RETURNING *
   )
   INSERT INTO usage_days AS d (workspace_id, day, template_id, ${meters})
   SELECT workspace_id, date_trunc('day', hour, 'UTC'), template_id, ${summed}
   FROM gone GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
   ON CONFLICT (workspace_id, day, template_id) DO UPDATE SET ${added('d')}`,
)
const rollEntries = statement(
  'usage.roll_entries',
  `WITH gone AS (
     DELETE FROM usage_entries
     WHERE ${span} AND NOT (node_id = '${FOLDED}' AND seq = ${WHOLE_DAY}) RETURNING *
   )
   INSERT INTO usage_entries AS e (workspace_id, hour, template_id, node_id, seq, ${meters})
   SELECT workspace_id, date_trunc('day', hour, 'UTC'), template_id, '${FOLDED}', ${WHOLE_DAY},
          ${summed}
   FROM gone GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
   ON CONFLICT (workspace_id, hour, template_id, node_id, seq) DO UPDATE SET ${added('e')}`,
)

/** Workspaces that have hours older than so many days, by id. */
export const workspacesWithOldHours = async (
  db: Db,
  after: string,
  days: number,
  limit: number,
): Promise<string[]> =>
  (await db.query<{ id: string }>(withOldHours, [after, days, limit])).map(({ id }) => id)

/** Locks the entries for folding, until the commit: no days are made of them meanwhile. */
export async function lockEntries(trx: Db): Promise<void> {
  await trx.query(takeEntries)
}

const rfc3339 = (ms: number): string => new Date(ms).toISOString()

export interface Roll {
  /** Their age. */
  days: number
  /** Days to merge at once. */
  span: number
}

/**
 * Merges a workspace's next old hours into days.
 * @returns false if nothing is left to do
 */
export async function rollSpan(
  trx: Db,
  workspaceId: string,
  { days, span: most }: Roll,
): Promise<boolean> {
  await trx.query(hold)
  await trx.query(keepEntries)
  const rows = await trx.query<{ day: number }>(uneven, [workspaceId])
  const kept = rows.map(({ day }) => rfc3339(day))
  const asked = [workspaceId, days, kept, most]
  const [next] = await trx.query<{ from: number; to: number }>(nextSpan, asked)
  if (next === undefined) return false
  const values = [workspaceId, rfc3339(next.from), rfc3339(next.to), kept]
  await trx.query(rollHours, values)
  await trx.query(rollEntries, values)
  return true
}
