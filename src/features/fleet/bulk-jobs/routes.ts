/** Operations on jobs. */
import { operationGroup } from '../../../context.ts'
import { respond } from '../../../platform/http/reply.ts'
import { Page } from '../../common/paging.ts'
import { cancelJob, createJob, getJob, listJobItems, listJobs, retryJob } from './bulk-job.ts'
import { CreateJob, JobDetailView, JobItemView, JobView, ListJobItems, ListJobs } from './schema.ts'

const operation = operationGroup({ tag: 'Jobs', access: ['user', 'platform-key'] })

const path = '/workspaces/:id/jobs'

const created = { location: '/workspaces/{workspace_id}/jobs/{id}' } as const

export const bulkJobOperations = [
  operation({
    id: 'createJob',
    route: `POST ${path}`,
    summary: 'Start a job',
    description:
      'Applies an action to many devices in the background, exactly once for each device, even if the service is stopped or killed meanwhile. A list or a filter selects the devices. The devices that match a filter are collected first; later changes do not affect the selection. The caller needs the permission for the action on a single device.',
    permission: 'devices.write',
    isPlanFree: true,
    body: CreateJob,
    returns: { 201: JobView },
    fails: ['limit_reached'],
    example: { action: 'tag', parameters: { set: { site: 'north' } }, filter: '' },
    created,
    run: (context, { body }) => createJob(context, body),
  }),
  operation({
    id: 'listJobs',
    route: `GET ${path}`,
    summary: 'List jobs',
    description: 'Newest first. A job is kept for 30 days after its end.',
    permission: 'devices.read',
    isPlanFree: true,
    query: ListJobs,
    returns: { 200: Page(JobView) },
    run: (context, { query }) => listJobs(context, query),
  }),
  operation({
    id: 'getJob',
    route: `GET ${path}/:job_id`,
    summary: 'Get a job',
    permission: 'devices.read',
    isPlanFree: true,
    returns: { 200: JobDetailView },
    fails: ['job_not_found'],
    run: (context, { params }) => getJob(context, params.job_id),
  }),
  operation({
    id: 'listJobItems',
    route: `GET ${path}/:job_id/items`,
    summary: 'List the results of a job',
    description: 'Ordered by device id, oldest first.',
    permission: 'devices.read',
    isPlanFree: true,
    query: ListJobItems,
    returns: { 200: Page(JobItemView) },
    fails: ['job_not_found'],
    run: (context, { params, query }) => listJobItems(context, params.job_id, query),
  }),
  operation({
    id: 'cancelJob',
    route: `POST ${path}/:job_id/cancel`,
    summary: 'Cancel a job',
    description:
      'No further devices are started. Devices in progress, at most a few hundred, are finished. Until then the job is `cancelling`, afterwards `cancelled`. Completed actions are not undone. Repeating the call succeeds.',
    permission: 'devices.write',
    bucket: 'safety',
    returns: { 200: JobView },
    fails: ['job_not_found', 'invalid_transition'],
    run: (context, { params }) => cancelJob(context, params.job_id),
  }),
  operation({
    id: 'retryJob',
    route: `POST ${path}/:job_id/retry`,
    summary: 'Retry the failed devices of a job',
    description:
      'Starts a new job for the failed devices, with the same action; `retry_of` contains the id of the original. A job has one retry: repeating the call returns it, with 200. To retry failures of the retry, retry that job.',
    permission: 'devices.write',
    isPlanFree: true,
    returns: { 200: JobView, 201: JobView },
    created,
    fails: ['job_not_found', 'invalid_transition', 'limit_reached'],
    async run(context, { params }) {
      const { view, isNew } = await retryJob(context, params.job_id)
      return respond(isNew ? 201 : 200, view)
    },
  }),
]
