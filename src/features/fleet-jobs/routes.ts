/** Operations on jobs. */
import { operation } from '../../context.ts'
import { answer, idParam } from '../../http/operation.ts'
import { Page } from '../paging.ts'
import { cancelJob, createJob, getJob, listJobItems, listJobs, retryJob } from './fleet-job.ts'
import { CreateJob, JobItemView, JobView, ListJobItems, ListJobs } from './schema.ts'

const access = ['user', 'platform-key'] as const
const tag = 'Jobs'
const workspace = { id: idParam('ws', 'workspace_not_found') }
const job = { ...workspace, job_id: idParam('job', 'job_not_found') }
const path = '/workspaces/:id/jobs'

export const fleetJobOperations = [
  operation({
    id: 'createJob',
    method: 'POST',
    path,
    tag,
    summary: 'Start a job',
    description:
      'Does the same with many devices, in the background: each of them exactly once, also when the service is stopped or killed meanwhile. The devices are those of a list or of a filter; what passes a filter is gathered first and is fixed from then on. The caller needs the permission that the action on a single device needs.',
    access,
    permission: 'devices.write',
    isPlanFree: true,
    params: workspace,
    body: CreateJob,
    returns: { 201: JobView },
    fails: ['limit_reached'],
    example: { action: 'tag', parameters: { set: { site: 'north' } }, filter: '' },
    async run(context, { body }) {
      return answer(201, await createJob(context, body))
    },
  }),
  operation({
    id: 'listJobs',
    method: 'GET',
    path,
    tag,
    summary: 'List jobs',
    description: 'Newest first. A job is kept for 30 days after its end.',
    access,
    permission: 'devices.read',
    isPlanFree: true,
    params: workspace,
    query: ListJobs,
    returns: { 200: Page(JobView) },
    fails: ['invalid_cursor'],
    run: async (context, { query }) => answer(200, await listJobs(context, query)),
  }),
  operation({
    id: 'getJob',
    method: 'GET',
    path: `${path}/:job_id`,
    tag,
    summary: 'Get a job',
    access,
    permission: 'devices.read',
    isPlanFree: true,
    params: job,
    returns: { 200: JobView },
    fails: ['job_not_found'],
    run: async (context, { params }) => answer(200, await getJob(context, params.job_id)),
  }),
  operation({
    id: 'listJobItems',
    method: 'GET',
    path: `${path}/:job_id/items`,
    tag,
    summary: 'List what became of the devices of a job',
    description: 'In the order of the ids of the devices, oldest first.',
    access,
    permission: 'devices.read',
    isPlanFree: true,
    params: job,
    query: ListJobItems,
    returns: { 200: Page(JobItemView) },
    fails: ['job_not_found', 'invalid_cursor'],
    run: async (context, { params, query }) =>
      answer(200, await listJobItems(context, params.job_id, query)),
  }),
  operation({
    id: 'cancelJob',
    method: 'POST',
    path: `${path}/:job_id/cancel`,
    tag,
    summary: 'Cancel a job',
    description:
      'The devices that it has taken up, some hundreds at most, are finished; no others are begun. What was done stays done. Repeating the call is the same success.',
    access,
    permission: 'devices.write',
    bucket: 'safety',
    params: job,
    returns: { 200: JobView },
    fails: ['job_not_found', 'invalid_transition'],
    run: async (context, { params }) => answer(200, await cancelJob(context, params.job_id)),
  }),
  operation({
    id: 'retryJob',
    method: 'POST',
    path: `${path}/:job_id/retry`,
    tag,
    summary: 'Try again what failed of a job',
    description:
      'Starts a new job over the devices that failed, with the same action; `retry_of` names the first one. There is one retry of a job: asked for again, it is given again, with 200. What failed of the retry is retried from there.',
    access,
    permission: 'devices.write',
    isPlanFree: true,
    params: job,
    returns: { 200: JobView, 201: JobView },
    fails: ['job_not_found', 'invalid_transition', 'limit_reached'],
    async run(context, { params }) {
      const { view, isNew } = await retryJob(context, params.job_id)
      return isNew ? answer(201, view) : answer(200, view)
    },
  }),
]
