/** One job: how far it is, what failed and why, and the result of each device. */
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { Job } from '../../../../sdk/schema.ts'
import { useChange, useRead } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Button, LinkButton } from '../../kit/Button.tsx'
import { Cards, Facts, Panel, Stat } from '../../kit/Layout.tsx'
import { below } from '../../kit/navigation.tsx'
import { Note, Pending, ProblemNote } from '../../kit/Note.tsx'
import { ConfirmDialog, say } from '../../kit/Overlay.tsx'
import { numberText } from '../../kit/numbers.ts'
import { Page } from '../../kit/Shell.tsx'
import { Time } from '../../kit/Text.tsx'
import { Who } from '../../session/Who.tsx'
import { useWatch } from '../../live/live.ts'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { Failures } from './Failures.tsx'
import { JobItems } from './JobItems.tsx'
import { actionLabel, isLive, JobProgress, JobStatus, parametersInWords } from './job-words.tsx'

export interface JobProps {
  job: Job
}

/** Path parameters of calls about a job. */
export const ofJob = ({ workspace_id: id, id: job_id }: Job) => ({ id, job_id })

function CancelJob({ job, onClose }: JobProps & { onClose: () => void }) {
  const cancel = useChange('cancelJob', ['getJob', 'listJobs', 'listJobItems'])
  const params = ofJob(job)
  useNextCall('cancelJob', { params })
  return (
    <ConfirmDialog
      title="Cancel this job?"
      act="Cancel the job"
      busy={cancel.isPending}
      problem={cancel.error}
      onConfirm={() => cancel.mutate({ params }, { onSuccess: onClose })}
      onClose={onClose}
    >
      Devices in progress are finished, at most 500. {numberText(job.counts.pending)} of{' '}
      {numberText(job.counts.total)} devices have not been attempted; what is done stays done.
    </ConfirmDialog>
  )
}

function Actions({ job }: JobProps) {
  const { slug } = useWorkspace()
  const navigate = useNavigate()
  const [isCancelling, setCancelling] = useState(false)
  const blocked = useBlocked('cancelJob')
  const retry = useChange('retryJob', ['listJobs'])
  const again = (): void =>
    retry.mutate(
      { params: ofJob(job) },
      {
        onSuccess: (made) => {
          say('Retrying', `${job.counts.failed} devices`)
          void navigate({ to: below(slug, `jobs/${made.id}`) })
        },
      },
    )
  return (
    <>
      {retry.error !== null && <ProblemNote problem={retry.error} />}
      {isLive(job) && job.status !== 'cancelling' && (
        <Button kind="danger" blocked={blocked} onClick={() => setCancelling(true)}>
          Cancel…
        </Button>
      )}
      {!isLive(job) && job.counts.failed > 0 && (
        <Button kind="primary" blocked={blocked} busy={retry.isPending} onClick={again}>
          Retry the {job.counts.failed} failed
        </Button>
      )}
      {isCancelling && <CancelJob job={job} onClose={() => setCancelling(false)} />}
    </>
  )
}

const About = ({ job }: JobProps) => {
  const { slug } = useWorkspace()
  const words = parametersInWords(job)
  return (
    <Panel title="About it">
      <Facts
        facts={[
          ['With', words === '' ? undefined : <code key="with">{words}</code>],
          [
            'Devices',
            job.filter === null ? 'chosen one by one' : <code>{job.filter || 'all devices'}</code>,
          ],
          [
            'Retry of',
            job.retry_of === null ? undefined : (
              <LinkButton kind="quiet" to={below(slug, `jobs/${job.retry_of}`)}>
                an earlier job
              </LinkButton>
            ),
          ],
          ['Started', <Time key="at" at={job.created_at} />],
          ['By', <Who key="by" id={job.created_by} />],
          ['Ended', job.ended_at === null ? undefined : <Time key="end" at={job.ended_at} />],
        ]}
      />
    </Panel>
  )
}

const Counts = ({ job: { counts } }: JobProps) => (
  <Cards>
    <Stat label="Devices" value={counts.total} />
    <Stat label="Pending" value={counts.pending} />
    <Stat label="Succeeded" value={counts.succeeded} />
    <Stat label="Skipped" value={counts.skipped} note="nothing to do" />
    <Stat label="Failed" value={counts.failed} />
    {counts.cancelled > 0 && <Stat label="Cancelled" value={counts.cancelled} />}
  </Cards>
)

export default function JobPage() {
  const { id, slug } = useWorkspace()
  const { jobId = '' } = useParams({ strict: false }) as { jobId?: string }
  useWatch(`job:${jobId}`)
  const [isEnded, setEnded] = useState<string | null>(null)
  const query = useRead('getJob', { params: { id, job_id: jobId } }, { isLive: isEnded !== jobId })
  const { data: job } = query
  if (job !== undefined && !isLive(job) && isEnded !== job.id) setEnded(job.id)
  const trail = [{ label: 'Jobs', to: below(slug, 'jobs') }]
  if (job === undefined) {
    return (
      <Page title="Job" trail={trail}>
        <Pending query={query} />
      </Page>
    )
  }
  return (
    <Page
      title={actionLabel(job)}
      trail={trail}
      note={<JobStatus status={job.status} />}
      actions={<Actions job={job} />}
    >
      {job.failure !== null && (
        <Note tone="bad" title="The job has failed">
          {job.failure}
        </Note>
      )}
      <JobProgress job={job} />
      <Counts job={job} />
      {job.counts.failed > 0 && <Failures job={job} />}
      <JobItems job={job} />
      <About job={job} />
    </Page>
  )
}
