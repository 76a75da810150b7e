/** Labels of jobs that several pages use. */
import type { ReactNode } from 'react'
import type { Job, JobDetail, JobItem } from '../../../../sdk/schema.ts'
import { inOneLine } from '../../api/tags.ts'
import { Badge, type BadgeTone } from '../../kit/Badge.tsx'
import { Small } from '../../kit/Layout.tsx'
import { Progress } from '../../kit/Progress.tsx'
import { countText, numberText } from '../../kit/numbers.ts'
import { JsonLine } from '../../kit/Text.tsx'
import type { Tagging } from '../../session/job-actions.ts'
import { Who } from '../../session/Who.tsx'
import { t } from './translations.ts'

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

/** A job that only issues commands: whether the devices do them shows later. */
export const isOfCommands = ({ action }: Pick<Job, 'action'>): boolean =>
  action === 'command' || action === 'rotate'

/** The names of the counts of such a job's devices. */
export const issuedHeading = ({ action }: Pick<Job, 'action'>): string =>
  action === 'rotate' ? t('Asked') : t('Command queued')

/** The name of the count of failed devices: a device may also fail at its command. */
export function failedHeading(job: Pick<Job, 'action'>): string {
  if (!isOfCommands(job)) return t('Failed')
  return job.action === 'rotate' ? t('Could not be asked') : t('Could not be queued')
}

const NEW_MS = 120_000

/**
 * Between looks at commands that may still be answered, whose ends are no news of the job: often in
 * its first minutes. A device that is offline may leave one open for a day.
 */
export const commandsEveryMs = ({ created_at }: Pick<Job, 'created_at'>): number =>
  Date.now() - Date.parse(created_at) < NEW_MS ? 5_000 : 60_000

/** How many of its commands may still be answered. */
export const openCommands = ({ commands }: Pick<JobDetail, 'commands'>): number =>
  commands === null ? 0 : commands.pending + commands.sent

/** In place of `succeeded`, where the device itself has still to do it. */
const issued = ({ action }: Pick<Job, 'action'>): string =>
  action === 'rotate' ? t('asked') : t('command queued')

/** The status of a completed job that only issues commands: their outcome counts as well. */
function CommandsStatus({ job }: { job: Job & Partial<JobDetail> }) {
  const { counts, commands } = job
  const lost = commands ? commands.failed + commands.timed_out + commands.cancelled : 0
  const left = commands ? openCommands({ commands }) : counts.succeeded
  const value = counts.failed + lost
  if (value === 0) return <Badge tone={left > 0 ? 'info' : 'ok'}>{words.completed}</Badge>
  const n = countText({ value, is_lower_bound: commands?.is_lower_bound ?? false })
  return <Badge tone="warn">{t('completed, {n} not done', { n })}</Badge>
}

/** @param job with its commands, where they are read */
export function JobStatus({ job }: { job: Job & Partial<JobDetail> }) {
  const { status, counts } = job
  if (status === 'completed' && isOfCommands(job)) return <CommandsStatus job={job} />
  if (status === 'completed' && counts.failed > 0) {
    return <Badge tone="warn">{t('completed, {n} failed', { n: numberText(counts.failed) })}</Badge>
  }
  return <Badge tone={tones[status]}>{words[status]}</Badge>
}

const itemTones: Readonly<Record<JobItem['status'], BadgeTone>> = {
  pending: 'off',
  succeeded: 'ok',
  failed: 'bad',
  skipped: 'off',
  cancelled: 'off',
}

const itemLabels: Readonly<Record<JobItem['status'], string>> = {
  pending: t('pending'),
  succeeded: t('succeeded'),
  failed: t('failed'),
  skipped: t('skipped'),
  cancelled: t('cancelled'),
}

/** The outcome of a device of the job. */
export const ItemStatus = ({ job, item: { status } }: { job: Job; item: JobItem }) =>
  status === 'succeeded' && isOfCommands(job) ? (
    <Badge tone="info">{issued(job)}</Badge>
  ) : (
    <Badge tone={itemTones[status]}>{itemLabels[status]}</Badge>
  )

export const isLive = ({ status }: Pick<Job, 'status'>): boolean =>
  status === 'preparing' || status === 'running' || status === 'cancelling'

function taggingInWords({ set = {}, remove = [] }: Tagging): string {
  const parts = [
    Object.keys(set).length > 0 && t('Sets {tags}', { tags: inOneLine(set) }),
    remove.length > 0 && t('Removes {tags}', { tags: remove.join(', ') }),
  ]
  return parts.filter(Boolean).join('; ')
}

/** The parameters of the action of a job; undefined without parameters. */
export function parametersOf({ action, parameters }: Job): ReactNode {
  if (Object.keys(parameters).length === 0) return undefined
  if (action === 'tag') return taggingInWords(parameters)
  if (action !== 'move_template') return <JsonLine value={parameters} />
  const { template_id: id } = parameters as { template_id?: string | null }
  return id == null ? t('none') : <Who id={id} />
}

/** The part of that which its title lacks. */
export function moreParametersOf(job: Job): ReactNode {
  if (job.action === 'tag') return undefined
  if (job.action !== 'command') return parametersOf(job)
  const { payload = {} } = job.parameters as { payload?: object }
  return Object.keys(payload).length === 0 ? undefined : <JsonLine value={payload} />
}

interface WhyProps {
  code: string
  /** The detail of one device. */
  detail: string | null
}

/** Why a device failed: in words, and as the code with its page. */
export const Why = ({ code, detail }: WhyProps) => (
  <>
    {detail !== null && <span lang="en">{detail} </span>}
    <Small>
      <a href={`/api/v1/errors/${code}`} target="_blank" rel="noreferrer">
        <code>{code}</code>
      </a>
    </Small>
  </>
)

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
