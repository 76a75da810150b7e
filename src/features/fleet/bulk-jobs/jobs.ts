/** Background tasks that run jobs. */
import type { Periodic, Task } from '../../../platform/jobs/job.ts'
import { forgetOldJobs, runJob, type RunServices } from './fleet-job-run.ts'
import { RUN_TASK } from './fleet-job-turn.ts'

const FORGET_TASK = 'fleet-jobs.forget'

export const createFleetJobTasks = (services: RunServices): Task[] => [
  {
    name: RUN_TASK,
    run(payload, signal) {
      const { workspace_id, job_id } = payload as { workspace_id: string; job_id: string }
      return runJob(services, { workspaceId: workspace_id, jobId: job_id }, signal)
    },
  },
  { name: FORGET_TASK, run: (_payload, signal) => forgetOldJobs(services, signal) },
]

export const fleetJobRepetitions: readonly Periodic[] = [{ task: FORGET_TASK, everyMs: 3_600_000 }]
