/** Jobs as a kind of work, and the end of a cancelled one. */
import { taskKind } from '../../../platform/jobs/job.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { originOfWork, recordWork, type WorkKind } from '../device-work/work.ts'
import { viewOf } from './bulk-job-view.ts'
import * as store from './store.ts'

const RUN_TASK = 'fleet-jobs.run'
/** Concurrent jobs over all processes, leaving room for other tasks. */
const LANES = 2

export const jobKind: WorkKind<store.JobRow> = {
  resource: 'job',
  prefix: 'job',
  statements: store.statements,
  // Stops runaway scripts.
  open: { limit: 'open_jobs', max: 100, what: 'jobs that have not ended' },
  keepDays: 30,
  tasks: { run: taskKind(RUN_TASK), remove: 'fleet-jobs.forget' },
  payloadId: 'job_id',
  queueOf: (id) => `${RUN_TASK}:${Number.parseInt(id.slice(-4), 16) % LANES}`,
  dataOf(row) {
    const { action, retry_of, counts } = viewOf(row)
    return { action, ...(retry_of && { retry_of }), counts }
  },
}

/**
 * Ends a job that is being cancelled, unless a chunk of it is in progress, so that the recorded
 * counts are final.
 * @returns the job if this call ended it
 */
export async function settleCancelled(
  trx: Db,
  key: { workspaceId: string; id: string },
): Promise<store.JobRow | undefined> {
  const row = await store.settleCancelled.first(trx, key)
  if (row !== undefined) {
    await recordWork(jobKind, trx, row.cancel_origin ?? originOfWork(row), 'job.cancelled', row)
  }
  return row
}
