/** Statements on the acts that are counted instead of written to the audit log one by one. */
import { type Db, statement } from '../database/connect.ts'

/** By the database's clock, in UTC: all processes count into the same window. */
const WINDOW = "date_trunc('hour', now(), 'UTC')"
/** Addresses that get an entry of their own when a window closes; the others share one. */
const MOST_ADDRESSES = 50

// A row whose budget is used up is left as it is.
const take = statement(
  'audit_counts.take',
  `INSERT INTO audit_counts AS c (workspace_id, window_start, action, address_block, written)
   SELECT $1, ${WINDOW}, $2, b.block, b.entries
   FROM unnest($3::text[], $4::int[]) AS b (block, entries) ORDER BY b.block
   ON CONFLICT (workspace_id, window_start, action, address_block) DO UPDATE
   SET written = c.written + excluded.written WHERE c.written < $5
   RETURNING address_block`,
)
// In the order of the key, so that concurrent transactions do not deadlock.
const count = statement(
  'audit_counts.count',
  `INSERT INTO audit_counts AS c
     (workspace_id, window_start, action, address_block, counted, first_at, last_at)
   SELECT n.workspace_id, ${WINDOW}, n.action, n.block, sum(n.acts), now(), now()
   FROM unnest($1::uuid[], $2::text[], $3::text[], $4::bigint[])
     AS n (workspace_id, action, block, acts)
   GROUP BY 1, 3, 4 ORDER BY 1, 3, 4
   ON CONFLICT (workspace_id, window_start, action, address_block) DO UPDATE
   SET counted = c.counted + excluded.counted,
       first_at = least(c.first_at, excluded.first_at),
       last_at = greatest(c.last_at, excluded.last_at)`,
)
const closed = statement(
  'audit_counts.closed',
  `SELECT DISTINCT workspace_id, window_start, action FROM audit_counts
   WHERE window_start < ${WINDOW} LIMIT $1`,
)
// Locked in the order of the key: another process waits for the first row, then finds none.
const close = statement(
  'audit_counts.close',
  `WITH over AS (
     SELECT ctid FROM audit_counts
     WHERE workspace_id = $1 AND window_start = $2 AND action = $3
     ORDER BY address_block FOR UPDATE
   ), gone AS (
     DELETE FROM audit_counts c USING over WHERE c.ctid = over.ctid
     RETURNING c.address_block, c.counted, c.first_at, c.last_at
   ), ranked AS (
     SELECT *, row_number() OVER (ORDER BY counted DESC, address_block) AS rank
     FROM gone WHERE counted > 0
   )
   SELECT CASE WHEN rank <= ${MOST_ADDRESSES} THEN address_block END AS address_block,
          count(*)::int AS addresses, sum(counted)::bigint AS acts,
          min(first_at) AS first_at, max(last_at) AS last_at
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
  const values = [workspaceId, action, [...entries.keys()], [...entries.values()], budget]
  const rows = await trx.query<{ address_block: string }>(take, values)
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
  await trx.query(count, [
    counted.map(({ workspaceId }) => workspaceId),
    counted.map(({ action }) => action),
    counted.map(({ addressBlock }) => addressBlock),
    counted.map(({ acts }) => acts),
  ])
}

export interface ClosedWindow {
  workspace_id: string
  /** Milliseconds since the epoch. */
  window_start: number
  action: string
}

export const findClosedWindows = (db: Db, limit: number): Promise<ClosedWindow[]> =>
  db.query(closed, [limit])

export interface CountRow {
  /** Null: several blocks. */
  address_block: string | null
  addresses: number
  acts: number
  first_at: number
  last_at: number
}

/** Deletes the counts of a window. @returns them by address block; none if another process did */
export const closeWindow = (trx: Db, window: ClosedWindow): Promise<CountRow[]> =>
  trx.query(close, [window.workspace_id, new Date(window.window_start), window.action])
