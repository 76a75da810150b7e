/** One job: how far it is, what failed and why, and the result of each device. */
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { Job, JobDetail } from '../../../../sdk/schema.ts'
import { useChange, useRead } from '../../api/hooks.ts'
import { useButtonCall, useNextCall } from '../../kit/ApiPane.tsx'
import { Button, LinkButton } from '../../kit/Button.tsx'
import { Cards, Facts, Panel, Small, Stat } from '../../kit/Layout.tsx'
import { below } from '../../kit/navigation.tsx'
import { PendingPage } from '../../kit/ListPage.tsx'
import { Note, ProblemNote } from '../../kit/Note.tsx'
import { ConfirmDialog, say } from '../../kit/Overlay.tsx'
import { numberText } from '../../kit/numbers.ts'
import { Page } from '../../kit/Shell.tsx'
import { Time } from '../../kit/Text.tsx'
import { titleOf } from '../../session/job-actions.ts'
import { Who } from '../../session/Who.tsx'
import { useWatch } from '../../live/live.ts'
import { useActionBlocks } from '../../session/action-blocks.ts'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { Failures } from './Failures.tsx'
import { JobItems } from './JobItems.tsx'
import {
  commandsEveryMs,
  failedHeading,
  isLive,
  isOfCommands,
  issuedHeading,
  JobProgress,
  JobStatus,
  openCommands,
  parametersOf,
} from './job-labels.tsx'
import { counted, t } from './translations.ts'

export interface JobProps {
  job: JobDetail
}

/** Path parameters of calls about a job. */
export const ofJob = ({ workspace_id: id, id: job_id }: Job) => ({ id, job_id })

const MAX_COMMANDS = 10_000

/** The outcome of the commands that a job has issued, in numbers. */
const CommandsOfJob = ({ commands }: { commands: NonNullable<JobDetail['commands']> }) => (
  <Panel
    title={t('What became of the commands')}
    {...(commands.is_lower_bound && {
      aside: <Small>{t('counted in {n} of the commands', { n: numberText(MAX_COMMANDS) })}</Small>,
    })}
  >
    <Cards>
      <Stat label={t('Not fetched yet')} value={commands.pending} />
      <Stat label={t('Sent, not answered yet')} value={commands.sent} />
      <Stat label={t('Done by the device')} value={commands.acknowledged} />
      <Stat label={t('Failed on the device')} value={commands.failed} bad={commands.failed > 0} />
      <Stat
        label={t('Not answered in time')}
        value={commands.timed_out}
        bad={commands.timed_out > 0}
      />
      <Stat label={t('Cancelled')} value={commands.cancelled} />
    </Cards>
  </Panel>
)

function CancelJob({ job, onClose }: JobProps & { onClose: () => void }) {
  const cancel = useChange('cancelJob', ['getJob', 'listJobs', 'listJobItems'])
  const params = ofJob(job)
  useNextCall('cancelJob', { params })
  return (
    <ConfirmDialog
      title={t('Cancel this job?')}
      act={t('Cancel the job')}
      keep={t('Keep it running')}
      busy={cancel.isPending}
      problem={cancel.error}
      onConfirm={() => cancel.mutate({ params }, { onSuccess: onClose })}
      onClose={onClose}
    >
      {t(
        'Devices in progress are finished, at most 500. {pending} of {total} devices have not been attempted; what is done stays done.',
        {
          pending: numberText(job.counts.pending),
          total: numberText(job.counts.total),
        },
      )}
    </ConfirmDialog>
  )
}

function Actions({ job }: JobProps) {
  const { slug } = useWorkspace()
  const navigate = useNavigate()
  const [isCancelling, setCancelling] = useState(false)
  const blocked = useBlocked('cancelJob')
  const retry = useChange('retryJob', ['listJobs'])
  const blockedAgain = useActionBlocks()[job.action]
  const input = { params: ofJob(job) }
  const preview = useButtonCall('retryJob', input, blockedAgain)
  const again = (): void =>
    retry.mutate(input, {
      onSuccess: (made) => {
        say(t('Retrying'), counted(job.counts.failed, '{n} device', '{n} devices'))
        void navigate({ to: below(slug, `jobs/${made.id}`) })
      },
    })
  return (
    <>
      {retry.error !== null && <ProblemNote problem={retry.error} />}
      {isLive(job) && job.status !== 'cancelling' && (
        <Button kind="danger" blocked={blocked} onClick={() => setCancelling(true)}>
          {t('Cancel…')}
        </Button>
      )}
      {!isLive(job) && job.counts.failed > 0 && (
        <Button
          kind="primary"
          blocked={blockedAgain}
          busy={retry.isPending}
          onClick={again}
          {...preview}
        >
          {t('Retry the {n} failed', { n: numberText(job.counts.failed) })}
        </Button>
      )}
      {isCancelling && <CancelJob job={job} onClose={() => setCancelling(false)} />}
    </>
  )
}

const About = ({ job }: JobProps) => {
  const { slug } = useWorkspace()
  return (
    <Panel title={t('Details')}>
      <Facts
        facts={[
          [job.action === 'move_template' ? t('Template') : t('What'), parametersOf(job)],
          [
            t('Devices'),
            job.filter === null ? (
              counted(job.counts.total, '{n} device selected', '{n} devices selected')
            ) : (
              <code>{job.filter || t('all devices')}</code>
            ),
          ],
          [
            t('Retry of'),
            job.retry_of === null ? undefined : (
              <LinkButton kind="quiet" to={below(slug, `jobs/${job.retry_of}`)}>
                {t('an earlier job')}
              </LinkButton>
            ),
          ],
          [t('Started'), <Time key="at" at={job.created_at} />],
          [t('Created by'), <Who key="by" id={job.created_by} />],
          [t('Ended'), job.ended_at === null ? undefined : <Time key="end" at={job.ended_at} />],
        ]}
      />
    </Panel>
  )
}

const Counts = ({ job, job: { counts } }: JobProps) => (
  <Cards>
    <Stat label={t('Devices')} value={counts.total} />
    <Stat label={t('Pending')} value={counts.pending} />
    <Stat
      label={isOfCommands(job) ? issuedHeading(job) : t('Succeeded')}
      value={counts.succeeded}
      note={isOfCommands(job) ? t('what the devices answered is below') : undefined}
    />
    <Stat label={t('Skipped')} value={counts.skipped} note={t('nothing to do')} />
    <Stat label={failedHeading(job)} value={counts.failed} bad={counts.failed > 0} />
    {counts.cancelled > 0 && <Stat label={t('Cancelled')} value={counts.cancelled} />}
  </Cards>
)

export default function JobPage() {
  const { id, slug } = useWorkspace()
  const { jobId = '' } = useParams({ strict: false }) as { jobId?: string }
  useWatch(`job:${jobId}`)
  const [isEnded, setEnded] = useState<string | null>(null)
  const [everyMs, setEveryMs] = useState<number | false>(false)
  const query = useRead(
    'getJob',
    { params: { id, job_id: jobId } },
    { isLive: isEnded !== jobId, refetchInterval: everyMs },
  )
  const { data: job } = query
  const nextMs = job !== undefined && openCommands(job) > 0 && commandsEveryMs(job)
  if (nextMs !== everyMs) setEveryMs(nextMs)
  if (job !== undefined && !isLive(job) && isEnded !== job.id) setEnded(job.id)
  const trail = [{ label: t('Jobs'), to: below(slug, 'jobs') }]
  if (job === undefined)
    return <PendingPage title={t('Job')} of={t('The job')} trail={trail} query={query} />
  return (
    <Page
      title={titleOf(job)}
      trail={trail}
      note={<JobStatus job={job} />}
      actions={<Actions job={job} />}
    >
      {job.failure !== null && (
        <Note tone="bad" title={t('The job has failed')}>
          <span lang="en">{job.failure}</span>
        </Note>
      )}
      <JobProgress job={job} />
      <p>
        {t('{done} of {total} devices attempted', {
          done: numberText(job.counts.total - job.counts.pending),
          total: numberText(job.counts.total),
        })}
      </p>
      <Counts job={job} />
      {job.commands !== null && <CommandsOfJob commands={job.commands} />}
      {job.counts.failed > 0 && <Failures job={job} />}
      <About job={job} />
      <JobItems job={job} />
    </Page>
  )
}
