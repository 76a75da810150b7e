/** Queries on devices of jobs: claimed, completed, listed. */
import type { RowOfList } from '../../../platform/database/filtered-list.ts'
import { sql, unnested } from '../../../platform/database/sql.ts'
import { itemList } from '../device-work/work-statements.ts'
import { itemTables } from './store.ts'

/** The next devices that failed in another job, by id. */
export const failedItems = sql('job_items.failed_of')`
  SELECT device_id AS id FROM job_items
  WHERE workspace_id = $workspaceId AND job_id = $id AND status = 'failed'
    AND ($after?::uuid IS NULL OR device_id > $after)
  ORDER BY device_id LIMIT $limit`
// Locks the job until the transaction ends: it does not end before the results are written.
const ofOpenJob = `EXISTS (SELECT FROM jobs WHERE workspace_id = $workspaceId AND id = $id
                            AND ended_at IS NULL FOR KEY SHARE)`
// Skips devices claimed by another process: nobody waits, and nothing is done twice.
/** Claims pending devices of an unfinished job until the transaction ends. */
export const claimItems = sql('job_items.claim')`
  SELECT device_id AS id FROM job_items
  WHERE workspace_id = $workspaceId AND job_id = $id AND status = 'pending' AND ${ofOpenJob}
  ORDER BY device_id LIMIT $limit FOR NO KEY UPDATE SKIP LOCKED`
export const claimItem = sql('job_items.claim_one')`
  SELECT device_id AS id FROM job_items
  WHERE workspace_id = $workspaceId AND job_id = $id AND device_id = $deviceId AND status = 'pending'
    AND ${ofOpenJob}
  FOR NO KEY UPDATE SKIP LOCKED`
export const markItems = sql('job_items.mark')`
  UPDATE job_items i SET status = r.status, code = r.code, detail = r.detail, ended_at = now()
  FROM ${unnested('r', 'deviceId uuid, status text, code text, detail text')}
  WHERE i.workspace_id = $workspaceId AND i.job_id = $id AND i.device_id = r.device_id
    AND i.status = 'pending'`
export const pageOfItems = itemList('job_items.filtered', itemTables, 'detail')
export type ItemRow = RowOfList<typeof pageOfItems>

export interface ItemResult {
  deviceId: string
  status: 'succeeded' | 'failed' | 'skipped'
  code: string | null
  detail: string | null
}
