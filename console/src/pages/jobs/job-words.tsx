/** Words for jobs that several pages use. */
import type { Job, JobItem } from '../../../../sdk/schema.ts'
import { Badge, type BadgeTone } from '../../kit/Badge.tsx'
import { Progress } from '../../kit/Progress.tsx'
import { numberText } from '../../kit/numbers.ts'
import { t } from './words.ts'

const tones: Readonly<Record<Job['status'], BadgeTone>> = {
  preparing: 'info',
  running: 'info',
  cancelling: 'warn',
  completed: 'ok',
  cancelled: 'off',
  failed: 'bad',
}

const words: Readonly<Record<Job['status'], string>> = {
  preparing: t('preparing'),
  running: t('running'),
  cancelling: t('cancelling'),
  completed: t('completed'),
  cancelled: t('cancelled'),
  failed: t('failed'),
}

export function JobStatus({ job: { status, counts } }: { job: Job }) {
  if (status === 'completed' && counts.failed > 0) {
    return <Badge tone="warn">{t('completed, {n} failed', { n: numberText(counts.failed) })}</Badge>
  }
  return <Badge tone={tones[status]}>{words[status]}</Badge>
}

export const itemTones: Readonly<Record<JobItem['status'], BadgeTone>> = {
  pending: 'info',
  succeeded: 'ok',
  failed: 'bad',
  skipped: 'off',
  cancelled: 'off',
}

export const itemWords: Readonly<Record<JobItem['status'], string>> = {
  pending: t('pending'),
  succeeded: t('succeeded'),
  failed: t('failed'),
  skipped: t('skipped'),
  cancelled: t('cancelled'),
}

export const isLive = ({ status }: Pick<Job, 'status'>): boolean =>
  status === 'preparing' || status === 'running' || status === 'cancelling'

/** What the job was told to do, in one line; '' without parameters. */
export const parametersInWords = ({ parameters }: Job): string =>
  Object.keys(parameters).length === 0 ? '' : JSON.stringify(parameters)

export const JobProgress = ({ job: { counts } }: { job: Job }) => (
  <Progress
    label={t('Attempted devices')}
    total={counts.total}
    parts={[
      { tone: 'ok', count: counts.succeeded },
      { tone: 'off', count: counts.skipped + counts.cancelled },
      { tone: 'bad', count: counts.failed },
    ]}
  />
)
