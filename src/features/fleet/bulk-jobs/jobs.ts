/** Background tasks that run jobs. */
import type { Periodic, Task } from '../../../platform/jobs/job.ts'
import { createWorkTasks } from '../device-work/work-run.ts'
import { jobKind } from './fleet-job-kind.ts'
import { type RunServices, stepOfJob } from './fleet-job-run.ts'

export const createFleetJobTasks = (services: RunServices): Task[] =>
  createWorkTasks(jobKind, stepOfJob, services)

export const fleetJobRepetitions: readonly Periodic[] = [
  { task: jobKind.tasks.remove, everyMs: 3_600_000 },
]
