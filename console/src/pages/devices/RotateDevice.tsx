/** New credentials for one device without an interruption: a job asks it to fetch them itself. */
import type { CreateJob, Device, Job, TimelineEntry } from '../../../../sdk/schema.ts'
import { useChange, useRead } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Button, LinkButton } from '../../kit/Button.tsx'
import { Row, Stack } from '../../kit/Layout.tsx'
import { below } from '../../kit/navigation.tsx'
import { Announced, Note, Pending, type Tone } from '../../kit/Note.tsx'
import { ConfirmDialog } from '../../kit/Overlay.tsx'
import { useWatch } from '../../live/live.ts'
import { useSearchState } from '../../session/search-state.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { useAttempts } from './Connections.tsx'
import { ofDevice } from './DevicePage.tsx'
import { t } from './words.ts'

interface DialogProps {
  device: Device
  onClose: () => void
  onStarted: (jobId: string) => void
}

export function RotateDialog({ device, onClose, onStarted }: DialogProps) {
  const { id } = useWorkspace()
  const start = useChange('createJob', ['listJobs'])
  const input: { params: { id: string }; body: CreateJob } = {
    params: { id },
    body: { action: 'rotate', device_ids: [device.id] },
  }
  useNextCall('createJob', input)
  return (
    <ConfirmDialog
      title={t('Rotate the credentials of {key}?', { key: device.device_key })}
      act={t('Rotate')}
      kind="primary"
      busy={start.isPending}
      problem={start.error}
      onConfirm={() => start.mutate(input, { onSuccess: (job) => onStarted(job.id) })}
      onClose={onClose}
    >
      <Stack tight>
        <p>
          {device.connected
            ? t('The device gets the command to fetch a new password and a new token.')
            : t(
                'The device fetches a new password and a new token the next time it asks the service. For that it needs its token, not its password; if it has lost both, reset its credentials.',
              )}
        </p>
        <p>{t('The old ones work until it has used the new ones.')}</p>
      </Stack>
    </ConfirmDialog>
  )
}

interface Stage {
  tone: Tone
  title: string
  text?: string
}

const LATEST = 20

/** The newest act of this kind since a moment. RFC 3339 in UTC sorts as text. */
const actSince = (entries: readonly TimelineEntry[], action: string, since: string) =>
  entries.find(({ at, act }) => act?.action === action && at >= since)

function stageOfJob({ status, counts }: Job): Stage | undefined {
  if (counts.failed > 0 || status === 'failed' || status === 'cancelled') {
    return { tone: 'bad', title: t('It was not asked to rotate.'), text: t('The job says why.') }
  }
  return counts.succeeded > 0 ? undefined : { tone: 'info', title: t('It is asked to rotate.') }
}

/** How far it is; undefined while that is read. */
function useStage(device: Device, job: Job | undefined): Stage | undefined {
  const credentials = useRead(
    'getDeviceTimeline',
    { params: ofDevice(device), query: { kinds: 'credentials', limit: LATEST } },
    { isLive: true },
  )
  const attempts = useAttempts({ device })
  if (job === undefined || credentials.data === undefined) return undefined
  const early = stageOfJob(job)
  if (early !== undefined) return early
  const { items, left_out } = credentials.data
  const asked = actSince(items, 'device.rotation_asked', job.created_at)
  const fetched = asked && actSince(items, 'device.rotated', asked.at)
  const text = t('The old ones work until it has used the new ones.')
  if (fetched === undefined) {
    const title = t('It has been asked to fetch new credentials.')
    if (left_out.length === 0) return { tone: 'info', title, text }
    return { tone: 'info', title, text: t('Owners and admins see here when it has fetched them.') }
  }
  const isBack = attempts.data?.items.some(({ accepted, at }) => accepted && at >= fetched.at)
  if (isBack !== true) return { tone: 'info', title: t('It has fetched new credentials.'), text }
  return {
    tone: 'ok',
    title: t('It has fetched new credentials, and connected since.'),
    text: t('Each old one ends with the first use of the new one.'),
  }
}

interface FollowProps {
  device: Device
  jobId: string
  onDismiss: () => void
}

function Follow({ device, jobId, onDismiss }: FollowProps) {
  const { id, slug } = useWorkspace()
  useWatch(`job:${jobId}`)
  const query = useRead('getJob', { params: { id, job_id: jobId } }, { isLive: true })
  const stage = useStage(device, query.data)
  if (stage === undefined) return <Pending query={query} />
  return (
    <Announced>
      <Note
        tone={stage.tone}
        title={stage.title}
        action={
          <Row>
            <LinkButton to={below(slug, `jobs/${jobId}`)}>{t('Open the job')}</LinkButton>
            <Button kind="quiet" onClick={onDismiss}>
              {t('Dismiss')}
            </Button>
          </Row>
        }
      >
        {stage.text}
      </Note>
    </Announced>
  )
}

/** How far the rotation is that was asked for on this page; the address names its job. */
export function Rotation({ device }: { device: Device }) {
  const [{ rotation }, change] = useSearchState<{ rotation: string }>()
  if (rotation === undefined) return null
  const dismiss = (): void => change({ rotation: undefined })
  return <Follow device={device} jobId={rotation} onDismiss={dismiss} />
}
