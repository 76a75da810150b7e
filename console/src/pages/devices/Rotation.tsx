/** How far a rotation of a device is: of the job in the address, or else as its credentials say. */
import { Link } from '@tanstack/react-router'
import type { Device, DeviceCredential, Job } from '../../../../sdk/schema.ts'
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
import { useCredentials, useRotateCommands } from './of-device.ts'
import { momentText } from './moments.ts'
import { type Stage, stageOfDue, stageOfJob, stageOfPasswords } from './rotation-stage.ts'
import { rich, t } from './translations.ts'

/** Where one looks at what the device does; the other tabs are for something else. */
const EXPLAINS: readonly string[] = ['now', 'credentials']

function useIsShort(): boolean {
  const [{ tab = 'now' }] = useSearchState<{ tab: string }>()
  return !EXPLAINS.includes(tab)
}

/** In a line, with the way to the whole. */
function Short({ device, children }: { device: Device; children: string }) {
  const { slug } = useWorkspace()
  const [{ rotation }] = useSearchState<{ rotation: string }>()
  const kept = (rotation === undefined ? {} : { rotation }) as never
  return (
    <p>
      <Link to={below(slug, `devices/${device.id}`)} search={kept}>
        {children}
      </Link>
    </p>
  )
}

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
  const isShort = useIsShort()
  if (stage === undefined) {
    const unread = credentials.error === null ? query : credentials
    return <Pending query={unread} of={t('The rotation')} />
  }
  if (stage.isOver === true) return <Due device={device} />
  if (isShort) return <Short device={device}>{stage.title}</Short>
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

interface InCampaignProps {
  device: Device
  campaignId: string
  stage: Stage
}

/** Its state in the campaign: by when it has to have rotated, or that it counts as failed. */
function InCampaign({ device, campaignId, stage }: InCampaignProps) {
  const { id } = useWorkspace()
  const params = { id, campaign_id: campaignId }
  const query = { filter: `device_id = ${device.id}`, limit: 1 }
  const list = useList('listRotationCampaignDevices', { params, query }, { isLive: true })
  const campaign = useRead('getRotationCampaign', { params }, { isLive: true })
  useWatch(`rotation_campaign:${campaignId}`)
  const isShort = useIsShort()
  const [item] = list.items ?? []
  const hasFailed = item?.status === 'failed'
  const isTracked = campaign.data?.ended_at === null && item?.ended_at === null
  const deadline = isTracked ? item.confirm_by : null
  if (isShort) {
    const running =
      deadline === null
        ? stage.title
        : t('Rotation running, due {time}', { time: momentText(deadline) })
    return <Short device={device}>{hasFailed ? t('Rotation failed') : running}</Short>
  }
  return (
    <Note
      tone={hasFailed ? 'bad' : stage.tone}
      title={
        hasFailed
          ? rich('It counts as failed, since it did not use a new password in time: {rotation}', {
              rotation: <Who id={campaignId} />,
            })
          : rich('Asked to rotate its credentials: {rotation}', {
              rotation: <Who id={campaignId} />,
            })
      }
    >
      {deadline !== null &&
        `${t('It counts as failed unless it uses a new password by {time}.', { time: exactTime(deadline) })} `}
      {stage.text ?? stage.title}
    </Note>
  )
}

function WaitsFor({ device, isSent }: { device: Device; isSent: boolean }) {
  const { slug } = useWorkspace()
  return (
    <>
      {isSent
        ? t('It has received the command, and has not fetched new credentials yet.')
        : rich(
            'It has not fetched the command yet: it has to subscribe to {topic}, or ask the service by HTTP.',
            { topic: <Token>{`${slug}/${device.device_key}/cmd`}</Token> },
          )}{' '}
      {t('The old ones work until it has used the new ones.')}
    </>
  )
}

interface AskedProps {
  device: Device
  stage: Stage
  /** The valid ones. */
  passwords: readonly DeviceCredential[]
}

/** By the command that asked it, if there is one: when, by whom, and what it waits for. */
function Asked({ device, stage, passwords }: AskedProps) {
  const { slug } = useWorkspace()
  const isShort = useIsShort()
  const list = useRotateCommands(device)
  // Another text in the meantime would be read out, and not be true.
  if (list.items === undefined && list.error === null) return null
  const [command] = list.items ?? []
  const since = command?.created_at ?? ''
  // A later rotation, or a reset, has replaced it: the present request is another one.
  const isConfirmed = passwords.some(
    (each) => each.confirmed_at !== null && each.created_at > since,
  )
  if (typeof command?.rotation_campaign_id === 'string' && !isConfirmed) {
    return <InCampaign device={device} campaignId={command.rotation_campaign_id} stage={stage} />
  }
  if (isShort) return <Short device={device}>{stage.title}</Short>
  if (command === undefined || command.ended_at !== null || stage.isToFetch !== true) {
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
      <WaitsFor device={device} isSent={command.status !== 'pending'} />
    </Note>
  )
}

/** The state of a device that was asked or released, on whatever page and whenever that was. */
function Due({ device }: { device: Device }) {
  const { data } = useCredentials(device)
  const storing = useStoringBrokers()
  if (data === undefined || storing === undefined) return null
  const stage = stageOfDue(data, storing, exactTime)
  if (stage === undefined) return null
  return (
    <Announced>
      <Asked
        device={device}
        stage={stage}
        passwords={data.items.filter(({ kind }) => kind === 'mqtt')}
      />
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
