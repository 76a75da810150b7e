/** Examinations of brokers that operators start in the console; `mooring doctor` does the same. */
import type { UserCaller } from '../../../platform/access/principal.ts'
import { type Context, originOf } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import type { RowOf } from '../../../platform/database/sql.ts'
import { Failure, found } from '../../../platform/errors/errors.ts'
import { enqueue, type Task, taskKind, taskOf } from '../../../platform/jobs/job.ts'
import { formatId, newUuid } from '../../../platform/lib/ids.ts'
import { messageOf } from '../../../platform/lib/system-errors.ts'
import { INSTALLATION } from '../../../platform/record/event.ts'
import { record } from '../../../platform/record/record.ts'
import { readPage } from '../../common/paging.ts'
import type { Paged } from '../../common/results.ts'
import { rowView } from '../../common/row-view.ts'
import * as schema from './schema.ts'
import * as store from './store.ts'

const EXAMINE = taskKind<{ id: string }>('operator.examine_broker')

/**
 * Examines a broker from outside, and reports each finding as soon as there is one.
 * @throws Error whose message says why the broker could not be examined
 */
export type ExamineBroker = (
  broker: string,
  onResult: (result: schema.DoctorResult) => void,
) => Promise<{ address: string }>

type Own = Context<UserCaller>

const viewOf = rowView<RowOf<typeof store.findRun>>()(schema.DoctorRun)
const summaryOf = rowView<RowOf<typeof store.pageOfRuns>>()(schema.DoctorRunSummary)

/** @throws Failure broker_not_found, doctor_run_in_progress */
export function startRun(context: Own, { broker }: schema.StartRun): Promise<schema.DoctorRun> {
  const { db, caller, mqttBrokers } = context
  if (!mqttBrokers().some(({ name }) => name === broker)) throw new Failure('broker_not_found')
  return db.transaction(async (trx) => {
    await store.closeLostRuns.run(trx)
    const id = newUuid()
    const row = await store.insertRun.first(trx, { id, broker, createdBy: caller.userId })
    if (row === undefined) throw new Failure('doctor_run_in_progress')
    await store.deleteOldRuns.run(trx)
    await enqueue(trx, EXAMINE, { id }, { maxAttempts: 1 })
    await record(trx, originOf(context), {
      workspaceId: INSTALLATION,
      action: 'doctor.started',
      resource: { kind: 'doctor_run', id: formatId('run', id) },
      detail: { broker },
    })
    return viewOf(row)
  })
}

/** @throws Failure doctor_run_not_found */
export const getRun = async ({ db }: Own, id: string): Promise<schema.DoctorRun> =>
  viewOf(found(await store.findRun.first(db, { id }), 'doctor_run_not_found'))

/** Latest first. */
export async function listRuns(
  context: Own,
  query: schema.ListRuns,
): Promise<Paged<schema.DoctorRunSummary>> {
  const page = readPage(context, query, 'installation-doctor-runs')
  const rows = await store.pageOfRuns.rows(context.db, page.asked)
  return page.of(rows, ({ id }) => id, summaryOf)
}

/** Examines the broker of a run, unless it has ended, and stores each finding. */
async function examineFor(db: Db, id: string, examine: ExamineBroker): Promise<void> {
  const begun = await store.beginRun.first(db, { id })
  if (begun === undefined) return
  // Not a `Semaphore`: after a failed write, none follows.
  let written = Promise.resolve()
  const add = (result: schema.DoctorResult): void => {
    written = written.then(() => store.addResult.run(db, { id, result: JSON.stringify([result]) }))
    // It is awaited below; until then its failure would end the process.
    written.catch(() => {})
  }
  try {
    const { address } = await examine(begun.broker, add)
    await written
    await store.endRun.run(db, { id, status: 'completed', address, problem: null })
  } catch (error) {
    await written.catch(() => {})
    const problem = messageOf(error).slice(0, 1_000)
    await store.endRun.run(db, { id, status: 'failed', address: null, problem })
  }
}

export const createDoctorTasks = (
  { autonomousDb: db }: { autonomousDb: Db },
  examine: ExamineBroker,
): Task[] => [taskOf(EXAMINE, ({ id }) => examineFor(db, id, examine))]
