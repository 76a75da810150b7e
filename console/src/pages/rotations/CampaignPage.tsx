/** One rotation campaign: its waves, why it halted, and each of its devices. */
import { useParams } from '@tanstack/react-router'
import { Pause, Play } from 'lucide-react'
import { useState } from 'react'
import type { RotationCampaign, RotationCampaignDevice } from '../../../../sdk/schema.ts'
import { useChange, useList, useRead } from '../../api/hooks.ts'
import { Badge, type BadgeTone } from '../../kit/Badge.tsx'
import { Button } from '../../kit/Button.tsx'
import { Cards, Facts, Muted, Panel, Stack, Stat } from '../../kit/Layout.tsx'
import { PendingPage } from '../../kit/ListPage.tsx'
import { Empty, Note, ProblemNote } from '../../kit/Note.tsx'
import { below } from '../../kit/navigation.tsx'
import { ConfirmDialog } from '../../kit/Overlay.tsx'
import { Page } from '../../kit/Shell.tsx'
import { type Column, Table, Tabs } from '../../kit/Table.tsx'
import { inWords, Time } from '../../kit/Text.tsx'
import { useWatch } from '../../live/live.ts'
import { useSearchState } from '../../session/search-state.ts'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { Who } from '../../session/Who.tsx'
import {
  CampaignProgress,
  CampaignStatus,
  failureRate,
  isOver,
  ofCampaign,
  percent,
} from './campaign-words.tsx'

interface CampaignProps {
  campaign: RotationCampaign
}

const REFRESHES = ['getRotationCampaign', 'listRotationCampaigns'] as const

function Actions({ campaign }: CampaignProps) {
  const [isCancelling, setCancelling] = useState(false)
  const pause = useChange('pauseRotationCampaign', REFRESHES)
  const resume = useChange('resumeRotationCampaign', REFRESHES)
  const cancel = useChange('cancelRotationCampaign', REFRESHES)
  const blocked = useBlocked('pauseRotationCampaign')
  const params = ofCampaign(campaign)
  const { status } = campaign
  const problem = pause.error ?? resume.error
  const close = (): void => setCancelling(false)
  if (isOver(campaign)) return null
  return (
    <>
      {problem !== null && <ProblemNote problem={problem} />}
      {status === 'running' && (
        <Button
          icon={<Pause size={15} />}
          blocked={blocked}
          busy={pause.isPending}
          onClick={() => pause.mutate({ params })}
        >
          Pause
        </Button>
      )}
      {(status === 'paused' || status === 'halted') && (
        <Button
          kind="primary"
          icon={<Play size={15} />}
          blocked={blocked}
          busy={resume.isPending}
          onClick={() => resume.mutate({ params })}
        >
          Resume
        </Button>
      )}
      <Button kind="danger" blocked={blocked} onClick={() => setCancelling(true)}>
        Cancel…
      </Button>
      {isCancelling && (
        <ConfirmDialog
          title="Cancel this campaign?"
          act="Cancel the campaign"
          busy={cancel.isPending}
          problem={cancel.error}
          onConfirm={() => cancel.mutate({ params }, { onSuccess: close })}
          onClose={close}
        >
          No further device is asked. Those that were asked may still rotate; if they do not, their
          credentials stay valid.
        </ConfirmDialog>
      )}
    </>
  )
}

const Halted = ({ campaign }: CampaignProps) => {
  const rate = failureRate(campaign)
  const share = rate === undefined ? 'too many' : percent(rate)
  return (
    <Note tone="bad" title={`Halted: ${share} of the devices have failed`}>
      The limit is {percent(campaign.max_failure_rate)}. Those that failed are below. Resumed, it
      goes on with the next wave, and only later waves count.
    </Note>
  )
}

const Counts = ({ campaign: { counts } }: CampaignProps) => (
  <Cards>
    <Stat label="Not asked yet" value={counts.due} />
    <Stat label="Asked, offline" value={counts.waiting} />
    <Stat label="Asked, online" value={counts.notified} />
    <Stat label="New password" value={counts.rotated} note="not used yet" />
    <Stat label="Confirmed" value={counts.confirmed} />
    <Stat label="Failed" value={counts.failed} />
  </Cards>
)

const tones: Readonly<Record<RotationCampaignDevice['status'], BadgeTone>> = {
  due: 'off',
  waiting: 'info',
  notified: 'info',
  rotated: 'info',
  confirmed: 'ok',
  failed: 'bad',
}

const reasons: Readonly<Record<NonNullable<RotationCampaignDevice['code']>, string>> = {
  device_not_found: 'it was deleted',
  invalid_transition: 'its status did not allow it',
  not_confirmed: 'it did not use a new password in time',
}

const columns: readonly Column<RotationCampaignDevice>[] = [
  { name: 'Device', wraps: true, cell: ({ device_id }) => <Who id={device_id} /> },
  { name: 'Status', cell: ({ status }) => <Badge tone={tones[status]}>{status}</Badge> },
  { name: 'Wave', number: true, cell: ({ wave }) => wave ?? <Muted>–</Muted> },
  { name: 'Why', wraps: true, cell: ({ code }) => (code === null ? '' : reasons[code]) },
  {
    name: 'Asked',
    cell: ({ asked_at }) => (asked_at === null ? <Muted>–</Muted> : <Time at={asked_at} />),
  },
  {
    name: 'Ended',
    cell: ({ ended_at }) => (ended_at === null ? <Muted>–</Muted> : <Time at={ended_at} />),
  },
]

const views = [
  ['All', {}],
  ['Failed', { status: 'failed' }],
  ['Confirmed', { status: 'confirmed' }],
  ['Waiting', { status: 'waiting' }],
] as const

function Devices({ campaign }: CampaignProps) {
  const { slug } = useWorkspace()
  const [{ status: word }] = useSearchState<{ status: string }>()
  const status = views.map(([, search]) => ('status' in search ? search.status : undefined))
  const chosen = status.find((each) => each !== undefined && each === word)
  const query = { limit: 100, ...(chosen !== undefined && { status: chosen }) }
  const input = { params: ofCampaign(campaign), query }
  const list = useList('listRotationCampaignDevices', input, { isLive: !isOver(campaign) })
  return (
    <Stack tight>
      <Tabs
        label="Which devices"
        tabs={views.map(([label, search]) => ({
          label,
          link: { to: below(slug, `rotations/${campaign.id}`), search },
        }))}
      />
      <Panel flush>
        <Table
          label="Devices of the campaign"
          columns={columns}
          list={list}
          keyOf={({ device_id }) => device_id}
          empty={<Empty title="No such device">Devices appear here as the waves go on.</Empty>}
        />
      </Panel>
    </Stack>
  )
}

const seconds = (count: number): string => inWords(count * 1000)

function About({ campaign }: CampaignProps) {
  const { filter, wave_size: size, wave_percent: share } = campaign
  return (
    <Panel title="About it">
      <Facts
        facts={[
          [
            'Devices',
            filter === null ? 'chosen one by one' : <code>{filter || 'all devices'}</code>,
          ],
          ['A wave', size === null ? `${share} % of the devices` : `${size} devices`],
          ['Between waves', seconds(campaign.pause_s)],
          ['To use the new password', seconds(campaign.confirm_within_s)],
          ['Halts above', percent(campaign.max_failure_rate)],
          ['Started', <Time key="at" at={campaign.created_at} />],
          ['By', <Who key="by" id={campaign.created_by} />],
          ['Ended', campaign.ended_at === null ? undefined : <Time at={campaign.ended_at} />],
        ]}
      />
    </Panel>
  )
}

export default function CampaignPage() {
  const { id, slug } = useWorkspace()
  const { campaignId = '' } = useParams({ strict: false }) as { campaignId?: string }
  useWatch(`rotation_campaign:${campaignId}`)
  const params = { id, campaign_id: campaignId }
  const query = useRead('getRotationCampaign', { params }, { isLive: true })
  const { data: campaign } = query
  const trail = [{ label: 'Rotations', to: below(slug, 'rotations') }]
  if (campaign === undefined) {
    return <PendingPage title="Rotation campaign" trail={trail} query={query} />
  }
  const wave = campaign.wave === 0 ? '' : `, wave ${campaign.wave}`
  return (
    <Page
      title={`Rotation campaign${wave}`}
      trail={trail}
      note={<CampaignStatus status={campaign.status} />}
      actions={<Actions campaign={campaign} />}
    >
      {campaign.status === 'halted' && <Halted campaign={campaign} />}
      {campaign.failure !== null && (
        <Note tone="bad" title="The campaign has failed">
          {campaign.failure}
        </Note>
      )}
      <CampaignProgress campaign={campaign} />
      <Counts campaign={campaign} />
      <Devices campaign={campaign} />
      <About campaign={campaign} />
    </Page>
  )
}
