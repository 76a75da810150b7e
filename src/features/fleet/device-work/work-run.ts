/**
 * Runs work over many devices: first collects the devices, then takes the steps of its kind. A step
 * is committed as a whole, so a crash leaves all of it or nothing. A run ends after some seconds
 * and enqueues the next one, so that work alternates.
 */
import type { Services } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { exhaust } from '../../../platform/database/sql.ts'
import { Failure } from '../../../platform/errors/errors.ts'
import { type Task, taskOf } from '../../../platform/jobs/job.ts'
import { isActiveWorkspace, RECHECK_MS } from '../../team/active-workspaces/active-workspace.ts'
import type { Gathered } from './selected-devices.ts'
import { enqueueRun, type WorkKind, type WorkRow } from './work.ts'
import { type RowKey, keyOf } from '../../common/row-key.ts'

type RunServices = Pick<Services, 'db' | 'clock'>

const GATHER_BATCH = 5_000
/** Devices per job or campaign. */
const MAX_DEVICES = 10_000_000
const RUN_MS = 5_000
/** Between checks of work that waits for devices. */
const POLL_MS = 5_000

/** The input of the preparation of a kind. */
interface Preparation<Row extends WorkRow> {
  /** The next devices. */
  gather: (trx: Db, row: Row, limit: number) => Promise<Gathered>
  /** Ends work whose devices cannot be determined; it is locked. */
  fail: (trx: Db, row: Row, code: string) => Promise<unknown>
}

function addDevices<Row extends WorkRow>(
  { statements }: WorkKind<Row>,
  { gather, fail }: Preparation<Row>,
  db: Db,
  key: RowKey,
): Promise<void> {
  return db.transaction(async (trx) => {
    // Serializes concurrent preparations.
    const row = await statements.lock.first(trx, key)
    if (row?.status !== 'preparing' || !(await isActiveWorkspace(trx, key.workspaceId))) return
    const { ids, next } = await gather(trx, row, GATHER_BATCH)
    if (row.total + ids.length > MAX_DEVICES) {
      await fail(trx, row, 'limit_reached')
      return
    }
    const added = await statements.insertItems.count(trx, { ...key, deviceIds: ids })
    await statements.grow.run(trx, { ...key, added, expandedTo: next ?? null })
  })
}

/** A step of preparation. It fails, for example, if a group in the filter is gone. */
export async function prepare<Row extends WorkRow>(
  kind: WorkKind<Row>,
  preparation: Preparation<Row>,
  db: Db,
  row: Row,
): Promise<void> {
  const key = keyOf(row)
  try {
    await addDevices(kind, preparation, db, key)
  } catch (error) {
    if (!(error instanceof Failure) || error.code === 'unavailable') throw error
    await db.transaction(async (trx) => {
      const present = await kind.statements.lock.first(trx, key)
      // It may have been cancelled meanwhile.
      if (present?.status === 'preparing') await preparation.fail(trx, present, error.code)
    })
  }
}

/** Takes a step of work that has not ended. @returns whether there is more to do now */
export type Step<Row extends WorkRow, Needs> = (
  services: Needs,
  row: Row,
  signal: AbortSignal,
) => Promise<boolean>

/** Continues work for some seconds, then enqueues the next run. */
export async function runWork<Row extends WorkRow, Needs extends RunServices>(
  kind: WorkKind<Row>,
  step: Step<Row, Needs>,
  services: Needs,
  key: RowKey,
  signal: AbortSignal,
): Promise<void> {
  const { db, clock } = services
  const deadline = performance.now() + RUN_MS
  let hasMore = true
  for (;;) {
    const row = await kind.statements.find.first(db, key)
    if (row === undefined || row.ended_at !== null) return
    if (!(await isActiveWorkspace(db, key.workspaceId))) {
      return enqueueRun(kind, db, row, clock.now() + RECHECK_MS)
    }
    if (!hasMore) return enqueueRun(kind, db, row, clock.now() + POLL_MS)
    if (signal.aborted || performance.now() >= deadline) return enqueueRun(kind, db, row)
    hasMore = await step(services, row, signal)
  }
}

const DELETE_BATCH = 10_000
const REMOVE_MS = 3_600_000

/** Deletes old work with its devices, in batches. */
export async function deleteOldWork<Row extends WorkRow>(
  { statements, keepDays: days }: WorkKind<Row>,
  { db }: Pick<RunServices, 'db'>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const old = await statements.findOld.first(db, { days })
    if (old === undefined) return
    const key = keyOf(old)
    await exhaust(statements.deleteItems, db, { ...key, limit: DELETE_BATCH }, signal)
    if (signal.aborted) return
    await statements.delete.run(db, key)
  }
}

/** The background tasks of a kind. */
export const createWorkTasks = <Row extends WorkRow, Needs extends RunServices>(
  kind: WorkKind<Row>,
  step: Step<Row, Needs>,
  services: Needs,
): Task[] => [
  taskOf(kind.tasks.run, ({ workspace_id: workspaceId = '', [kind.payloadId]: id = '' }, signal) =>
    runWork(kind, step, services, { workspaceId, id }, signal),
  ),
  {
    name: kind.tasks.remove,
    everyMs: REMOVE_MS,
    run: (_payload, signal) => deleteOldWork(kind, services, signal),
  },
]
