/** The rules of bulk jobs: created, followed, cancelled and retried by staff and backends. */
import type { StaffCaller } from '../../../platform/access/principal.ts'
import { type Context, originOf } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { Failure, found } from '../../../platform/errors/errors.ts'
import type { Origin } from '../../../platform/record/event.ts'
import { newUuid } from '../../../platform/lib/ids.ts'
import { translateEqual } from '../../../platform/lib/list-filter.ts'
import { originParams } from '../../common/row-key.ts'
import { commandsOfJob, countCommandsOfJob } from '../../devices/commands/command.ts'
import { countOneAtATime } from '../../team/active-workspaces/active-workspace.ts'
import { listFiltered } from '../../common/filtered-list.ts'
import { readSelection, type Selected } from '../device-work/selected-devices.ts'
import { beginWork } from '../device-work/work.ts'
import { jobKind, settleCancelled } from './bulk-job-kind.ts'
import { itemViewOf, storedStatus, viewOf } from './bulk-job-view.ts'
import * as items from './item-store.ts'
import { requireActionAllowed, requireParameters } from './parameters.ts'
import * as schema from './schema.ts'
import * as store from './store.ts'
import type { Paged } from '../../common/results.ts'

/** The selection of the devices: their ids, the filter, or the job in which they failed. */
interface Devices extends Selected {
  retryOf: string | null
}

function begin(
  context: Context,
  trx: Db,
  { action, parameters }: Pick<store.JobRow, 'action' | 'parameters'>,
  { deviceIds, filter, retryOf }: Devices,
): Promise<store.JobRow> {
  const insert = (origin: Origin) =>
    store.insertJob.one(trx, {
      ...originParams(origin),
      workspaceId: context.workspaceId,
      id: newUuid(),
      action,
      parameters: JSON.stringify(parameters),
      filter,
      retryOf,
      status: deviceIds === undefined ? 'preparing' : 'running',
      total: deviceIds?.length ?? 0,
    })
  return beginWork(jobKind, context, trx, insert, deviceIds ?? [])
}

export async function createJob(
  context: Context<StaffCaller>,
  { action, parameters = {}, ...selection }: schema.CreateJob,
): Promise<schema.JobView> {
  requireActionAllowed(context, action)
  await requireParameters(context, action, parameters)
  const devices = { ...(await readSelection(context, selection)), retryOf: null }
  return context.db.transaction(async (trx) => {
    await countOneAtATime(trx, context.workspaceId)
    return viewOf(await begin(context, trx, { action, parameters }, devices))
  })
}

export const listJobs = (context: Context, query: schema.ListJobs) =>
  listFiltered(context, query, {
    name: 'jobs',
    fields: schema.jobFields,
    conditions: { status: query.status },
    pageOf: store.pageOfJobs,
    view: viewOf,
  })

const readJob = async (db: Db, workspaceId: string, id: string): Promise<store.JobRow> =>
  found(await store.statements.find.first(db, { workspaceId, id }), 'job_not_found')

const issuesCommands = ({ action }: store.JobRow): boolean =>
  action === 'command' || action === 'rotate'

export async function getJob(
  { db, workspaceId }: Context,
  jobId: string,
): Promise<schema.JobDetailView> {
  const job = await readJob(db, workspaceId, jobId)
  const commands = issuesCommands(job) ? await countCommandsOfJob(db, workspaceId, jobId) : null
  return { ...viewOf(job), commands }
}

export async function listJobItems(
  context: Context,
  jobId: string,
  query: schema.ListJobItems,
): Promise<Paged<schema.JobItemView>> {
  const { db, workspaceId } = context
  const job = await readJob(db, workspaceId, jobId)
  const stored = (shown: string): string | null =>
    storedStatus(job, shown as schema.JobItemView['status'])
  const { items: rows, next_cursor } = await listFiltered(context, query, {
    name: `job-items ${jobId}`,
    fields: schema.jobItemFields,
    conditions: { status: query.status },
    stored: (node) => translateEqual(node, 'status', stored),
    pageOf: items.pageOfItems,
    whole: jobId,
    view: (row) => row,
  })
  const deviceIds = rows.map(({ device_id }) => device_id)
  const commands = issuesCommands(job)
    ? await commandsOfJob(db, workspaceId, jobId, deviceIds)
    : new Map<string, never>()
  return { items: rows.map((row) => itemViewOf(row, job, commands)), next_cursor }
}

/**
 * Starts no further devices. The job ends at once, or with the chunk that is in progress.
 * Idempotent.
 */
export function cancelJob(context: Context, jobId: string): Promise<schema.JobView> {
  const { db, workspaceId } = context
  return db.transaction(async (trx) => {
    const key = { workspaceId, id: jobId }
    const cancelOrigin = JSON.stringify(originOf(context))
    await store.beginCancel.run(trx, { ...key, cancelOrigin })
    const ended = await settleCancelled(trx, key)
    const present = ended ?? (await readJob(trx, workspaceId, jobId))
    if (present.status !== 'cancelling' && present.status !== 'cancelled') {
      throw new Failure('invalid_transition', {
        detail: `The job is ${present.status}; only one that has not ended can become cancelled.`,
      })
    }
    return viewOf(present)
  })
}

/**
 * A new job with the same action over the failed devices. A job has one retry: repeating the
 * request returns it.
 */
export function retryJob(
  context: Context<StaffCaller>,
  jobId: string,
): Promise<{ view: schema.JobView; isNew: boolean }> {
  const { db, workspaceId } = context
  return db.transaction(async (trx) => {
    await countOneAtATime(trx, workspaceId)
    const key = { workspaceId, id: jobId }
    const job = found(await store.statements.lock.first(trx, key), 'job_not_found')
    requireActionAllowed(context, job.action)
    const earlier = await store.findRetryOf.first(trx, key)
    if (earlier !== undefined) return { view: viewOf(earlier), isNew: false }
    if (job.ended_at === null || job.failed === 0) {
      const why = job.ended_at === null ? `is ${job.status}` : 'has no failed devices'
      throw new Failure('invalid_transition', {
        detail: `The job ${why}; only failed devices of a job that has ended can be retried.`,
      })
    }
    const devices = { deviceIds: undefined, filter: null, retryOf: jobId }
    const row = await begin(context, trx, job, devices)
    return { view: viewOf(row), isNew: true }
  })
}
