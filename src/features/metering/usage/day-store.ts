/** Queries that merge old hours into days, in the sums and in the ledger. */
import type { Db } from '../../../platform/database/connect.ts'
import { sql } from '../../../platform/database/sql.ts'
import { added, meters, summed } from './store.ts'

/** Replaces the process id in merged ledger entries. */
export const FOLDED = '00000000-0000-0000-0000-000000000000'
/** Sequence number of an entry for a whole day. */
export const WHOLE_DAY = 1

const oldest = (days: string): string =>
  `date_trunc('day', now() - make_interval(days => ${days}), 'UTC')`

const withOldHours = sql(
  'usage.with_old_hours',
  `SELECT w.id FROM workspaces w
   WHERE w.id > $after AND EXISTS (
     SELECT FROM usage_hours h WHERE h.workspace_id = w.id AND h.hour < ${oldest('$days')})
   ORDER BY w.id LIMIT $limit`,
)
// Blocks recomputation of the sums.
const hold = sql('usage.hold_shared', 'SELECT FROM usage_horizon FOR SHARE')
// Keeps folding and making days apart: the latter would not see entries that are just being folded,
// and leave them behind. Statements of their own, since the snapshot must come after the lock.
const LOCK = 1_634_890_611
const keepEntries = sql('usage.keep_entries', `SELECT pg_advisory_xact_lock_shared(${LOCK})`)
/** Locks the entries for folding, until the commit: no days are made of them meanwhile. */
export const lockEntries = sql('usage.take_entries', `SELECT pg_advisory_xact_lock(${LOCK})`)
const uneven = sql(
  'usage.uneven_days',
  `SELECT DISTINCT date_trunc('day', at, 'UTC') AS day! FROM (
     SELECT starts_at AS at FROM subscription_terms WHERE workspace_id = $workspaceId
     UNION ALL
     SELECT period_start FROM invoices WHERE workspace_id = $workspaceId
     UNION ALL
     SELECT billed_from FROM subscriptions WHERE workspace_id = $workspaceId
       AND isfinite(billed_from)
     UNION ALL
     SELECT to_timestamp(edge.ms::float8 / 1000)
     FROM invoices i CROSS JOIN LATERAL jsonb_array_elements(i.content->'terms') AS term
     CROSS JOIN LATERAL (VALUES (term->>'from'), (term->>'to')) AS edge (ms)
     WHERE i.workspace_id = $workspaceId
   ) AS edges WHERE at <> date_trunc('day', at, 'UTC')`,
)
const nextSpan = sql(
  'usage.next_span',
  `SELECT first AS from!, least(first + make_interval(days => $span), ${oldest('$days')}) AS to!
   FROM (
     SELECT date_trunc('day', min(hour), 'UTC') AS first FROM usage_hours
     WHERE workspace_id = $workspaceId AND hour < ${oldest('$days')}
       AND NOT (date_trunc('day', hour, 'UTC') = ANY ($without::timestamptz[]))
   ) AS found WHERE first IS NOT NULL`,
)
const span = `workspace_id = $workspaceId AND hour >= $from AND hour < $to
  AND NOT (date_trunc('day', hour, 'UTC') = ANY ($without::timestamptz[]))`
const rollHours = sql(
  'usage.roll_hours',
  `WITH gone AS (
     DELETE FROM usage_hours WHERE ${span} RETURNING *
   )
   INSERT INTO usage_days AS d (workspace_id, day, template_id, ${meters})
   SELECT workspace_id, date_trunc('day', hour, 'UTC'), template_id, ${summed}
   FROM gone GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
   ON CONFLICT (workspace_id, day, template_id) DO UPDATE SET ${added('d')}`,
)
const rollEntries = sql(
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
): Promise<string[]> => (await withOldHours.rows(db, { after, days, limit })).map(({ id }) => id)

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
  await hold.run(trx)
  await keepEntries.run(trx)
  const rows = await uneven.rows(trx, { workspaceId })
  const kept = rows.map(({ day }) => rfc3339(day))
  const next = await nextSpan.first(trx, { workspaceId, days, without: kept, span: most })
  if (next === undefined) return false
  const rolled = { workspaceId, from: rfc3339(next.from), to: rfc3339(next.to), without: kept }
  await rollHours.run(trx, rolled)
  await rollEntries.run(trx, rolled)
  return true
}
