/** The background task that examines a broker. */
import type { Db } from '../../../platform/database/connect.ts'
import { type Task, taskOf } from '../../../platform/jobs/job.ts'
import { EXAMINE, examineFor, type ExamineBroker } from './doctor-run.ts'

export const createDoctorTasks = (
  { autonomousDb: db }: { autonomousDb: Db },
  examine: ExamineBroker,
): Task[] => [taskOf(EXAMINE, ({ id }) => examineFor(db, id, examine))]
