/** New credentials for one device without an interruption: a job asks it to fetch them itself. */
import type { CreateJob, Device, Job } from '../../../../sdk/schema.ts'
import { useChange, useRead } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Button, LinkButton } from '../../kit/Button.tsx'
import { Row, Stack } from '../../kit/Layout.tsx'
import { below } from '../../kit/navigation.tsx'
import { Announced, Note, Pending, type Tone } from '../../kit/Note.tsx'
import { ConfirmDialog } from '../../kit/Overlay.tsx'
import { exactTime } from '../../kit/Text.tsx'
import { useWatch } from '../../live/live.ts'
import { useSearchState } from '../../session/search-state.ts'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { ofDevice } from './of-device.ts'
import { t } from './words.ts'

interface DialogProps {
  device: Device
  onClose: () => void
  onStarted: (jobId: string) => void
}

export function RotateDialog({ device, onClose, onStarted }: DialogProps) {
  const { id } = useWorkspace()
  const start = useChange('createJob', ['listJobs'])
  // The action of the job needs what the acts on one device need.
  const blocked = useBlocked('suspendDevice')
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
      blocked={blocked}
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

function stageOfJob({ status, counts }: Job): Stage | undefined {
  if (counts.failed > 0 || status === 'failed' || status === 'cancelled') {
    return { tone: 'bad', title: t('It was not asked to rotate.'), text: t('The job says why.') }
  }
  return counts.succeeded > 0 ? undefined : { tone: 'info', title: t('It is asked to rotate.') }
}

/** How far it is; undefined while that is read. RFC 3339 in UTC sorts as text. */
function useStage(device: Device, job: Job | undefined): Stage | undefined {
  const params = ofDevice(device)
  const { data } = useRead('listDeviceCredentials', { params }, { isLive: true })
  if (job === undefined || data === undefined) return undefined
  const early = stageOfJob(job)
  if (early !== undefined) return early
  const text = t('The old ones work until it has used the new ones.')
  const passwords = data.items.filter(
    ({ kind, created_at }) => kind === 'mqtt' && created_at >= job.created_at,
  )
  if (passwords.length === 0) {
    return { tone: 'info', title: t('It has been asked to fetch new credentials.'), text }
  }
  const done = passwords.find(({ confirmed_at }) => confirmed_at !== null)?.confirmed_at
  if (typeof done !== 'string') {
    return { tone: 'info', title: t('It has fetched new credentials.'), text }
  }
  return {
    tone: 'ok',
    title: t('Rotation done at {time}.', { time: exactTime(done) }),
    text: t('It has connected with the new password; the old one has ended.'),
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
