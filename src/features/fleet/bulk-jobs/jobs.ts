/** Background tasks that run jobs. */
import type { Periodic, Task } from '../../../platform/jobs/job.ts'
import { deleteOldJobs, runJob, type RunServices } from './fleet-job-run.ts'
import { RUN_TASK } from './fleet-job-turn.ts'

const DELETE_TASK = 'fleet-jobs.forget'

export const createFleetJobTasks = (services: RunServices): Task[] => [
  {
    name: RUN_TASK,
    run(payload, signal) {
      const { workspace_id, job_id } = payload as { workspace_id: string; job_id: string }
      return runJob(services, { workspaceId: workspace_id, jobId: job_id }, signal)
    },
  },
  { name: DELETE_TASK, run: (_payload, signal) => deleteOldJobs(services, signal) },
]

export const fleetJobRepetitions: readonly Periodic[] = [{ task: DELETE_TASK, everyMs: 3_600_000 }]
