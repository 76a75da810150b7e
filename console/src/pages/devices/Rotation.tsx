/** How far a rotation of a device is: of the job in the address, or else as its credentials say. */
import type { Device, Job } from '../../../../sdk/schema.ts'
import { useList, useRead } from '../../api/hooks.ts'
import { Button, LinkButton } from '../../kit/Button.tsx'
import { Row } from '../../kit/Layout.tsx'
import { below } from '../../kit/navigation.tsx'
import { Announced, Note, Pending } from '../../kit/Note.tsx'
import { exactTime, Time, Token } from '../../kit/Text.tsx'
import { useWatch } from '../../live/live.ts'
import { useSearchState } from '../../session/search-state.ts'
import { useStoringBrokers } from '../../session/storing-brokers.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { Who } from '../../session/Who.tsx'
import { ofDevice, useCredentials } from './of-device.ts'
import { type Stage, stageOfDue, stageOfJob, stageOfPasswords } from './rotation-stage.ts'
import { rich, t } from './words.ts'

/** What the service sends to firmware that listens. */
const ROTATE_COMMAND = 'rotate_credentials'

/** How far it is; undefined while that is read. RFC 3339 in UTC sorts as text. */
function useStage(device: Device, job: Job | undefined): Stage | undefined {
  const { data } = useCredentials(device)
  const storing = useStoringBrokers()
  if (job === undefined || data === undefined || storing === undefined) return undefined
  const passwords = data.items.filter(
    ({ kind, created_at }) => kind === 'mqtt' && created_at >= job.created_at,
  )
  return stageOfJob(job) ?? stageOfPasswords(passwords, storing, exactTime, !device.connected)
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
  const credentials = useCredentials(device)
  const stage = useStage(device, query.data)
  if (stage === undefined) {
    const unread = credentials.error === null ? query : credentials
    return <Pending query={unread} of={t('The rotation')} />
  }
  if (stage.isOver === true) return null
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

/** By the command that asked it, if there is one: when, by whom, and what it waits for. */
function Asked({ device, stage }: { device: Device; stage: Stage }) {
  const { slug } = useWorkspace()
  const query = { filter: `name = ${ROTATE_COMMAND}`, limit: 1 }
  const list = useList('listCommands', { params: ofDevice(device), query }, { isLive: true })
  const [command] = list.items ?? []
  if (command === undefined || command.ended_at !== null) {
    return (
      <Note tone={stage.tone} title={stage.title}>
        {stage.text}
      </Note>
    )
  }
  return (
    <Note
      tone={stage.tone}
      title={rich('Asked to rotate its credentials {time}, by {who}', {
        time: <Time at={command.created_at} />,
        who: <Who id={command.created_by} />,
      })}
      action={
        <LinkButton to={below(slug, `devices/${device.id}`)} search={{ tab: 'commands' }}>
          {t('See the command')}
        </LinkButton>
      }
    >
      {command.status === 'pending'
        ? rich(
            'It has not fetched the command yet: it has to subscribe to {topic}, or ask the service by HTTP.',
            { topic: <Token>{`${slug}/${device.device_key}/cmd`}</Token> },
          )
        : t('It has received the command, and has not fetched new credentials yet.')}{' '}
      {t('The old ones work until it has used the new ones.')}
    </Note>
  )
}

/** Of a device that was asked or released, on whatever page and whenever that was. */
function Due({ device }: { device: Device }) {
  const { data } = useCredentials(device)
  const storing = useStoringBrokers()
  if (data === undefined || storing === undefined) return null
  const stage = stageOfDue(data, storing, exactTime)
  if (stage === undefined) return null
  return (
    <Announced>
      {stage.isToFetch === true ? (
        <Asked device={device} stage={stage} />
      ) : (
        <Note tone={stage.tone} title={stage.title}>
          {stage.text}
        </Note>
      )}
    </Announced>
  )
}

/** Its job, if the address names one. */
export default function Rotation({ device }: { device: Device }) {
  const [{ rotation }, change] = useSearchState<{ rotation: string }>()
  if (rotation === undefined) return <Due device={device} />
  const dismiss = (): void => change({ rotation: undefined })
  return <Follow device={device} jobId={rotation} onDismiss={dismiss} />
}
