/** Operations on jobs. */
import { operation } from '../../../context.ts'
import { respond, idParam } from '../../../platform/http/operation.ts'
import { Page } from '../../common/paging.ts'
import { cancelJob, createJob, getJob, listJobItems, listJobs, retryJob } from './fleet-job.ts'
import { CreateJob, JobItemView, JobView, ListJobItems, ListJobs } from './schema.ts'

const access = ['user', 'platform-key'] as const
const tag = 'Jobs'
const workspace = { id: idParam('ws', 'workspace_not_found') }
const job = { ...workspace, job_id: idParam('job', 'job_not_found') }
const path = '/workspaces/:id/jobs'

const locationOf = ({ workspace_id, id }: JobView): string =>
  `/workspaces/${workspace_id}/jobs/${id}`

export const fleetJobOperations = [
  operation({
    id: 'createJob',
    method: 'POST',
    path,
    tag,
    summary: 'Start a job',
    description:
      'Applies an action to many devices in the background, exactly once for each device, even if the service is stopped or killed meanwhile. A list or a filter selects the devices. The devices that match a filter are collected first; later changes do not affect the selection. The caller needs the permission for the action on a single device.',
    access,
    permission: 'devices.write',
    isPlanFree: true,
    params: workspace,
    body: CreateJob,
    returns: { 201: JobView },
    fails: ['limit_reached'],
    example: { action: 'tag', parameters: { set: { site: 'north' } }, filter: '' },
    async run(context, { body }) {
      const created = await createJob(context, body)
      return respond(201, created, { location: locationOf(created) })
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
    run: async (context, { query }) => respond(200, await listJobs(context, query)),
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
    run: async (context, { params }) => respond(200, await getJob(context, params.job_id)),
  }),
  operation({
    id: 'listJobItems',
    method: 'GET',
    path: `${path}/:job_id/items`,
    tag,
    summary: 'List the results of a job',
    description: 'Ordered by device id, oldest first.',
    access,
    permission: 'devices.read',
    isPlanFree: true,
    params: job,
    query: ListJobItems,
    returns: { 200: Page(JobItemView) },
    fails: ['job_not_found', 'invalid_cursor'],
    run: async (context, { params, query }) =>
      respond(200, await listJobItems(context, params.job_id, query)),
  }),
  operation({
    id: 'cancelJob',
    method: 'POST',
    path: `${path}/:job_id/cancel`,
    tag,
    summary: 'Cancel a job',
    description:
      'No further devices are started. Devices in progress, at most a few hundred, are finished. Until then the job is `cancelling`, afterwards `cancelled`. Completed actions are not undone. Repeating the call succeeds.',
    access,
    permission: 'devices.write',
    bucket: 'safety',
    params: job,
    returns: { 200: JobView },
    fails: ['job_not_found', 'invalid_transition'],
    run: async (context, { params }) => respond(200, await cancelJob(context, params.job_id)),
  }),
  operation({
    id: 'retryJob',
    method: 'POST',
    path: `${path}/:job_id/retry`,
    tag,
    summary: 'Retry the failed devices of a job',
    description:
      'Starts a new job for the failed devices, with the same action; `retry_of` contains the id of the original. A job has one retry: repeating the call returns it, with 200. To retry failures of the retry, retry that job.',
    access,
    permission: 'devices.write',
    isPlanFree: true,
    params: job,
    returns: { 200: JobView, 201: JobView },
    fails: ['job_not_found', 'invalid_transition', 'limit_reached'],
    async run(context, { params }) {
      const { view, isNew } = await retryJob(context, params.job_id)
      return isNew ? respond(201, view, { location: locationOf(view) }) : respond(200, view)
    },
  }),
]
