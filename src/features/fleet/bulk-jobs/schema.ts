/** Schemas of jobs: the action, its progress, and the result of each device. */
import Type, { type Static } from 'typebox'
import type { ListFields } from '../../../platform/lib/list-filter.ts'
import { selection } from '../../common/device-selection.ts'
import { FilterText } from '../../common/filter-text.ts'
import { JsonObject } from '../../common/json-object.ts'
import { pageQuery } from '../../common/paging.ts'
import { CommandCounts, CommandState } from '../../common/command-shapes.ts'
import { Id, NamedObject, Nullable, Timestamp } from '../../common/shapes.ts'
import { MAX_TAGS, TagKey, tagOptions, TagValue } from '../../common/tag-shapes.ts'

const actions = [
  'tag',
  'move_template',
  'suspend',
  'resume',
  'approve',
  'reject',
  'reset_credentials',
  'rotate',
  'decommission',
  'delete',
  'command',
  'publish_config',
] as const
const JobAction = Type.Enum([...actions], { description: 'The action to apply to each device.' })
export type JobAction = Static<typeof JobAction>

export const JobParameters = Type.Object(
  {
    set: Type.Optional(
      Type.Record(TagKey, TagValue, {
        ...tagOptions,
        description: '`tag`: tags to add to each device.',
      }),
    ),
    remove: Type.Optional(
      Type.Array(TagKey, {
        maxItems: MAX_TAGS,
        description: '`tag`: keys of tags to remove from each device.',
      }),
    ),
    template_id: Type.Optional(
      Nullable(
        Id('tpl', '`move_template`: the new template of the devices; null removes their template.'),
      ),
    ),
    name: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9_.-]{1,64}$',
        description: '`command`: the name of the command.',
      }),
    ),
    payload: Type.Optional(
      JsonObject('`command`: the arguments of the command. Default: an empty object.'),
    ),
    timeout_s: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 86_400,
        description: '`command`: seconds within which a device must acknowledge it. Default: 60.',
      }),
    ),
    config: Type.Optional(
      JsonObject(
        '`publish_config`: merged into the own configuration of each device (RFC 7396); null removes a member.',
      ),
    ),
  },
  { additionalProperties: false, description: 'The parameters of the action.' },
)
export type JobParameters = Static<typeof JobParameters>

export const CreateJob = Type.Object({
  action: JobAction,
  parameters: Type.Optional(JobParameters),
  ...selection,
})
export type CreateJob = Static<typeof CreateJob>

const statuses = ['preparing', 'running', 'cancelling', 'completed', 'cancelled', 'failed'] as const
const JobStatus = Type.Enum([...statuses], {
  description:
    '`preparing` while the devices are collected; from `running` on the selection does not change. `cancelling` until the devices in progress are done. `completed`: every device was attempted. `failed`: the job could not be prepared.',
})

const count = (description: string) => Type.Integer({ description })

export const JobView = NamedObject('Job', {
  id: Id('job'),
  workspace_id: Id('ws'),
  action: JobAction,
  parameters: JsonObject('The parameters as sent.'),
  filter: Nullable(Type.String()),
  retry_of: Nullable(Id('job', 'The job whose failed devices this job retries.')),
  status: JobStatus,
  failure: Nullable(Type.String(), 'Failure code of a job that failed.'),
  counts: Type.Object({
    total: count(
      'The number of devices of the job; while it is being prepared, the number found so far.',
    ),
    pending: count('Devices that were not attempted yet.'),
    succeeded: count('Devices for which the action succeeded.'),
    failed: count('Devices for which the action failed. The items contain the reasons.'),
    skipped: count('Devices that did not need the action.'),
    cancelled: count('Devices that were not attempted because the job was cancelled.'),
  }),
  progress: Type.Number({ description: 'The attempted share of the devices, from 0 to 1.' }),
  created_by: Nullable(Type.String(), 'Id of the user or key.'),
  created_at: Timestamp,
  ended_at: Nullable(Timestamp),
})
export type JobView = Static<typeof JobView>

export const JobDetailView = NamedObject('JobDetail', {
  ...JobView.properties,
  commands: Nullable(
    Type.Object(CommandCounts.properties),
    'The states of the commands that the job has issued. Null if its action issues no commands, or none of them is kept.',
  ),
})
export type JobDetailView = Static<typeof JobDetailView>

export const jobFields: ListFields = {
  action: { type: 'word', words: actions },
  status: { type: 'word', words: statuses },
  created_by: { type: 'text' },
  created_at: { type: 'time' },
  ended_at: { type: 'time' },
}

export const ListJobs = Type.Object({
  ...pageQuery,
  filter: FilterText(jobFields),
  status: Type.Optional(JobStatus),
})
export type ListJobs = Static<typeof ListJobs>

const itemStatuses = ['pending', 'succeeded', 'failed', 'skipped', 'cancelled'] as const
const ItemStatus = Type.Enum([...itemStatuses])
export type ItemStatus = Static<typeof ItemStatus>

export const JobItemView = NamedObject('JobItem', {
  device_id: Id('dev'),
  device_key: Nullable(Type.String(), 'Null if the device was deleted.'),
  status: ItemStatus,
  code: Nullable(
    Type.String(),
    'The error code of a failure (see the errors), or `unchanged` if there was nothing to do.',
  ),
  detail: Nullable(Type.String()),
  command: Nullable(
    Type.Object(CommandState.properties),
    'The command that the job has issued to the device, with its status. Null if there is none, or it is no longer kept.',
  ),
  ended_at: Nullable(Timestamp),
})
export type JobItemView = Static<typeof JobItemView>

export const jobItemFields: ListFields = {
  device_id: { type: 'id', prefix: 'dev' },
  status: { type: 'word', words: itemStatuses },
  code: { type: 'text' },
  ended_at: { type: 'time' },
}

export const ListJobItems = Type.Object({
  ...pageQuery,
  filter: FilterText(jobItemFields),
  status: Type.Optional(ItemStatus),
})
export type ListJobItems = Static<typeof ListJobItems>
