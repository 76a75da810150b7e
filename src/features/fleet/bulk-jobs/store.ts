/** Queries on jobs. */
import { type RowOf, sql, stored } from '../../../platform/database/sql.ts'
import { filteredList } from '../../../platform/database/filtered-list.ts'
import { StoredOrigin } from '../../common/row-key.ts'
import { workTexts } from '../device-work/work-statements.ts'
import { JobParameters } from './schema.ts'

export type JobRow = RowOf<typeof insertJob>

// The stored time of a job that is being cancelled is that of the request.
const endedAt = `CASE WHEN status <> 'cancelling' THEN ended_at END`
const columns = `workspace_id, id, action, ${stored('parameters', JobParameters)}, filter, retry_of, status, failure,
  expanded_to, total, succeeded, failed, skipped, actor_kind, actor_id, request_id, address,
  ${stored('cancel_origin', StoredOrigin)}, created_at, ${endedAt} AS ended_at`

export const insertJob = sql('fleet_jobs.insert')`
  INSERT INTO jobs (workspace_id, id, action, parameters, filter, retry_of, status, total,
                    actor_kind, actor_id, request_id, address)
  VALUES ($workspaceId, $id, $action, $parameters, $filter?, $retryOf?, $status, $total,
    $actorKind, $actorId?, $requestId?, $address?)
  RETURNING ${columns}`
export const itemTables = { items: 'job_items', of: 'job_id' }
const texts = workTexts({
  ...itemTables,
  work: 'jobs',
  columns,
  untried: 'pending',
  // Its failed devices are still to be copied into its retry.
  unless: `EXISTS (SELECT FROM jobs r WHERE r.workspace_id = w.workspace_id
                     AND r.retry_of = w.id AND r.ended_at IS NULL)`,
})
export const statements = {
  find: sql('fleet_jobs.by_id')`${texts.find}`,
  lock: sql('fleet_jobs.lock')`${texts.lock}`,
  countOpen: sql('fleet_jobs.count_open')`${texts.countOpen}`,
  grow: sql('fleet_jobs.grow')`${texts.grow}`,
  findOld: sql('fleet_jobs.ended')`${texts.findOld}`,
  delete: sql('fleet_jobs.delete')`${texts.delete}`,
  insertItems: sql('job_items.insert')`${texts.insertItems}`,
  deleteItems: sql('job_items.delete')`${texts.deleteItems}`,
}
/** Devices of a job that were not tried, without claiming them. */
export const pendingItems = sql('job_items.pending')`${texts.untriedItems}`
export const findRetryOf = sql('fleet_jobs.retry_of')`
  SELECT ${columns} FROM jobs WHERE workspace_id = $workspaceId AND retry_of = $id`
/** Newest first. */
export const pageOfJobs = filteredList('jobs.filtered', {
  columns,
  table: 'jobs',
  fields: {
    action: { sql: 'action' },
    status: { sql: 'status' },
    created_by: { sql: 'actor_id' },
    created_at: { sql: 'created_at', isTimeOfId: true },
    ended_at: { sql: endedAt },
  },
})
// A chunk in progress has a share lock on its job. None starts until the transaction ends.
const unlessInProgress = (condition: string): string =>
  `workspace_id = $workspaceId AND id = (
     SELECT id FROM jobs WHERE workspace_id = $workspaceId AND id = $id AND ${condition}
     FOR UPDATE SKIP LOCKED)`
/** From now on no chunk of the job starts. */
export const beginCancel = sql('fleet_jobs.cancel')`
  UPDATE jobs SET status = 'cancelling', ended_at = now(), cancel_origin = $cancelOrigin
  WHERE workspace_id = $workspaceId AND id = $id AND ended_at IS NULL`
/** @returns the cancelled job; undefined if it is not being cancelled or a chunk is in progress */
export const settleCancelled = sql('fleet_jobs.settle')`
  UPDATE jobs SET status = 'cancelled', ended_at = now()
  WHERE ${unlessInProgress(`status = 'cancelling'`)} RETURNING ${columns}`
/** @returns the failed job; undefined if it had already ended or a chunk is in progress */
export const failJob = sql('fleet_jobs.fail')`
  UPDATE jobs SET status = 'failed', failure = $failure?, ended_at = now()
  WHERE ${unlessInProgress('ended_at IS NULL')} RETURNING ${columns}`
/** @returns the job if this call completed it: no device is pending any more */
export const completeJob = sql('fleet_jobs.complete')`
  UPDATE jobs j SET status = 'completed', ended_at = now()
  WHERE workspace_id = $workspaceId AND id = $id AND status = 'running'
    AND NOT EXISTS (SELECT FROM job_items i WHERE i.workspace_id = $workspaceId AND i.job_id = $id
                      AND i.status = 'pending')
  RETURNING ${columns}`
export const addCounts = sql('fleet_jobs.count')`
  UPDATE jobs SET succeeded = succeeded + $succeeded, failed = failed + $failed,
    skipped = skipped + $skipped
  WHERE workspace_id = $workspaceId AND id = $id`
export const hasTemplate = sql('fleet_jobs.known_template')`
  SELECT FROM device_templates WHERE workspace_id = $workspaceId AND id = $id`
