/** Words for jobs that several pages use. */
import type { Job, JobItem } from '../../../../sdk/schema.ts'
import { Badge, type BadgeTone } from '../../kit/Badge.tsx'
import { Progress } from '../../kit/Progress.tsx'

const tones: Readonly<Record<Job['status'], BadgeTone>> = {
  preparing: 'info',
  running: 'info',
  cancelling: 'warn',
  completed: 'ok',
  cancelled: 'off',
  failed: 'bad',
}

export const JobStatus = ({ status }: Pick<Job, 'status'>) => (
  <Badge tone={tones[status]}>{status}</Badge>
)

export const itemTones: Readonly<Record<JobItem['status'], BadgeTone>> = {
  pending: 'info',
  succeeded: 'ok',
  failed: 'bad',
  skipped: 'off',
  cancelled: 'off',
}

export const isLive = ({ status }: Pick<Job, 'status'>): boolean =>
  status === 'preparing' || status === 'running' || status === 'cancelling'

const labels: Readonly<Record<Job['action'], string>> = {
  tag: 'Tag devices',
  move_template: 'Move to a template',
  suspend: 'Suspend devices',
  resume: 'Resume devices',
  approve: 'Approve devices',
  reject: 'Reject devices',
  reset_credentials: 'Reset credentials',
  rotate: 'Ask for rotation',
  decommission: 'Decommission devices',
  delete: 'Delete devices',
  command: 'Send a command',
  publish_config: 'Publish configuration',
}

export const actionLabel = ({ action }: Pick<Job, 'action'>): string => labels[action]

/** What the job was told to do, in one line; '' without parameters. */
export const parametersInWords = ({ parameters }: Job): string =>
  Object.keys(parameters).length === 0 ? '' : JSON.stringify(parameters)

export const JobProgress = ({ job: { counts } }: { job: Job }) => (
  <Progress
    label="Attempted devices"
    total={counts.total}
    parts={[
      { tone: 'ok', count: counts.succeeded },
      { tone: 'off', count: counts.skipped + counts.cancelled },
      { tone: 'bad', count: counts.failed },
    ]}
  />
)
