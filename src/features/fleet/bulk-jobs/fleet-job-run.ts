/**
 * Runs a job: first collects its devices, then processes them in chunks. A chunk claims its
 * devices, changes them and stores their results in one transaction, so a crash leaves all of it or
 * nothing. A run ends after some seconds and enqueues the next one, so that jobs alternate.
 */
import { Failure } from '../../../platform/errors/errors.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { openReceipt, type ReceiptServices } from '../../mqtt/revocation/receipt-issue.ts'
import { stillHolds } from '../../team/members/acting-user.ts'
import { isActiveWorkspace, RECHECK_MS } from '../../team/active-workspaces/active-workspace.ts'
import type { ActionServices, Order } from './action.ts'
import { actions, applyAction } from './actions.ts'
import { enqueueRun, originOfJob, recordJob, settleCancelled } from './fleet-job-turn.ts'
import * as items from './item-store.ts'
import { type Gathered, nextSelected } from './selected-devices.ts'
import * as store from './store.ts'

export interface RunServices extends ActionServices, ReceiptServices {
  db: Db
  /** Called with unexpected errors of single devices. */
  warn: (message: string, error: unknown) => void
}

const CHUNK = 500
const GATHERED_AT_ONCE = 5_000
/** Devices per job. */
const MAX_DEVICES = 10_000_000
const RUN_MS = 5_000
const BUSY_PAUSE_MS = 200

const orderOf = (job: store.JobRow): Order => ({
  workspaceId: job.workspace_id,
  jobId: formatId('job', job.id),
  parameters: job.parameters,
  origin: originOfJob(job),
})

/** The next devices of a job in preparation. */
async function gather(trx: Db, job: store.JobRow): Promise<Gathered> {
  const { workspace_id, retry_of, filter, expanded_to: after } = job
  const limit = GATHERED_AT_ONCE
  if (retry_of === null) {
    // A retry whose original is deleted; without a filter it would take all devices.
    if (filter === null) throw new Failure('job_not_found')
    return nextSelected(trx, workspace_id, filter, after, limit)
  }
  const ids = await items.failedDevicesOf(trx, workspace_id, retry_of, after, limit)
  return { ids, next: ids.length < limit ? undefined : ids.at(-1) }
}

/** @returns whether it has failed; if not, it is cancelled or a chunk of it is in progress */
async function fail(trx: Db, job: store.JobRow, code: string): Promise<boolean> {
  const row = await store.failJob.first(trx, {
    workspaceId: job.workspace_id,
    id: job.id,
    failure: code,
  })
  if (row !== undefined) await recordJob(trx, originOfJob(row), 'job.failed', row)
  return row !== undefined
}

/** Adds the next devices. @returns whether there is more to do */
function prepareChunk(services: RunServices, { workspace_id, id }: store.JobRow): Promise<boolean> {
  return services.db.transaction(async (trx) => {
    // Serializes concurrent preparations of a job.
    const job = await store.lockJob.first(trx, { workspaceId: workspace_id, id })
    if (job?.status !== 'preparing') return job?.ended_at === null
    if (!(await isActiveWorkspace(trx, workspace_id))) return true
    const { ids, next } = await gather(trx, job)
    if (job.total + ids.length > MAX_DEVICES) return !(await fail(trx, job, 'limit_reached'))
    const added = await items.insertItems(trx, job, ids)
    await store.growJob(trx, job, added, next, next === undefined)
    return true
  })
}

/** The devices cannot be determined, for example because a group in the filter is gone. */
async function prepare(services: RunServices, job: store.JobRow): Promise<boolean> {
  try {
    return await prepareChunk(services, job)
  } catch (error) {
    if (!(error instanceof Failure) || error.code === 'unavailable') throw error
    return !(await services.db.transaction((trx) => fail(trx, job, error.code)))
  }
}

const countOf = (results: readonly items.ItemResult[], status: items.ItemResult['status']) =>
  results.filter((result) => result.status === status).length

async function write(
  trx: Db,
  job: store.JobRow,
  results: readonly items.ItemResult[],
): Promise<void> {
  await items.markItems(trx, job, results)
  await store.addCounts.run(trx, {
    workspaceId: job.workspace_id,
    id: job.id,
    succeeded: countOf(results, 'succeeded'),
    failed: countOf(results, 'failed'),
    skipped: countOf(results, 'skipped'),
  })
}

/** @returns the number of devices claimed */
async function work(
  services: RunServices,
  trx: Db,
  job: store.JobRow,
  deviceIds: readonly string[],
): Promise<number> {
  if (deviceIds.length === 0 || !(await isActiveWorkspace(trx, job.workspace_id))) return 0
  const results = await applyAction(services, trx, job.action, orderOf(job), deviceIds)
  await write(trx, job, results)
  return results.length
}

/** Whether the database is unavailable; if it is merely slow, a device may be the cause. */
function isAway(error: unknown): boolean {
  if (!(error instanceof Failure) || error.code !== 'unavailable') return false
  return (error.options.cause as { code?: string } | undefined)?.code !== '57014'
}

const CHUNK_BROKE: Omit<items.ItemResult, 'deviceId'> = {
  status: 'failed',
  code: 'internal_error',
  detail: 'The service could not do it.',
}

function brokenBy(error: unknown): Omit<items.ItemResult, 'deviceId'> {
  if (!(error instanceof Failure)) return CHUNK_BROKE
  return { status: 'failed', code: error.code, detail: error.message }
}

/** Processes one device alone, so that its error does not affect the rest of its chunk. */
async function workOne(services: RunServices, job: store.JobRow, deviceId: string): Promise<void> {
  const { db, warn } = services
  const claimed = (trx: Db): Promise<string[]> => items.claimItem(trx, job, deviceId)
  try {
    await db.transaction(async (trx) => work(services, trx, job, await claimed(trx)))
  } catch (error) {
    if (isAway(error)) throw error
    if (!(error instanceof Failure)) warn('a job could not change a device', error)
    const result = brokenBy(error)
    await db.transaction(async (trx) => {
      const [id] = await claimed(trx)
      if (id !== undefined) await write(trx, job, [{ deviceId: id, ...result }])
    })
  }
}

/** One receipt covers all devices: one each would double the cost of a job. */
async function complete(services: RunServices, job: store.JobRow): Promise<boolean> {
  return services.db.transaction(async (trx) => {
    const row = await store.completeJob.first(trx, { workspaceId: job.workspace_id, id: job.id })
    if (row === undefined) return false
    const { workspace_id: workspaceId } = row
    const revocation = { workspaceId, reason: 'job.completed', subject: null } as const
    const receiptId = actions[row.action].announces
      ? await openReceipt(services, trx, revocation)
      : undefined
    await recordJob(trx, originOfJob(row), 'job.completed', row, receiptId)
    return true
  })
}

/** Another process has a chunk in progress. */
async function pauseForOthers(): Promise<true> {
  await new Promise((resolve) => setTimeout(resolve, BUSY_PAUSE_MS))
  return true
}

/** Processes the next devices. @returns whether there is more to do */
async function workChunk(
  services: RunServices,
  job: store.JobRow,
  signal: AbortSignal,
): Promise<boolean> {
  const { db } = services
  try {
    const done = await db.transaction(async (trx) =>
      work(services, trx, job, await items.claimItems(trx, job, CHUNK)),
    )
    if (done > 0) return true
  } catch (error) {
    if (isAway(error)) throw error
    for (const deviceId of await items.pendingItems(db, job, CHUNK)) {
      if (signal.aborted) return true
      await workOne(services, job, deviceId)
    }
    return true
  }
  return !(await complete(services, job)) && pauseForOthers()
}

/** For a creator that has lost the permission the job ends: completed work stays. */
async function step(
  services: RunServices,
  job: store.JobRow,
  signal: AbortSignal,
): Promise<boolean> {
  const { db } = services
  if (job.status === 'cancelling') {
    const ended = await db.transaction((trx) => settleCancelled(trx, job))
    return ended === undefined && pauseForOthers()
  }
  const { permission } = actions[job.action]
  if (!(await stillHolds(db, job.workspace_id, originOfJob(job).actor, permission))) {
    const hasEnded = await db.transaction((trx) => fail(trx, job, 'permission_denied'))
    return !hasEnded && pauseForOthers()
  }
  if (job.status === 'preparing') return prepare(services, job)
  return workChunk(services, job, signal)
}

/** Continues a job for some seconds, then enqueues the next run. */
export async function runJob(
  services: RunServices,
  { workspaceId, jobId }: { workspaceId: string; jobId: string },
  signal: AbortSignal,
): Promise<void> {
  const { db, clock } = services
  const deadline = performance.now() + RUN_MS
  while (!signal.aborted && performance.now() < deadline) {
    const job = await store.findJob.first(db, { workspaceId, id: jobId })
    if (job === undefined || job.ended_at !== null) return
    if (!(await isActiveWorkspace(db, workspaceId))) {
      return enqueueRun(db, job, clock.now() + RECHECK_MS)
    }
    if (!(await step(services, job, signal))) return
  }
  await enqueueRun(db, { workspace_id: workspaceId, id: jobId })
}

/** Days for which ended jobs are kept. */
const KEEP_DAYS = 30
const DELETE_BATCH = 10_000

/** Deletes old jobs with their results, in batches. */
export async function deleteOldJobs(
  { db }: Pick<RunServices, 'db'>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const job = await store.findOldJob.first(db, { days: KEEP_DAYS })
    if (job === undefined) return
    while ((await items.deleteItems(db, job, DELETE_BATCH)) === DELETE_BATCH) {
      if (signal.aborted) return
    }
    await store.deleteJob.run(db, { workspaceId: job.workspace_id, id: job.id })
  }
}
