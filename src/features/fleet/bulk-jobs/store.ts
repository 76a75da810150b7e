/** Queries on jobs. */
import type { Db } from '../../../platform/database/connect.ts'
import { type RowOf, sql } from '../../../platform/database/sql.ts'
import { filteredList } from '../../../platform/database/filtered-list.ts'
import type { Origin } from '../../../platform/record/event.ts'
import type { JobAction, JobParameters } from './schema.ts'

export type JobStatus =
  | 'preparing'
  | 'running'
  | 'cancelling'
  | 'completed'
  | 'cancelled'
  | 'failed'

export type JobRow = RowOf<typeof insert>

// The stored time of a job that is being cancelled is that of the request.
const endedAt = `CASE WHEN status <> 'cancelling' THEN ended_at END`
const columns = `workspace_id, id, action, parameters, filter, retry_of, status, failure,
  expanded_to, total, succeeded, failed, skipped, actor_kind, actor_id, request_id, address,
  cancel_origin, created_at, ${endedAt} AS ended_at`

const insert = sql(
  'fleet_jobs.insert',
  `INSERT INTO jobs (workspace_id, id, action, parameters, filter, retry_of, status, total,
                     actor_kind, actor_id, request_id, address)
   VALUES ($workspaceId, $id, $action, $parameters, $filter?, $retryOf?, $status, $total,
     $actorKind, $actorId?, $requestId?, $address?)
   ON CONFLICT ON CONSTRAINT jobs_retry_of DO NOTHING
   RETURNING ${columns}`,
)
const countOpen = sql(
  'fleet_jobs.count_open',
  'SELECT count(*) AS open FROM jobs WHERE workspace_id = $workspaceId AND ended_at IS NULL',
)
export const findJob = sql(
  'fleet_jobs.by_id',
  `SELECT ${columns} FROM jobs WHERE workspace_id = $workspaceId AND id = $id`,
)
export const lockJob = sql('fleet_jobs.lock', `${findJob.source} FOR NO KEY UPDATE`)
export const findRetryOf = sql(
  'fleet_jobs.retry_of',
  `SELECT ${columns} FROM jobs WHERE workspace_id = $workspaceId AND retry_of = $id`,
)
/** Newest first. */
export const pageOfJobs = filteredList<JobRow>({
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
const cancel = sql(
  'fleet_jobs.cancel',
  `UPDATE jobs SET status = 'cancelling', ended_at = now(), cancel_origin = $cancelOrigin?
   WHERE workspace_id = $workspaceId AND id = $id AND ended_at IS NULL`,
)
/** @returns the cancelled job; undefined if it is not being cancelled or a chunk is in progress */
export const settleCancelled = sql(
  'fleet_jobs.settle',
  `UPDATE jobs SET status = 'cancelled', ended_at = now()
   WHERE ${unlessInProgress(`status = 'cancelling'`)} RETURNING ${columns}`,
)
/** @returns the failed job; undefined if it had already ended or a chunk is in progress */
export const failJob = sql(
  'fleet_jobs.fail',
  `UPDATE jobs SET status = 'failed', failure = $failure?, ended_at = now()
   WHERE ${unlessInProgress('ended_at IS NULL')} RETURNING ${columns}`,
)
/** @returns the job if this call completed it: no device is pending any more */
export const completeJob = sql(
  'fleet_jobs.complete',
  `UPDATE jobs j SET status = 'completed', ended_at = now()
   WHERE workspace_id = $workspaceId AND id = $id AND status = 'running'
     AND NOT EXISTS (SELECT FROM job_items i WHERE i.workspace_id = $workspaceId AND i.job_id = $id
                       AND i.status = 'pending')
   RETURNING ${columns}`,
)
const grow = sql(
  'fleet_jobs.grow',
  `UPDATE jobs SET total = total + $added, expanded_to = $expandedTo?,
                   status = CASE WHEN $isComplete THEN 'running' ELSE status END
   WHERE workspace_id = $workspaceId AND id = $id`,
)
export const addCounts = sql(
  'fleet_jobs.count',
  `UPDATE jobs SET succeeded = succeeded + $succeeded, failed = failed + $failed,
     skipped = skipped + $skipped
   WHERE workspace_id = $workspaceId AND id = $id`,
)
const knownDevices = sql(
  'fleet_jobs.known_devices',
  'SELECT id FROM devices WHERE workspace_id = $workspaceId AND id = ANY($ids::uuid[])',
)
export const hasTemplate = sql(
  'fleet_jobs.known_template',
  'SELECT FROM device_templates WHERE workspace_id = $workspaceId AND id = $id',
)
/** A job that ended before so many days and whose devices no retry needs. */
export const findOldJob = sql(
  'fleet_jobs.ended',
  `SELECT workspace_id, id FROM jobs j WHERE ended_at < now() - make_interval(days => $days)
     AND NOT EXISTS (SELECT FROM jobs r WHERE r.workspace_id = j.workspace_id
                       AND r.retry_of = j.id AND r.ended_at IS NULL)
   ORDER BY ended_at LIMIT 1`,
)
export const deleteJob = sql(
  'fleet_jobs.delete',
  'DELETE FROM jobs WHERE workspace_id = $workspaceId AND id = $id',
)

export interface NewJob {
  workspaceId: string
  id: string
  action: JobAction
  parameters: JobParameters
  filter: string | null
  retryOf: string | null
  status: JobStatus
  total: number
}

/** @returns undefined if there is already a retry of the same job */
export async function insertJob(
  db: Db,
  job: NewJob,
  { actor, requestId, address }: Origin,
): Promise<JobRow | undefined> {
  const row = await insert.first(db, {
    workspaceId: job.workspaceId,
    id: job.id,
    action: job.action,
    parameters: JSON.stringify(job.parameters),
    filter: job.filter,
    retryOf: job.retryOf,
    status: job.status,
    total: job.total,
    actorKind: actor.kind,
    actorId: actor.id,
    requestId,
    address,
  })
  return row
}

export async function countOpenJobs(db: Db, workspaceId: string): Promise<number> {
  return (await countOpen.one(db, { workspaceId })).open
}

type Named = { workspace_id: string; id: string }

/** From now on no chunk of the job starts. */
export async function beginCancel(trx: Db, job: Named, origin: Origin): Promise<void> {
  await cancel.run(trx, {
    workspaceId: job.workspace_id,
    id: job.id,
    cancelOrigin: JSON.stringify(origin),
  })
}

/** Adds devices to a job in preparation. */
export async function growJob(
  db: Db,
  job: Named,
  by: number,
  expandedTo: string | undefined,
  isDone: boolean,
): Promise<void> {
  await grow.run(db, {
    workspaceId: job.workspace_id,
    id: job.id,
    added: by,
    expandedTo: expandedTo ?? null,
    isComplete: isDone,
  })
}

/** Which of the devices exist in the workspace. */
export async function findKnownDevices(
  db: Db,
  workspaceId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const rows = await knownDevices.rows(db, { workspaceId, ids })
  return new Set(rows.map(({ id }) => id))
}
