/** Queries on jobs. */
import { type Db, statement } from '../../../platform/database/connect.ts'
import {
  filteredPage,
  type FilteredRequest,
  type FilteredTable,
} from '../../../platform/database/filtered-page.ts'
import type { Origin } from '../../../platform/record/event.ts'
import type { JobAction, JobParameters } from './schema.ts'

export type JobStatus =
  | 'preparing'
  | 'running'
  | 'cancelling'
  | 'completed'
  | 'cancelled'
  | 'failed'

export interface JobRow {
  workspace_id: string
  id: string
  action: JobAction
  parameters: JobParameters
  filter: string | null
  retry_of: string | null
  status: JobStatus
  failure: string | null
  expanded_to: string | null
  total: number
  succeeded: number
  failed: number
  skipped: number
  actor_kind: Origin['actor']['kind']
  actor_id: string | null
  request_id: string | null
  address: string | null
  /** Who cancelled it; recorded when it has ended. */
  cancel_origin: Origin | null
  created_at: number
  ended_at: number | null
}

// The stored time of a job that is being cancelled is that of the request.
const endedAt = `CASE WHEN status <> 'cancelling' THEN ended_at END`
const columns = `workspace_id, id, action, parameters, filter, retry_of, status, failure,
  expanded_to, total, succeeded, failed, skipped, actor_kind, actor_id, request_id, address,
  cancel_origin, created_at, ${endedAt} AS ended_at`

const insert = statement(
  'fleet_jobs.insert',
  `INSERT INTO jobs (workspace_id, id, action, parameters, filter, retry_of, status, total,
                     actor_kind, actor_id, request_id, address)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
   ON CONFLICT ON CONSTRAINT jobs_retry_of DO NOTHING
   RETURNING ${columns}`,
)
const countOpen = statement(
  'fleet_jobs.count_open',
  'SELECT count(*) AS open FROM jobs WHERE workspace_id = $1 AND ended_at IS NULL',
)
const byId = statement(
  'fleet_jobs.by_id',
  `SELECT ${columns} FROM jobs WHERE workspace_id = $1 AND id = $2`,
)
const lock = statement('fleet_jobs.lock', `${byId.text} FOR NO KEY UPDATE`)
const retryOf = statement(
  'fleet_jobs.retry_of',
  `SELECT ${columns} FROM jobs WHERE workspace_id = $1 AND retry_of = $2`,
)
const list: FilteredTable<JobRow> = {
  idOf: ({ id }) => id,
  columns,
  table: 'jobs',
  fields: {
    action: { sql: 'action' },
    status: { sql: 'status' },
    created_by: { sql: 'actor_id' },
    created_at: { sql: 'created_at', isTimeOfId: true },
    ended_at: { sql: endedAt },
  },
}
// A chunk in progress has a share lock on its job. None starts until the transaction ends.
const unlessInProgress = (condition: string): string =>
  `workspace_id = $1 AND id = (
     SELECT id FROM jobs WHERE workspace_id = $1 AND id = $2 AND ${condition}
     FOR UPDATE SKIP LOCKED)`
const cancel = statement(
  'fleet_jobs.cancel',
  `UPDATE jobs SET status = 'cancelling', ended_at = now(), cancel_origin = $3
   WHERE workspace_id = $1 AND id = $2 AND ended_at IS NULL`,
)
const settle = statement(
  'fleet_jobs.settle',
  `UPDATE jobs SET status = 'cancelled', ended_at = now()
   WHERE ${unlessInProgress(`status = 'cancelling'`)} RETURNING ${columns}`,
)
const fail = statement(
  'fleet_jobs.fail',
  `UPDATE jobs SET status = 'failed', failure = $3, ended_at = now()
   WHERE ${unlessInProgress('ended_at IS NULL')} RETURNING ${columns}`,
)
const complete = statement(
  'fleet_jobs.complete',
  `UPDATE jobs j SET status = 'completed', ended_at = now()
   WHERE workspace_id = $1 AND id = $2 AND status = 'running'
     AND NOT EXISTS (SELECT FROM job_items i WHERE i.workspace_id = $1 AND i.job_id = $2
                       AND i.status = 'pending')
   RETURNING ${columns}`,
)
const grow = statement(
  'fleet_jobs.grow',
  `UPDATE jobs SET total = total + $3, expanded_to = $4,
                   status = CASE WHEN $5 THEN 'running' ELSE status END
   WHERE workspace_id = $1 AND id = $2`,
)
const count = statement(
  'fleet_jobs.count',
  `UPDATE jobs SET succeeded = succeeded + $3, failed = failed + $4, skipped = skipped + $5
   WHERE workspace_id = $1 AND id = $2`,
)
const knownDevices = statement(
  'fleet_jobs.known_devices',
  'SELECT id FROM devices WHERE workspace_id = $1 AND id = ANY($2::uuid[])',
)
const knownTemplate = statement(
  'fleet_jobs.known_template',
  'SELECT FROM device_templates WHERE workspace_id = $1 AND id = $2',
)
const ended = statement(
  'fleet_jobs.ended',
  `SELECT workspace_id, id FROM jobs j WHERE ended_at < now() - make_interval(days => $1)
     AND NOT EXISTS (SELECT FROM jobs r WHERE r.workspace_id = j.workspace_id
                       AND r.retry_of = j.id AND r.ended_at IS NULL)
   ORDER BY ended_at LIMIT 1`,
)
const remove = statement(
  'fleet_jobs.delete',
  'DELETE FROM jobs WHERE workspace_id = $1 AND id = $2',
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
  const [row] = await db.query<JobRow>(insert, [
    job.workspaceId,
    job.id,
    job.action,
    JSON.stringify(job.parameters),
    job.filter,
    job.retryOf,
    job.status,
    job.total,
    actor.kind,
    actor.id,
    requestId,
    address,
  ])
  return row
}

export async function countOpenJobs(db: Db, workspaceId: string): Promise<number> {
  return (await db.query<{ open: number }>(countOpen, [workspaceId]))[0]?.open ?? 0
}

const one = async (db: Db, query: typeof byId, values: unknown[]): Promise<JobRow | undefined> =>
  (await db.query<JobRow>(query, values))[0]

export const findJob = (db: Db, workspaceId: string, id: string): Promise<JobRow | undefined> =>
  one(db, byId, [workspaceId, id])

export const lockJob = (db: Db, workspaceId: string, id: string): Promise<JobRow | undefined> =>
  one(db, lock, [workspaceId, id])

export const findRetryOf = (db: Db, workspaceId: string, id: string): Promise<JobRow | undefined> =>
  one(db, retryOf, [workspaceId, id])

/** Newest first. */
export const pageOfJobs = (db: Db, workspaceId: string, request: FilteredRequest) =>
  filteredPage(db, list, workspaceId, request)

type Named = { workspace_id: string; id: string }

/** From now on no chunk of the job starts. */
export async function beginCancel(trx: Db, job: Named, origin: Origin): Promise<void> {
  await trx.query(cancel, [job.workspace_id, job.id, JSON.stringify(origin)])
}

/** @returns the cancelled job; undefined if it is not being cancelled or a chunk is in progress */
export const settleCancelled = (trx: Db, job: Named): Promise<JobRow | undefined> =>
  one(trx, settle, [job.workspace_id, job.id])

/** @returns the failed job; undefined if it had already ended or a chunk is in progress */
export const failJob = (trx: Db, job: Named, failure: string): Promise<JobRow | undefined> =>
  one(trx, fail, [job.workspace_id, job.id, failure])

/** @returns the job if this call completed it: no device is pending any more */
export const completeJob = (db: Db, job: Named): Promise<JobRow | undefined> =>
  one(db, complete, [job.workspace_id, job.id])

/** Adds devices to a job in preparation. */
export async function growJob(
  db: Db,
  job: Named,
  by: number,
  expandedTo: string | undefined,
  isDone: boolean,
): Promise<void> {
  await db.query(grow, [job.workspace_id, job.id, by, expandedTo ?? null, isDone])
}

export async function addCounts(
  db: Db,
  job: Named,
  counts: { succeeded: number; failed: number; skipped: number },
): Promise<void> {
  const { succeeded, failed, skipped } = counts
  await db.query(count, [job.workspace_id, job.id, succeeded, failed, skipped])
}

/** Which of the devices exist in the workspace. */
export async function findKnownDevices(
  db: Db,
  workspaceId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const rows = await db.query<{ id: string }>(knownDevices, [workspaceId, ids])
  return new Set(rows.map(({ id }) => id))
}

export const hasTemplate = async (db: Db, workspaceId: string, id: string): Promise<boolean> =>
  (await db.query(knownTemplate, [workspaceId, id])).length > 0

/** A job that ended before so many days and whose devices no retry needs. */
export async function findOldJob(
  db: Db,
  days: number,
): Promise<{ workspace_id: string; id: string } | undefined> {
  return (await db.query<{ workspace_id: string; id: string }>(ended, [days]))[0]
}

export async function deleteJob(db: Db, workspaceId: string, id: string): Promise<void> {
  await db.query(remove, [workspaceId, id])
}
