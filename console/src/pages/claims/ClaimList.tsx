/** Which phone has which device, and which codes are open; staff can release a device. */
import { useState } from 'react'
import type { Claim } from '../../../../sdk/schema.ts'
import { useChange, useList } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Badge, type BadgeTone } from '../../kit/Badge.tsx'
import { Button, LinkButton } from '../../kit/Button.tsx'
import { Muted, None, Panel } from '../../kit/Layout.tsx'
import { Empty } from '../../kit/Note.tsx'
import { below } from '../../kit/navigation.tsx'
import { ConfirmDialog, say } from '../../kit/Overlay.tsx'
import { Page } from '../../kit/Shell.tsx'
import { type Column, Table, Tabs } from '../../kit/Table.tsx'
import { Id, Time } from '../../kit/Text.tsx'
import { useSearchState } from '../../session/search-state.ts'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { Who } from '../../session/Who.tsx'
import { ReceiptDialog } from '../endpoints/Receipt.tsx'
import { rich, t } from './words.ts'

const SLOW_MS = 10_000

const statuses: Readonly<Record<Claim['status'], readonly [word: string, tone: BadgeTone]>> = {
  open: [t('open'), 'info'],
  bound: [t('bound'), 'ok'],
  released: [t('released'), 'off'],
  expired: [t('expired'), 'off'],
  cancelled: [t('cancelled'), 'off'],
}

const showers: Readonly<Record<Claim['shown_by'], string>> = {
  phone: t('the phone'),
  device: t('the device'),
}

function Status({ status }: Pick<Claim, 'status'>) {
  const [word, tone] = statuses[status]
  return <Badge tone={tone}>{word}</Badge>
}

const columns: readonly Column<Claim>[] = [
  { name: t('Status'), cell: ({ status }) => <Status status={status} /> },
  {
    name: t('Device'),
    heads: true,
    wraps: true,
    cell: ({ device_id }) =>
      device_id === null ? <Muted>{t('none yet')}</Muted> : <Who id={device_id} />,
  },
  { name: t('Name given'), wraps: true, cell: ({ name }) => name ?? <None /> },
  {
    name: t('Phone'),
    cell: ({ moid_id }) => (moid_id === null ? <Muted>{t('none yet')}</Muted> : <Id>{moid_id}</Id>),
  },
  { name: t('Code shown by'), cell: ({ shown_by }) => showers[shown_by] },
  { name: t('Started'), cell: ({ created_at }) => <Time at={created_at} /> },
  {
    name: t('Bound'),
    cell: ({ bound_at }) => (bound_at === null ? <None /> : <Time at={bound_at} />),
  },
  {
    name: t('Until'),
    cell: ({ status, expires_at, ended_at }) => {
      if (status === 'bound') return <None />
      return <Time at={ended_at ?? expires_at} />
    },
  },
]

interface ReleaseProps {
  claim: Claim
  onClose: () => void
  /** @param receipt its id */
  onDone: (receipt: string) => void
}

function Release({ claim, onClose, onDone }: ReleaseProps) {
  const release = useChange('releaseDevice', ['listWorkspaceClaims', 'getDevice', 'listDevices'])
  const ask = useChange('askReceipt')
  const params = { id: claim.workspace_id, device_id: claim.device_id ?? '' }
  useNextCall('releaseDevice', { params })
  const confirm = async (): Promise<void> => {
    await release.mutateAsync({ params })
    say(t('Released'))
    // The answer to a release names none: one of the whole workspace is asked for.
    onDone((await ask.mutateAsync({ params: { id: params.id } })).id)
  }
  return (
    <ConfirmDialog
      title={t('Release this device?')}
      act={t('Release')}
      busy={release.isPending || ask.isPending}
      problem={release.error ?? ask.error}
      onConfirm={() => void confirm().catch(() => null)}
      onClose={onClose}
    >
      {rich(
        '{device} no longer belongs to its phone, which may no longer see or use it. The device is asked for new credentials. Any phone may claim it again.',
        { device: <Who id={params.device_id} /> },
      )}
    </ConfirmDialog>
  )
}

const views = [
  [t('Bound'), {}],
  [t('Open codes'), { view: 'open' }],
  [t('Ended'), { view: 'ended' }],
] as const

const filters: Readonly<Record<string, string>> = {
  open: 'status = open',
  ended: 'status != open AND status != bound',
}

/** The calls of phone and device, in their order. */
const calls = [
  `# ${t('The phone gets a code:')}`,
  'POST /api/v1/moid/claims',
  `# ${t('The device sends it:')}`,
  'POST /api/v1/devices/auth/bind-claim',
].join('\n')

function Nothing({ view }: { view: string }) {
  if (view === 'open') {
    return (
      <Empty title={t('No open code')}>
        {t('A code is open for some minutes, until a device sends it.')}
      </Empty>
    )
  }
  if (view === 'ended') {
    return <Empty title={t('No claim has ended')}>{t('Ended claims are kept for 30 days.')}</Empty>
  }
  return (
    <Empty title={t('No phone has claimed a device')} command={calls}>
      {t(
        'A phone gets a code and shows it to the device, or reads one from it. The device sends it, and belongs to the phone from then on.',
      )}
    </Empty>
  )
}

export default function ClaimList() {
  const { id, slug } = useWorkspace()
  const [{ view = '', receipt }, change] = useSearchState<{ view: string; receipt: string }>()
  const query = { limit: 100, filter: filters[view] ?? 'status = bound' }
  const options = { isLive: true, refetchInterval: SLOW_MS }
  const list = useList('listWorkspaceClaims', { params: { id }, query }, options)
  const [releasing, setReleasing] = useState<Claim | null>(null)
  const blocked = useBlocked('releaseDevice')
  const acts: Column<Claim> = {
    name: t('Acts'),
    hidesName: true,
    number: true,
    stays: true,
    cell: (claim) =>
      claim.status === 'bound' && (
        <Button blocked={blocked} onClick={() => setReleasing(claim)}>
          {t('Release…')}
        </Button>
      ),
  }
  return (
    <Page
      title={t('Claims')}
      actions={<LinkButton to={below(slug, 'claims/labels')}>{t('Label sheet')}</LinkButton>}
    >
      <Tabs
        label={t('Which claims')}
        tabs={views.map(([label, search]) => ({
          label,
          link: { to: below(slug, 'claims'), search },
        }))}
      />
      <Panel flush>
        <Table
          label={t('Claims')}
          columns={[...columns, acts]}
          list={list}
          keyOf={({ claim_id }) => claim_id}
          empty={<Nothing view={view} />}
        />
      </Panel>
      {releasing !== null && (
        <Release
          claim={releasing}
          onClose={() => setReleasing(null)}
          onDone={(id) => {
            setReleasing(null)
            change({ receipt: id })
          }}
        />
      )}
      {receipt !== undefined && (
        <ReceiptDialog receiptId={receipt} onClose={() => change({ receipt: undefined })} />
      )}
    </Page>
  )
}
