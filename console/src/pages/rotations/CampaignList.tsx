/** Rotation campaigns: new credentials for many devices, wave after wave. */
import { useNavigate } from '@tanstack/react-router'
import { RefreshCw } from 'lucide-react'
import { useState } from 'react'
import type { CreateRotationCampaign, RotationCampaign } from '../../../../sdk/schema.ts'
import { useChange, useList, useRead } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Button, LinkButton } from '../../kit/Button.tsx'
import { currentOf, isRefusal, UnreadCount } from '../../kit/Counts.tsx'
import { SubmitActions } from '../../kit/DialogActions.tsx'
import { Form, TextField } from '../../kit/Field.tsx'
import { Columns } from '../../kit/Layout.tsx'
import { ListPage } from '../../kit/ListPage.tsx'
import { Note } from '../../kit/Note.tsx'
import { countText, numberText } from '../../kit/numbers.ts'
import { below } from '../../kit/navigation.tsx'
import { Dialog } from '../../kit/Overlay.tsx'
import { CellLink, type Column } from '../../kit/Table.tsx'
import { Time } from '../../kit/Text.tsx'
import { campaignName } from '../../session/campaign-name.ts'
import { WITH_NEW } from '../../session/new-dialog.ts'
import { useSearchState } from '../../session/search-state.ts'
import { useStoringBrokers } from '../../session/storing-brokers.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { Who } from '../../session/Who.tsx'
import { DeviceFilter } from '../devices/DeviceFilter.tsx'
import { CampaignProgress, CampaignStatus, wavesOf } from './campaign-labels.tsx'
import { planOf, type WaveDraft } from './waves.ts'
import { t } from './translations.ts'

const MINUTE_S = 60

/** How many devices a campaign would ask. */
function useAsked(filter: string) {
  const { id } = useWorkspace()
  const query = filter === '' ? {} : { filter }
  return useRead('countDevices', { params: { id }, query }, { keepsPrevious: true })
}

const NONE_ASKED = t('No device passes this filter')

interface Draft extends WaveDraft {
  filter: string
  within: string
}

/** In how many waves, how long at least, and what a failure comes to. */
function Plan({ total, draft }: { total: number; draft: Draft }) {
  const plan = planOf(total, draft)
  if (plan === undefined) return null
  const values = {
    waves: numberText(plan.waves),
    size: numberText(plan.size),
    minutes: numberText(plan.minutes),
  }
  return (
    <Note>
      {plan.waves === 1
        ? t('All in 1 wave.')
        : t(
            '{waves} waves of {size} each. The pauses between them take {minutes} min.',
            values,
          )}{' '}
      {plan.haltsAtOnce &&
        (plan.size === 1
          ? t('A wave has 1 device: the first failure halts it.')
          : t('The first wave has {size} devices: 1 failure in it halts it.', values))}
    </Note>
  )
}

const DECOMMISSIONED = 'status = decommissioned'
const OTHERS = 'status != decommissioned'

const both = (filter: string, more: string): string =>
  filter === '' ? more : `(${filter}) AND ${more}`

interface LeftOutProps {
  filter: string
  onFilter: (filter: string) => void
}

/** Devices that can only fail: they are asked all the same, unless the filter leaves them out. */
function LeftOut({ filter, onFilter }: LeftOutProps) {
  const data = currentOf(useAsked(both(filter, DECOMMISSIONED)))
  if (data === undefined || data.value === 0) return null
  const n = countText(data)
  return (
    <Note
      tone="warn"
      action={<Button onClick={() => onFilter(both(filter, OTHERS))}>{t('Leave them out')}</Button>}
    >
      {n === '1'
        ? t('1 of them is decommissioned, and counts as failed.')
        : t('{n} of them are decommissioned, and count as failed.', { n })}
    </Note>
  )
}

const UNREACHED = t(
  'Devices without credentials cannot connect: a wave waits for them as for those that are offline, and they end as not reached.',
)

function askedText(n: string, isAll: boolean): string {
  if (n === '1') {
    return t(
      '{n} device will be asked, in waves. Each keeps its old password until it has used the new one, so none is locked out.',
      { n },
    )
  }
  return isAll
    ? t(
        'All {n} devices will be asked, in waves. Each keeps its old password until it has used the new one, so none is locked out.',
        { n },
      )
    : t(
        '{n} devices will be asked, in waves. Each keeps its old password until it has used the new one, so none is locked out.',
        { n },
      )
}

interface AskedProps {
  filter: string
  asked: ReturnType<typeof useAsked>
}

function Asked({ filter, asked: count }: AskedProps) {
  const storing = useStoringBrokers()
  const { data } = count
  if (isRefusal(count.error)) {
    return (
      <Note>{t('How many devices will be asked is not known: the filter cannot be read.')}</Note>
    )
  }
  if (data === undefined) return <UnreadCount query={count} of={t('The number of devices')} />
  if (data.value === 0) return <Note tone="warn">{NONE_ASKED}</Note>
  const n = countText(data)
  // The number of an earlier filter stays until the next one is read.
  const isAll = filter === '' && !count.isPlaceholderData
  const asked = isAll
    ? t('All devices will be asked, in waves: {n}', { n })
    : t('Devices that will be asked, in waves: {n}', { n })
  if (storing !== undefined && storing !== '') {
    return (
      <Note tone="warn" title={asked}>
        {t(
          'On {brokers} a new password replaces the old one as soon as a device has fetched it: a device that loses it needs a reset. Elsewhere the old one works until the new one was used.',
          { brokers: storing },
        )}{' '}
        {UNREACHED}
      </Note>
    )
  }
  // A role that may not read the endpoints sees the number, too.
  return (
    <Note>
      {storing === undefined ? `${asked}.` : askedText(n, isAll)} {UNREACHED}
    </Note>
  )
}

interface WaveFieldsProps {
  draft: Draft
  change: (changes: Partial<Draft>) => void
}

function WaveFields({ draft, change }: WaveFieldsProps) {
  const field = (name: keyof Draft, label: string, hint: string, pointer: string) => (
    <TextField
      label={label}
      hint={hint}
      inputMode="decimal"
      pointer={pointer}
      value={draft[name]}
      onValue={(value) => change({ [name]: value })}
    />
  )
  return (
    <Columns>
      {field(
        'wave',
        t('Wave size, in per cent of the devices'),
        t('At least one device.'),
        '/wave_percent',
      )}
      {field(
        'pause',
        t('Minutes between waves'),
        t('The next wave begins this long after the one before has ended.'),
        '/pause_s',
      )}
      {field(
        'within',
        t('Minutes to use the new password, once online'),
        t('Later it counts as failed. A wave waits as long for devices that are offline.'),
        '/confirm_within_s',
      )}
      {field(
        'rate',
        t('Halts when more than this many per cent fail'),
        t('Of the devices that have ended. Then no further one is asked until you resume.'),
        '/max_failure_rate',
      )}
    </Columns>
  )
}

function Create({ onClose }: { onClose: () => void }) {
  const { id, slug } = useWorkspace()
  const navigate = useNavigate()
  const [{ dialog, filter: linked = '' }] = useSearchState<typeof WITH_NEW & { filter: string }>()
  const [draft, setDraft] = useState<Draft>({
    // Once that dialog was closed, the link has been used.
    filter: dialog === WITH_NEW.dialog ? linked : '',
    wave: '10',
    pause: '5',
    within: '60',
    rate: '5',
  })
  const create = useChange('createRotationCampaign', ['listRotationCampaigns'])
  const filter = draft.filter.trim()
  const asked = useAsked(filter)
  const count = currentOf(asked)
  const isUnread = count === undefined && !isRefusal(asked.error)
  const unknown = isUnread ? t('How many devices will be asked is not known.') : undefined
  const blocked = count?.value === 0 ? NONE_ASKED : unknown
  const body: CreateRotationCampaign = {
    filter,
    wave_percent: Number(draft.wave),
    pause_s: Math.round(Number(draft.pause) * MINUTE_S),
    confirm_within_s: Math.round(Number(draft.within) * MINUTE_S),
    max_failure_rate: Number(draft.rate) / 100,
  }
  const input = { params: { id }, body }
  useNextCall('createRotationCampaign', input)
  const change = (changes: Partial<Draft>): void => setDraft({ ...draft, ...changes })
  const submit = (): void =>
    create.mutate(input, {
      onSuccess: (made) => void navigate({ to: below(slug, `rotations/${made.id}`) }),
    })
  return (
    <Dialog title={t('Start a rotation')} open wide onClose={onClose}>
      <Form onSubmit={submit} problem={create.error}>
        <DeviceFilter
          label={t('Filter of devices')}
          optional
          pointer="/filter"
          hint={t(
            'As in the list of devices: status = active AND tags.floor = ground. Empty: all of them.',
          )}
          value={draft.filter}
          onValue={(typed) => change({ filter: typed })}
        />
        <WaveFields draft={draft} change={change} />
        <Asked filter={filter} asked={asked} />
        {count?.is_lower_bound === false && <Plan total={count.value} draft={draft} />}
        <LeftOut filter={filter} onFilter={(next) => change({ filter: next })} />
        <SubmitActions
          act={t('Start')}
          busy={create.isPending}
          blocked={blocked}
          onCancel={onClose}
        />
      </Form>
    </Dialog>
  )
}

const partText = (n: number, total: number): string =>
  t('{n} of {total}', { n: numberText(n), total: numberText(total) })

const columnsOf = (slug: string): readonly Column<RotationCampaign>[] => [
  {
    name: t('Rotation'),
    wraps: true,
    cell: (campaign) => (
      <CellLink to={below(slug, `rotations/${campaign.id}`)}>{campaignName(campaign)}</CellLink>
    ),
  },
  { name: t('Status'), cell: CampaignStatus },
  { name: t('Progress'), cell: (campaign) => <CampaignProgress campaign={campaign} /> },
  {
    name: t('Wave'),
    number: true,
    cell: (campaign) => partText(campaign.wave, wavesOf(campaign)),
  },
  {
    name: t('Confirmed'),
    number: true,
    cell: ({ counts }) => partText(counts.confirmed, counts.total),
  },
  { name: t('Failed'), number: true, cell: ({ counts }) => counts.failed },
  { name: t('Started'), cell: ({ created_at }) => <Time at={created_at} /> },
  { name: t('Created by'), wraps: true, cell: ({ created_by }) => <Who id={created_by} /> },
]

const FIRST = t('This workspace has no device yet: connect the first one.')

export default function CampaignList() {
  const { id, slug } = useWorkspace()
  const input = { params: { id }, query: { limit: 50 } }
  const list = useList('listRotationCampaigns', input, { isLive: true })
  const devices = useRead('countDevices', { params: { id } })
  const hasNone = devices.data?.value === 0
  return (
    <ListPage
      title={t('Rotations')}
      columns={columnsOf(slug)}
      list={list}
      keyOf={(campaign) => campaign.id}
      making={{
        label: t('Start a rotation'),
        icon: <RefreshCw size={15} />,
        later: hasNone ? FIRST : undefined,
        operation: 'createRotationCampaign',
        dialog: (close) => <Create onClose={close} />,
      }}
      isExplained
      empty={{
        title: t('No rotations yet'),
        text: (
          <>
            {t(
              'A rotation asks many devices for new credentials, some at a time, and halts by itself if too many fail.',
            )}
            {hasNone && ` ${FIRST}`}
          </>
        ),
        ...(hasNone && {
          action: (
            <LinkButton kind="primary" to={below(slug, 'devices/new')}>
              {t('Connect a device')}
            </LinkButton>
          ),
        }),
      }}
    />
  )
}
