/** One rotation campaign: its waves, why it halted, and each of its devices. */
import { useParams } from '@tanstack/react-router'
import type { RotationCampaign, RotationCampaignDevice } from '../../../../sdk/schema.ts'
import { useList, useRead } from '../../api/hooks.ts'
import { Badge, type BadgeTone } from '../../kit/Badge.tsx'
import { Cards, Facts, None, Panel, Stack, Stat } from '../../kit/Layout.tsx'
import { PendingPage } from '../../kit/ListPage.tsx'
import { Empty, Note } from '../../kit/Note.tsx'
import { numberText, percentText } from '../../kit/numbers.ts'
import { below } from '../../kit/navigation.tsx'
import { Page } from '../../kit/Shell.tsx'
import { type Column, Table, Tabs } from '../../kit/Table.tsx'
import { exactTime, Time } from '../../kit/Text.tsx'
import { inWords } from '../../kit/times.ts'
import { useWatch } from '../../live/live.ts'
import { campaignName } from '../../session/campaign-name.ts'
import { useSearchState } from '../../session/search-state.ts'
import { useStoringBrokers } from '../../session/storing-brokers.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { Who } from '../../session/Who.tsx'
import { Actions, Halted } from './CampaignActs.tsx'
import {
  CampaignProgress,
  type CampaignProps,
  CampaignStatus,
  isOver,
  ofCampaign,
  wavesOf,
} from './campaign-labels.tsx'
import { counted, t } from './translations.ts'

interface StoringProps {
  /** Names of the brokers that keep passwords, empty without; undefined while unknown. */
  storing: string | undefined
}

function unused(storing: string | undefined): string | undefined {
  if (storing === undefined) return undefined
  return storing === '' ? t('not used yet') : t('no use is known')
}

const Unreported = ({ storing }: { storing: string }) => (
  <Note title={t('On {brokers} no use of a password is reported', { brokers: storing })}>
    {t(
      'There a new password replaces the old one as soon as a device has fetched it. A device that has connected again since then ends as rotated and not as confirmed; one that stays away fails.',
    )}
  </Note>
)

const seconds = (count: number): string => inWords(count * 1000)

type Stage = RotationCampaignDevice['status']

/** In the order in which a device goes through them: cards, rows and tabs say the same. */
const stages: readonly (readonly [stage: Stage, label: string])[] = [
  ['due', t('Not asked yet')],
  ['waiting', t('Asked, not reached yet')],
  ['notified', t('Asked, has the command')],
  ['rotated', t('Rotated')],
  ['confirmed', t('Confirmed')],
  ['failed', t('Failed')],
]

const labels = new Map(stages)

/** The labels of a campaign that is over: no device is still to be asked. */
const endedLabels = new Map(labels)
  .set('due', t('Not asked'))
  .set('waiting', t('Asked, not reached'))

const labelsOf = (campaign: RotationCampaign) => (isOver(campaign) ? endedLabels : labels)

const Counts = ({ campaign, storing }: CampaignProps & StoringProps) => (
  <Cards>
    {[...labelsOf(campaign)].map(([stage, label]) => (
      <Stat
        key={stage}
        label={label}
        value={campaign.counts[stage]}
        note={stage === 'rotated' ? unused(storing) : undefined}
        bad={stage === 'failed' && campaign.counts.failed > 0}
      />
    ))}
  </Cards>
)

const tones: Readonly<Record<Stage, BadgeTone>> = {
  due: 'off',
  waiting: 'info',
  notified: 'info',
  rotated: 'info',
  confirmed: 'ok',
  failed: 'bad',
}

const reasons: Readonly<Record<NonNullable<RotationCampaignDevice['code']>, string>> = {
  device_not_found: t('it was deleted'),
  invalid_transition: t('its status did not allow it'),
  not_confirmed: t('it did not use a new password in time'),
}

/** Why a device was not asked. */
function notAsked({ status, wave }: RotationCampaign): string {
  if (status === 'cancelled') return t('not asked; the rotation was cancelled')
  if (status === 'failed') return t('not asked; the rotation has failed')
  if (status === 'completed') return t('not asked; the rotation is completed')
  if (status === 'paused' || status === 'halted') return t('asked only if the rotation is resumed')
  return wave === 0 ? t('no wave has begun') : t('a later wave asks it')
}

/** Why a device is at its stage, or what it waits for. */
function nowOf(
  { code, status, confirm_by, ended_at }: RotationCampaignDevice,
  campaign: RotationCampaign,
): string {
  if (code !== null) return reasons[code]
  if (status === 'due') return notAsked(campaign)
  if (isOver(campaign) && ended_at === null) {
    return t('the rotation has ended; if it rotates later, it does not appear here')
  }
  if (status === 'waiting') {
    return t('it gets the command as soon as it connects, which it cannot without credentials')
  }
  if (confirm_by !== null && ended_at === null) {
    return t('counts as failed unless it uses a new password by {time}', {
      time: exactTime(confirm_by),
    })
  }
  return status === 'rotated' && ended_at !== null ? t('it has connected again since then') : ''
}

const columnsOf = (campaign: RotationCampaign): readonly Column<RotationCampaignDevice>[] => [
  { name: t('Device'), wraps: true, cell: ({ device_id }) => <Who id={device_id} /> },
  {
    name: t('Status'),
    cell: ({ status }) => <Badge tone={tones[status]}>{labelsOf(campaign).get(status)}</Badge>,
  },
  { name: t('Wave'), number: true, cell: ({ wave }) => wave ?? <None /> },
  { name: t('What happens now'), wraps: true, cell: (device) => nowOf(device, campaign) },
  {
    name: t('Asked'),
    cell: ({ asked_at }) => (asked_at === null ? <None /> : <Time at={asked_at} />),
  },
  {
    name: t('Ended'),
    cell: ({ ended_at }) => (ended_at === null ? <None /> : <Time at={ended_at} />),
  },
]

function Devices({ campaign }: CampaignProps) {
  const { slug } = useWorkspace()
  const [{ status: word }] = useSearchState<{ status: string }>()
  const [chosen] = stages.find(([stage]) => stage === word) ?? []
  const query = { limit: 100, ...(chosen !== undefined && { status: chosen }) }
  const input = { params: ofCampaign(campaign), query }
  const list = useList('listRotationCampaignDevices', input, { isLive: !isOver(campaign) })
  return (
    <Stack tight>
      <Tabs
        label={t('Which devices')}
        tabs={[[undefined, t('All')] as const, ...labelsOf(campaign)].map(([stage, label]) => ({
          label: stage === undefined ? label : `${label} (${numberText(campaign.counts[stage])})`,
          isOpen: stage === chosen,
          link: {
            to: below(slug, `rotations/${campaign.id}`),
            search: (stage === undefined ? {} : { status: stage }) as never,
          },
        }))}
      />
      <Panel flush>
        <Table
          label={t('Devices of the rotation')}
          columns={columnsOf(campaign)}
          list={list}
          keyOf={({ device_id }) => device_id}
          empty={
            <Empty title={t('No such device')}>
              {t('Devices appear here as the waves continue.')}
            </Empty>
          }
        />
      </Panel>
    </Stack>
  )
}

/** How far it is, and when the next wave starts. */
function WaveLine({ campaign }: CampaignProps) {
  const { wave, counts, status, pause_s, confirm_within_s } = campaign
  if (status !== 'running' || wave === 0) return null
  const waves = numberText(wavesOf(campaign))
  const words = {
    wave: numberText(wave),
    waves,
    pause: seconds(pause_s),
    within: seconds(confirm_within_s),
  }
  return (
    <p>
      {counts.due === 0
        ? t('Wave {wave} of {waves}: all devices were asked.', words)
        : t(
            'Wave {wave} of {waves}. Once all its devices have confirmed or failed, the next wave starts {pause} later. It waits at most {within} for devices that are offline.',
            words,
          )}
    </p>
  )
}

function About({ campaign }: CampaignProps) {
  const { filter, wave_size: size, wave_percent: share } = campaign
  return (
    <Panel title={t('Details')}>
      <Facts
        facts={[
          [
            t('Devices'),
            filter === null ? (
              counted(campaign.counts.total, '{n} device selected', '{n} devices selected')
            ) : (
              <code>{filter || t('all devices')}</code>
            ),
          ],
          [
            t('Wave size'),
            size === null
              ? t('{share} of the devices', { share: percentText((share ?? 0) / 100) })
              : counted(size, '{n} device', '{n} devices'),
          ],
          [t('Between waves'), seconds(campaign.pause_s)],
          [t('Time to use the new password'), seconds(campaign.confirm_within_s)],
          [
            t('Halts'),
            t('when more than {share} fail', { share: percentText(campaign.max_failure_rate) }),
          ],
          [t('Started'), <Time key="at" at={campaign.created_at} />],
          [t('Created by'), <Who key="by" id={campaign.created_by} />],
          [t('Ended'), campaign.ended_at === null ? undefined : <Time at={campaign.ended_at} />],
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
  const storing = useStoringBrokers()
  const trail = [{ label: t('Rotations'), to: below(slug, 'rotations') }]
  if (campaign === undefined) {
    return <PendingPage title={t('Rotation')} of={t('The rotation')} trail={trail} query={query} />
  }
  return (
    <Page
      title={campaignName(campaign)}
      trail={trail}
      note={<CampaignStatus {...campaign} />}
      actions={<Actions campaign={campaign} />}
    >
      {campaign.status === 'halted' && <Halted campaign={campaign} />}
      {campaign.failure !== null && (
        <Note tone="bad" title={t('The rotation has failed')}>
          <span lang="en">{campaign.failure}</span>
        </Note>
      )}
      <CampaignProgress campaign={campaign} />
      <p>
        {t('{n} of {total} confirmed', {
          n: numberText(campaign.counts.confirmed),
          total: numberText(campaign.counts.total),
        })}
      </p>
      <WaveLine campaign={campaign} />
      {storing !== undefined && storing !== '' && <Unreported storing={storing} />}
      <Counts campaign={campaign} storing={storing} />
      <About campaign={campaign} />
      <Devices campaign={campaign} />
    </Page>
  )
}
