/** How far a rotation is that was asked for on the page of a device. */
import type { Device, Job } from '../../../../sdk/schema.ts'
import { useRead } from '../../api/hooks.ts'
import { Button, LinkButton } from '../../kit/Button.tsx'
import { Row } from '../../kit/Layout.tsx'
import { below } from '../../kit/navigation.tsx'
import { Announced, Note, Pending } from '../../kit/Note.tsx'
import { exactTime } from '../../kit/Text.tsx'
import { useWatch } from '../../live/live.ts'
import { useSearchState } from '../../session/search-state.ts'
import { useStoringBrokers } from '../../session/storing-brokers.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { ofDevice } from './of-device.ts'
import { type Stage, stageOfJob, stageOfPasswords } from './rotation-stage.ts'
import { t } from './words.ts'

/** How far it is; undefined while that is read. RFC 3339 in UTC sorts as text. */
function useStage(device: Device, job: Job | undefined): Stage | undefined {
  const params = ofDevice(device)
  const { data } = useRead('listDeviceCredentials', { params }, { isLive: true })
  const storing = useStoringBrokers()
  if (job === undefined || data === undefined || storing === undefined) return undefined
  const passwords = data.items.filter(
    ({ kind, created_at }) => kind === 'mqtt' && created_at >= job.created_at,
  )
  return stageOfJob(job) ?? stageOfPasswords(passwords, storing, exactTime)
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

/** The address names its job. */
export default function Rotation({ device }: { device: Device }) {
  const [{ rotation }, change] = useSearchState<{ rotation: string }>()
  if (rotation === undefined) return null
  const dismiss = (): void => change({ rotation: undefined })
  return <Follow device={device} jobId={rotation} onDismiss={dismiss} />
}
