/** Queries on devices of jobs: added, claimed, completed. */
import { type Db, statement } from '../../../platform/database/connect.ts'
import {
  filteredPage,
  type FilteredRequest,
  type FilteredTable,
} from '../../../platform/database/filtered-page.ts'

type Job = { workspace_id: string; id: string }

const insert = statement(
  'job_items.insert',
  `INSERT INTO job_items (workspace_id, job_id, device_id) SELECT $1, $2, unnest($3::uuid[])
   ON CONFLICT DO NOTHING RETURNING 1 AS new`,
)
const failedOf = statement(
  'job_items.failed_of',
  `SELECT device_id AS id FROM job_items
   WHERE workspace_id = $1 AND job_id = $2 AND status = 'failed'
     AND ($3::uuid IS NULL OR device_id > $3)
   ORDER BY device_id LIMIT $4`,
)
// Locks the job until the transaction ends: it does not end before the results are written.
const ofOpenJob = `EXISTS (SELECT FROM jobs WHERE workspace_id = $1 AND id = $2
                            AND ended_at IS NULL FOR KEY SHARE)`
// Skips devices claimed by another process: nobody waits, and nothing is done twice.
const claim = statement(
  'job_items.claim',
  `SELECT device_id AS id FROM job_items
   WHERE workspace_id = $1 AND job_id = $2 AND status = 'pending' AND ${ofOpenJob}
   ORDER BY device_id LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED`,
)
const claimOne = statement(
  'job_items.claim_one',
  `SELECT device_id AS id FROM job_items
   WHERE workspace_id = $1 AND job_id = $2 AND device_id = $3 AND status = 'pending'
     AND ${ofOpenJob}
   FOR NO KEY UPDATE SKIP LOCKED`,
)
const pending = statement(
  'job_items.pending',
  `SELECT device_id AS id FROM job_items
   WHERE workspace_id = $1 AND job_id = $2 AND status = 'pending' ORDER BY device_id LIMIT $3`,
)
const mark = statement(
  'job_items.mark',
  `UPDATE job_items i SET status = r.status, code = r.code, detail = r.detail, ended_at = now()
   FROM unnest($3::uuid[], $4::text[], $5::text[], $6::text[])
     AS r (device_id, status, code, detail)
   WHERE i.workspace_id = $1 AND i.job_id = $2 AND i.device_id = r.device_id
     AND i.status = 'pending'`,
)
const list: FilteredTable<ItemRow> = {
  idOf: ({ device_id }) => device_id,
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
}
const forget = statement(
  'job_items.forget',
  `DELETE FROM job_items WHERE workspace_id = $1 AND job_id = $2 AND device_id = ANY (ARRAY(
     SELECT device_id FROM job_items WHERE workspace_id = $1 AND job_id = $2 LIMIT $3))
   RETURNING 1 AS gone`,
)

const idsOf = async (
  db: Db,
  query: ReturnType<typeof statement>,
  values: readonly unknown[],
): Promise<string[]> => (await db.query<{ id: string }>(query, values)).map(({ id }) => id)

/** @returns the number of devices that are new to the job */
export const insertItems = async (
  db: Db,
  job: Job,
  deviceIds: readonly string[],
): Promise<number> => (await db.query(insert, [job.workspace_id, job.id, deviceIds])).length

/** The next devices that failed in another job, by id. */
export const failedDevicesOf = (
  db: Db,
  workspaceId: string,
  jobId: string,
  after: string | null,
  limit: number,
): Promise<string[]> => idsOf(db, failedOf, [workspaceId, jobId, after, limit])

/** Claims pending devices of an unfinished job until the transaction ends. */
export const claimItems = (db: Db, job: Job, limit: number): Promise<string[]> =>
  idsOf(db, claim, [job.workspace_id, job.id, limit])

export const claimItem = (db: Db, job: Job, deviceId: string): Promise<string[]> =>
  idsOf(db, claimOne, [job.workspace_id, job.id, deviceId])

export const pendingItems = (db: Db, job: Job, limit: number): Promise<string[]> =>
  idsOf(db, pending, [job.workspace_id, job.id, limit])

export interface ItemResult {
  deviceId: string
  status: 'succeeded' | 'failed' | 'skipped'
  code: string | null
  detail: string | null
}

export async function markItems(db: Db, job: Job, results: readonly ItemResult[]): Promise<void> {
  await db.query(mark, [
    job.workspace_id,
    job.id,
    results.map(({ deviceId }) => deviceId),
    results.map(({ status }) => status),
    results.map(({ code }) => code),
    results.map(({ detail }) => detail),
  ])
}

export interface ItemRow {
  device_id: string
  device_key: string | null
  status: 'pending' | 'succeeded' | 'failed' | 'skipped'
  code: string | null
  detail: string | null
  ended_at: number | null
}

export const pageOfItems = (db: Db, workspaceId: string, jobId: string, request: FilteredRequest) =>
  filteredPage(db, list, workspaceId, request, jobId)

/** Deletes some items of a job. @returns their number */
export const forgetItems = async (db: Db, job: Job, limit: number): Promise<number> =>
  (await db.query(forget, [job.workspace_id, job.id, limit])).length
