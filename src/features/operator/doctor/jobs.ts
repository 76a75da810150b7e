/** The background task that examines a broker. */
import type { Db } from '../../../platform/database/connect.ts'
import type { Task } from '../../../platform/jobs/job.ts'
import { EXAMINE, examineFor, type ExamineBroker } from './doctor-run.ts'

export const createDoctorTasks = (
  { autonomousDb: db }: { autonomousDb: Db },
  examine: ExamineBroker,
): Task[] => [
  { name: EXAMINE, run: (payload) => examineFor(db, (payload as { id: string }).id, examine) },
]
