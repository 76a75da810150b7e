/** Queries that merge ledger entries, and recompute sums from them. */
import type { Db } from '../../../platform/database/connect.ts'
import { sql } from '../../../platform/database/sql.ts'
import { FOLDED, WHOLE_DAY, WHOLE_WORKSPACE, added, meters, summed } from './store.ts'

/** Merges entries of hours that started before so long. */
export const foldEntries = sql('usage.fold')`
  WITH old AS (
    SELECT workspace_id, hour, template_id, node_id, seq FROM usage_entries
    WHERE hour < now() - make_interval(hours => $hours) AND node_id <> '${FOLDED}'
    ORDER BY hour LIMIT $limit FOR UPDATE SKIP LOCKED
  ), gone AS (
    DELETE FROM usage_entries e USING old
    WHERE (e.workspace_id, e.hour, e.template_id, e.node_id, e.seq)
        = (old.workspace_id, old.hour, old.template_id, old.node_id, old.seq)
    RETURNING e.*
  ), folded AS (
    INSERT INTO usage_entries AS e (workspace_id, hour, template_id, node_id, seq, ${meters})
    SELECT workspace_id, hour, template_id, '${FOLDED}', 0, ${summed} FROM gone
    GROUP BY workspace_id, hour, template_id ORDER BY workspace_id, hour, template_id
    ON CONFLICT (workspace_id, hour, template_id, node_id, seq) DO UPDATE
    SET ${added('e')}
  )
  SELECT count(*) AS folded FROM gone`
export const deleteOldWriters = sql('usage.delete_old_writers')`
  DELETE FROM usage_writers WHERE written_at < now() - make_interval(days => $days)`
export const workspacesAfter = sql('usage.workspaces_after')`
  SELECT id FROM workspaces WHERE id > $id ORDER BY id LIMIT $limit`
// Blocks all writers while held.
const hold = sql('usage.hold')`SELECT FROM usage_horizon FOR UPDATE`
const isDay = `node_id = '${FOLDED}' AND seq = ${WHOLE_DAY}`
const differing = sql('usage.differing')`
  WITH made AS (
    SELECT ${isDay} AS is_day, hour, template_id, ${summed} FROM usage_entries
    WHERE workspace_id = $workspaceId GROUP BY ${isDay}, hour, template_id
  ), kept AS (
    SELECT false, hour, template_id, ${meters} FROM usage_hours WHERE workspace_id = $workspaceId
    UNION ALL
    SELECT true, day, template_id, ${meters} FROM usage_days WHERE workspace_id = $workspaceId
  )
  SELECT count(*) AS differing FROM (
    (TABLE made EXCEPT TABLE kept) UNION (TABLE kept EXCEPT TABLE made)) AS both_ways`
const dropHours = sql('usage.drop_hours')`DELETE FROM usage_hours WHERE workspace_id = $workspaceId`
const makeHours = sql('usage.make_hours')`
  INSERT INTO usage_hours (workspace_id, hour, template_id, ${meters})
  SELECT workspace_id, hour, template_id, ${summed} FROM usage_entries
  WHERE workspace_id = $workspaceId AND NOT (${isDay}) GROUP BY workspace_id, hour, template_id`
const dropDays = sql('usage.drop_days')`DELETE FROM usage_days WHERE workspace_id = $workspaceId`
const makeDays = sql('usage.make_days')`
  INSERT INTO usage_days (workspace_id, day, template_id, ${meters})
  SELECT workspace_id, hour, template_id, ${meters} FROM usage_entries
  WHERE workspace_id = $workspaceId AND ${isDay}`
const dropMonths = sql('usage.drop_months')`
  DELETE FROM usage_months WHERE workspace_id = $workspaceId`
const makeMonths = sql('usage.make_months')`
  INSERT INTO usage_months (workspace_id, month, ${meters})
  SELECT workspace_id, date_trunc('month', hour, 'UTC'), sum(messages), sum(bytes),
         sum(api_calls), coalesce(max(connected_devices) FILTER (WHERE template_id =
           '${WHOLE_WORKSPACE}'), 0)
  FROM (TABLE usage_hours UNION ALL TABLE usage_days) AS used
  WHERE workspace_id = $workspaceId
  GROUP BY workspace_id, date_trunc('month', hour, 'UTC')`

/**
 * Recomputes a workspace's hours, days and months from its entries.
 * @returns the number of hour and day rows that differed
 */
export const createAgain = (db: Db, workspaceId: string): Promise<number> =>
  db.transaction(async (trx) => {
    await hold.run(trx)
    const row = await differing.first(trx, { workspaceId })
    await dropHours.run(trx, { workspaceId })
    await makeHours.run(trx, { workspaceId })
    await dropDays.run(trx, { workspaceId })
    await makeDays.run(trx, { workspaceId })
    await dropMonths.run(trx, { workspaceId })
    await makeMonths.run(trx, { workspaceId })
    return row?.differing ?? 0
  })
