/**
 * The steps of a job, which processes its devices in chunks. A chunk claims its devices, changes
 * them and stores their results in one transaction, so a crash leaves all of it or nothing.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { codeOf } from '../../../platform/lib/system-errors.ts'
import { columnsOf } from '../../../platform/database/sql.ts'
import { Failure } from '../../../platform/errors/errors.ts'
import type { Task } from '../../../platform/jobs/job.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { serviceOrigin } from '../../../platform/record/event.ts'
import { openReceipt, type ReceiptServices } from '../../mqtt/revocation/receipt-issue.ts'
import { stillHolds } from '../../team/members/acting-user.ts'
import { isActiveWorkspace } from '../../team/active-workspaces/active-workspace.ts'
import { type Gathered, nextSelected } from '../device-work/selected-devices.ts'
import { keyOf } from '../../common/row-key.ts'
import { originOfWork, recordWork } from '../device-work/work.ts'
import { createWorkTasks, prepare } from '../device-work/work-run.ts'
import { type ActionServices, contextOf } from './action.ts'
import { actions, applyAction } from './actions.ts'
import { jobKind, settleCancelled } from './bulk-job-kind.ts'
import * as items from './item-store.ts'
import * as store from './store.ts'

interface RunServices extends ActionServices, ReceiptServices {
  db: Db
  /** Called with unexpected errors of single devices. */
  warn: (message: string, error: unknown) => void
}

const CHUNK = 500
const BUSY_PAUSE_MS = 200

const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id)

/** The next devices of a job in preparation. */
async function gather(trx: Db, job: store.JobRow, limit: number): Promise<Gathered> {
  const { workspace_id: workspaceId, retry_of, filter, expanded_to: after } = job
  if (retry_of === null) {
    // A retry whose original is deleted; without a filter it would take all devices.
    if (filter === null) throw new Failure('job_not_found')
    return nextSelected(trx, workspaceId, filter, after, limit)
  }
  const ids = idsOf(await items.failedItems.rows(trx, { workspaceId, id: retry_of, after, limit }))
  return { ids, next: ids.length < limit ? undefined : ids.at(-1) }
}

/** @returns whether it has failed; if not, it is cancelled or a chunk of it is in progress */
async function fail(trx: Db, job: store.JobRow, failure: string): Promise<boolean> {
  const row = await store.failJob.first(trx, { ...keyOf(job), failure })
  if (row !== undefined) await recordWork(jobKind, trx, serviceOrigin, 'job.failed', row)
  return row !== undefined
}

const countOf = (results: readonly items.ItemResult[], status: items.ItemResult['status']) =>
  results.filter((result) => result.status === status).length

async function write(
  trx: Db,
  job: store.JobRow,
  results: readonly items.ItemResult[],
): Promise<void> {
  await items.markItems.run(trx, { ...columnsOf(results), ...keyOf(job) })
  await store.addCounts.run(trx, {
    ...keyOf(job),
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
  const context = contextOf(jobKind, job, job.parameters)
  const results = await applyAction(services, trx, job.action, context, deviceIds)
  await write(trx, job, results)
  return results.length
}

/** Whether the database is unavailable; if it is merely slow, a device may be the cause. */
function isAway(error: unknown): boolean {
  if (!(error instanceof Failure) || error.code !== 'unavailable') return false
  return codeOf(error.options.cause) !== '57014'
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
  const claimed = async (trx: Db): Promise<string[]> =>
    idsOf(await items.claimItem.rows(trx, { ...keyOf(job), deviceId }))
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
    const row = await store.completeJob.first(trx, keyOf(job))
    if (row === undefined) return false
    const { workspace_id: workspaceId } = row
    const revocation = { workspaceId, reason: 'job.completed', subject: null } as const
    const receiptId = actions[row.action].announces
      ? await openReceipt(services, trx, revocation)
      : undefined
    const receipt = receiptId === undefined ? {} : { receipt_id: formatId('rcp', receiptId) }
    await recordWork(jobKind, trx, serviceOrigin, 'job.completed', row, receipt)
    return true
  })
}

/** Another process has a chunk in progress. */
const pauseForOthers = (): Promise<true> => sleep(BUSY_PAUSE_MS, true)

/** Processes the next devices, or ends the job. */
async function workChunk(
  services: RunServices,
  job: store.JobRow,
  signal: AbortSignal,
): Promise<boolean> {
  const { db } = services
  const next = { ...keyOf(job), limit: CHUNK }
  try {
    const done = await db.transaction(async (trx) =>
      work(services, trx, job, idsOf(await items.claimItems.rows(trx, next))),
    )
    if (done > 0) return true
  } catch (error) {
    if (isAway(error)) throw error
    for (const { id } of await store.pendingItems.rows(db, next)) {
      if (signal.aborted) return true
      await workOne(services, job, id)
    }
    return true
  }
  return (await complete(services, job)) || pauseForOthers()
}

/** For a creator that has lost the permission the job ends: completed work stays. */
export async function stepOfJob(
  services: RunServices,
  job: store.JobRow,
  signal: AbortSignal,
): Promise<boolean> {
  const { db } = services
  if (job.status === 'cancelling') {
    const ended = await db.transaction((trx) => settleCancelled(trx, keyOf(job)))
    return ended !== undefined || pauseForOthers()
  }
  const { permission } = actions[job.action]
  if (!(await stillHolds(db, job.workspace_id, originOfWork(job).actor, permission))) {
    const hasEnded = await db.transaction((trx) => fail(trx, job, 'permission_denied'))
    return hasEnded || pauseForOthers()
  }
  if (job.status !== 'preparing') return workChunk(services, job, signal)
  await prepare(jobKind, { gather, fail }, db, job)
  return true
}

export const createBulkJobTasks = (services: RunServices): Task[] =>
  createWorkTasks(jobKind, stepOfJob, services)
