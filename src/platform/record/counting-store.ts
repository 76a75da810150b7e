/** Statements on the acts that are counted instead of written to the audit log one by one. */
import type { Db } from '../database/connect.ts'
import { type RowOf, sql } from '../database/sql.ts'

/** By the database's clock, in UTC: all processes count into the same window. */
const WINDOW = "date_trunc('hour', now(), 'UTC')"
/** Addresses that get an entry of their own when a window closes; the others share one. */
const MAX_ADDRESSES = 50

// A row whose budget is used up is left as it is.
const take = sql(
  'audit_counts.take',
  `INSERT INTO audit_counts AS c (workspace_id, window_start, action, address_block, written)
   SELECT $workspaceId, ${WINDOW}, $action, b.block, b.entries
   FROM unnest($blocks::text[], $entries::int[]) AS b (block, entries) ORDER BY b.block
   ON CONFLICT (workspace_id, window_start, action, address_block) DO UPDATE
   SET written = c.written + excluded.written WHERE c.written < $budget
   RETURNING address_block`,
)
// In the order of the key, so that concurrent transactions do not deadlock.
const count = sql(
  'audit_counts.count',
  `INSERT INTO audit_counts AS c
     (workspace_id, window_start, action, address_block, counted, first_at, last_at)
   SELECT n.workspace_id, ${WINDOW}, n.action, n.block, sum(n.acts), now(), now()
   FROM unnest($workspaceIds::uuid[], $actions::text[], $blocks::text[], $acts::bigint[])
     AS n (workspace_id, action, block, acts)
   GROUP BY 1, 3, 4 ORDER BY 1, 3, 4
   ON CONFLICT (workspace_id, window_start, action, address_block) DO UPDATE
   SET counted = c.counted + excluded.counted,
       first_at = least(c.first_at, excluded.first_at),
       last_at = greatest(c.last_at, excluded.last_at)`,
)
export const findClosedWindows = sql(
  'audit_counts.closed',
  `SELECT DISTINCT workspace_id, window_start, action FROM audit_counts
   WHERE window_start < ${WINDOW} LIMIT $limit`,
)
// Locked in the order of the key: another process waits for the first row, then finds none.
export type CountRow = RowOf<typeof close>

const close = sql(
  'audit_counts.close',
  `WITH over AS (
     SELECT ctid FROM audit_counts
     WHERE workspace_id = $workspaceId AND window_start = to_timestamp($windowStart::float8 / 1000)
       AND action = $action
     ORDER BY address_block FOR UPDATE
   ), gone AS (
     DELETE FROM audit_counts c USING over WHERE c.ctid = over.ctid
     RETURNING c.address_block, c.counted, c.first_at, c.last_at
   ), ranked AS (
     SELECT *, row_number() OVER (ORDER BY counted DESC, address_block) AS rank
     FROM gone WHERE counted > 0
   )
   SELECT CASE WHEN rank <= ${MAX_ADDRESSES} THEN address_block END AS address_block,
          count(*)::int AS addresses, sum(counted)::bigint AS acts!,
          min(first_at) AS first_at!, max(last_at) AS last_at!
   FROM ranked GROUP BY 1`,
)

/**
 * Takes entries from the budgets of address blocks.
 * @returns the blocks that had room; the last one may exceed it by its entries
 */
export async function takeEntries(
  trx: Db,
  workspaceId: string,
  action: string,
  entries: ReadonlyMap<string, number>,
  budget: number,
): Promise<Set<string>> {
  const rows = await take.rows(trx, {
    workspaceId,
    action,
    blocks: [...entries.keys()],
    entries: [...entries.values()],
    budget,
  })
  return new Set(rows.map((row) => row.address_block))
}

export interface CountedAct {
  workspaceId: string
  action: string
  addressBlock: string
  acts: number
}

export async function countActs(trx: Db, counted: readonly CountedAct[]): Promise<void> {
  if (counted.length === 0) return
  await count.run(trx, {
    workspaceIds: counted.map(({ workspaceId }) => workspaceId),
    actions: counted.map(({ action }) => action),
    blocks: counted.map(({ addressBlock }) => addressBlock),
    acts: counted.map(({ acts }) => acts),
  })
}

export type ClosedWindow = RowOf<typeof findClosedWindows>

/** Deletes the counts of a window. @returns them by address block; none if another process did */
export const closeWindow = (trx: Db, window: ClosedWindow): Promise<CountRow[]> =>
  close.rows(trx, {
    workspaceId: window.workspace_id,
    windowStart: window.window_start,
    action: window.action,
  })
