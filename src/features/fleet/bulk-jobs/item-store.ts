/** Queries on devices of jobs: added, claimed, completed. */
import type { Db } from '../../../platform/database/connect.ts'
import { sql } from '../../../platform/database/sql.ts'
import { filteredList } from '../../../platform/database/filtered-list.ts'

type Job = { workspace_id: string; id: string }

const insert = sql(
  'job_items.insert',
  `INSERT INTO job_items (workspace_id, job_id, device_id) SELECT $workspaceId, $jobId,
     unnest($deviceIds::uuid[])
   ON CONFLICT DO NOTHING RETURNING 1 AS new`,
)
const failedOf = sql(
  'job_items.failed_of',
  `SELECT device_id AS id FROM job_items
   WHERE workspace_id = $workspaceId AND job_id = $jobId AND status = 'failed'
     AND ($after?::uuid IS NULL OR device_id > $after)
   ORDER BY device_id LIMIT $limit`,
)
// Locks the job until the transaction ends: it does not end before the results are written.
const ofOpenJob = `EXISTS (SELECT FROM jobs WHERE workspace_id = $workspaceId AND id = $jobId
                            AND ended_at IS NULL FOR KEY SHARE)`
// Skips devices claimed by another process: nobody waits, and nothing is done twice.
const claim = sql(
  'job_items.claim',
  `SELECT device_id AS id FROM job_items
   WHERE workspace_id = $workspaceId AND job_id = $jobId AND status = 'pending' AND ${ofOpenJob}
   ORDER BY device_id LIMIT $limit FOR NO KEY UPDATE SKIP LOCKED`,
)
const claimOne = sql(
  'job_items.claim_one',
  `SELECT device_id AS id FROM job_items
   WHERE workspace_id = $workspaceId AND job_id = $jobId AND device_id = $deviceId AND status = 'pending'
     AND ${ofOpenJob}
   FOR NO KEY UPDATE SKIP LOCKED`,
)
const pending = sql(
  'job_items.pending',
  `SELECT device_id AS id FROM job_items
   WHERE workspace_id = $workspaceId AND job_id = $jobId AND status = 'pending' ORDER BY device_id
     LIMIT $limit`,
)
const mark = sql(
  'job_items.mark',
  `UPDATE job_items i SET status = r.status, code = r.code, detail = r.detail, ended_at = now()
   FROM unnest($deviceIds::uuid[], $statuses::text[], $codes::text[], $details::text[])
     AS r (device_id, status, code, detail)
   WHERE i.workspace_id = $workspaceId AND i.job_id = $jobId AND i.device_id = r.device_id
     AND i.status = 'pending'`,
)
export const pageOfItems = filteredList<ItemRow>({
  columns: 'device_id, status, code, detail, ended_at',
  more: `(SELECT d.device_key FROM devices d
          WHERE d.workspace_id = $1 AND d.id = seen.device_id) AS device_key`,
  table: 'job_items',
  partOf: 'job_id',
  order: { column: 'device_id', type: 'uuid', isUpwards: true },
  fields: {
    device_id: { sql: 'device_id' },
    status: { sql: 'status', isIndexed: true },
    code: { sql: 'code', isIndexed: true, indexHas: 'code IS NOT NULL' },
    ended_at: { sql: 'ended_at' },
  },
})
const forget = sql(
  'job_items.forget',
  `DELETE FROM job_items WHERE workspace_id = $workspaceId AND job_id = $jobId
     AND device_id = ANY (ARRAY(
     SELECT device_id FROM job_items WHERE workspace_id = $workspaceId AND job_id = $jobId
       LIMIT $limit))
   RETURNING 1 AS gone`,
)

const idsOf = async (rows: Promise<{ id: string }[]>): Promise<string[]> =>
  (await rows).map(({ id }) => id)

/** @returns the number of devices that are new to the job */
export const insertItems = async (
  db: Db,
  job: Job,
  deviceIds: readonly string[],
): Promise<number> =>
  (await insert.rows(db, { workspaceId: job.workspace_id, jobId: job.id, deviceIds })).length

/** The next devices that failed in another job, by id. */
export const failedDevicesOf = (
  db: Db,
  workspaceId: string,
  jobId: string,
  after: string | null,
  limit: number,
): Promise<string[]> => idsOf(failedOf.rows(db, { workspaceId, jobId, after, limit }))

/** Claims pending devices of an unfinished job until the transaction ends. */
export const claimItems = (db: Db, job: Job, limit: number): Promise<string[]> =>
  idsOf(claim.rows(db, { workspaceId: job.workspace_id, jobId: job.id, limit }))

export const claimItem = (db: Db, job: Job, deviceId: string): Promise<string[]> =>
  idsOf(claimOne.rows(db, { workspaceId: job.workspace_id, jobId: job.id, deviceId }))

export const pendingItems = (db: Db, job: Job, limit: number): Promise<string[]> =>
  idsOf(pending.rows(db, { workspaceId: job.workspace_id, jobId: job.id, limit }))

export interface ItemResult {
  deviceId: string
  status: 'succeeded' | 'failed' | 'skipped'
  code: string | null
  detail: string | null
}

export async function markItems(db: Db, job: Job, results: readonly ItemResult[]): Promise<void> {
  await mark.run(db, {
    workspaceId: job.workspace_id,
    jobId: job.id,
    deviceIds: results.map(({ deviceId }) => deviceId),
    statuses: results.map(({ status }) => status),
    codes: results.map(({ code }) => code),
    details: results.map(({ detail }) => detail),
  })
}

export interface ItemRow {
  device_id: string
  device_key: string | null
  status: 'pending' | 'succeeded' | 'failed' | 'skipped'
  code: string | null
  detail: string | null
  ended_at: number | null
}

/** Deletes some items of a job. @returns their number */
export const deleteItems = async (db: Db, job: Job, limit: number): Promise<number> =>
  (await forget.rows(db, { workspaceId: job.workspace_id, jobId: job.id, limit })).length
