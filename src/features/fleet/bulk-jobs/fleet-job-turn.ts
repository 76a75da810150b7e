/** Common to all steps of a job: its record, and enqueueing its next run. */
import type { Db } from '../../../platform/database/connect.ts'
import type { EventType, Origin } from '../../../platform/record/event.ts'
import { record } from '../../../platform/record/record.ts'
import { enqueue } from '../../../platform/jobs/job.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { viewOf } from './fleet-job-view.ts'
import * as store from './store.ts'

export const RUN_TASK = 'fleet-jobs.run'

/** Crashes count as attempts: even a job that is killed often must complete. */
const TRIES = 30_000
/** Concurrent jobs over all processes, leaving room for other tasks. */
const LANES = 2

/** Enqueues a run, now or at a time; duplicates are merged. */
export function enqueueRun(
  db: Db,
  { workspace_id, id }: Pick<store.JobRow, 'workspace_id' | 'id'>,
  runAtMs?: number,
): Promise<void> {
  const lane = Number.parseInt(id.slice(-4), 16) % LANES
  return enqueue(
    db,
    RUN_TASK,
    { workspace_id, job_id: id },
    {
      key: `${RUN_TASK}:${id}`,
      queue: `${RUN_TASK}:${lane}`,
      maxAttempts: TRIES,
      ...(runAtMs !== undefined && { runAtMs }),
    },
  )
}

export const originOfJob = (job: store.JobRow): Origin => ({
  actor: { kind: job.actor_kind, id: job.actor_id },
  requestId: job.request_id,
  address: job.address,
})

export async function recordJob(
  trx: Db,
  origin: Origin,
  action: EventType,
  row: store.JobRow,
  /** UUID of the receipt of its revocations. */
  receiptId?: string,
): Promise<void> {
  const { id, action: does, counts, failure, retry_of } = viewOf(row)
  await record(trx, origin, {
    workspaceId: row.workspace_id,
    action,
    resource: { kind: 'job', id },
    data: {
      job_id: id,
      action: does,
      ...(retry_of && { retry_of }),
      counts,
      ...(receiptId && { receipt_id: formatId('rcp', receiptId) }),
    },
    detail: { ...(failure && { failure }), ...(row.filter !== null && { filter: row.filter }) },
  })
}

/**
 * Ends a job that is being cancelled, unless a chunk of it is in progress, so that the recorded
 * counts are final.
 * @returns the job if this call ended it
 */
export async function settleCancelled(
  trx: Db,
  job: Pick<store.JobRow, 'workspace_id' | 'id'>,
): Promise<store.JobRow | undefined> {
  const row = await store.settleCancelled.first(trx, {
    workspaceId: job.workspace_id,
    id: job.id,
  })
  if (row !== undefined) {
    await recordJob(trx, row.cancel_origin ?? originOfJob(row), 'job.cancelled', row)
  }
  return row
}
