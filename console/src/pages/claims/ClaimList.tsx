/** The claims of phones, and the open codes; staff can release a device. */
import { useState } from 'react'
import { listWorkspaceClaimsFields } from '../../../../sdk/filters.ts'
import type { Claim } from '../../../../sdk/schema.ts'
import { labelled, tokensOf } from '../../api/filter.ts'
import { useList } from '../../api/hooks.ts'
import { devicesNamed } from '../../api/named-devices.ts'
import { Badge, type BadgeTone } from '../../kit/Badge.tsx'
import { Button } from '../../kit/Button.tsx'
import { FilterEditor, refusalOf } from '../../kit/FilterEditor.tsx'
import { Muted, None, Panel } from '../../kit/Layout.tsx'
import { Empty } from '../../kit/Note.tsx'
import { below } from '../../kit/navigation.tsx'
import { Page } from '../../kit/Shell.tsx'
import { type Column, Table, Tabs } from '../../kit/Table.tsx'
import { Id, Time } from '../../kit/Text.tsx'
import { useSearchState } from '../../session/search-state.ts'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { Who } from '../../session/Who.tsx'
import { ReceiptDialog } from '../endpoints/Receipt.tsx'
import Release from './Release.tsx'
import { t } from './translations.ts'

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

const status: Column<Claim> = {
  name: t('Status'),
  cell: ({ status: present }) => <Status status={present} />,
}
const device: Column<Claim> = {
  name: t('Device'),
  heads: true,
  wraps: true,
  cell: ({ device_id }) =>
    device_id === null ? <Muted>{t('none yet')}</Muted> : <Who id={device_id} />,
}
const given: Column<Claim> = {
  name: t('Name given'),
  wraps: true,
  cell: ({ name }) => name ?? <None />,
}
/** Phones have no names: the end of their ids distinguishes them. */
const phone: Column<Claim> = {
  name: t('Phone'),
  cell: ({ moid_id }) =>
    moid_id === null ? <Muted>{t('none yet')}</Muted> : <Id isShort>{moid_id}</Id>,
}
const shower: Column<Claim> = {
  name: t('Code shown by'),
  cell: ({ shown_by }) => showers[shown_by],
}
const started: Column<Claim> = {
  name: t('Started'),
  cell: ({ created_at }) => <Time at={created_at} />,
}
const bound: Column<Claim> = {
  name: t('Claimed'),
  cell: ({ bound_at }) => (bound_at === null ? <None /> : <Time at={bound_at} />),
}

/** The names of the filter's fields in the columns. */
const fields = labelled(listWorkspaceClaimsFields, {
  status: status.name,
  device_id: device.name,
  moid_id: phone.name,
  shown_by: shower.name,
  created_at: started.name,
})

interface View {
  label: string
  /** In the address; the first one needs none. */
  view?: string
  filter: string
  columns: readonly Column<Claim>[]
}

const boundOnes: View = {
  label: t('Claimed'),
  filter: 'status = bound',
  columns: [device, given, phone, shower, bound],
}

/** The result of a search, whatever its present state. */
const foundColumns = [status, device, given, phone, shower, started, bound]

/** Words without an operator: an id, or the key or the name of a device. */
async function filterOf(workspaceId: string, text: string): Promise<string> {
  const tokens = tokensOf(text)
  if (tokens.length === 0 || tokens.some(({ kind }) => kind !== 'field')) return text
  if (text.startsWith('moid_')) return `moid_id = ${text}`
  if (text.startsWith('dev_')) return `device_id = ${text}`
  const devices = await devicesNamed(workspaceId, text)
  // A text that is no device is refused as it was typed, and said to be no field.
  return devices.length === 0 ? text : devices.map((id) => `device_id = ${id}`).join(' OR ')
}

const views: readonly View[] = [
  boundOnes,
  {
    label: t('Open codes'),
    view: 'open',
    filter: 'status = open',
    columns: [
      device,
      given,
      phone,
      shower,
      started,
      { name: t('Valid until'), cell: ({ expires_at }) => <Time at={expires_at} /> },
    ],
  },
  {
    label: t('Ended'),
    view: 'ended',
    filter: 'status != open AND status != bound',
    columns: [
      status,
      device,
      given,
      phone,
      started,
      bound,
      {
        name: t('Ended'),
        cell: ({ ended_at, expires_at }) => <Time at={ended_at ?? expires_at} />,
      },
    ],
  },
]

/** The calls of phone and device, in their order. */
const calls = [
  `# ${t('1. The phone begins a session')}`,
  'POST /api/v1/moid/session',
  `# ${t('2. It asks for a code')}`,
  'POST /api/v1/moid/claims',
  `# ${t('3. The device sends the code')}`,
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
    <Empty
      title={t('No phone has claimed a device')}
      command={calls}
      action={
        <a href="/api/v1/reference#operation/createClaim" target="_blank" rel="noreferrer">
          {t('These calls in the API reference')}
        </a>
      }
    >
      {t(
        'A claim gives a device to a phone, whose app may then see and control it. The phone asks for a code and passes it to the device, by Bluetooth for example; the device sends the code. A device with a display may show a code to the phone instead.',
      )}
    </Empty>
  )
}

interface State extends Record<string, string> {
  view: string
  filter: string
  receipt: string
}

export default function ClaimList() {
  const { id, slug } = useWorkspace()
  const [{ view = '', filter: wanted = '', receipt }, change] = useSearchState<State>()
  const chosen = views.find((each) => each.view === view) ?? boundOnes
  const isSearch = wanted !== ''
  const { filter, columns } = isSearch ? { filter: wanted, columns: foundColumns } : chosen
  const query = { limit: 100, filter }
  const options = { isLive: true, refetchInterval: SLOW_MS }
  const list = useList('listWorkspaceClaims', { params: { id }, query }, options)
  const [releasing, setReleasing] = useState<string | null>(null)
  const blocked = useBlocked('releaseDevice')
  const acts: Column<Claim> = {
    name: t('Acts'),
    hidesName: true,
    number: true,
    stays: true,
    cell: (claim) =>
      claim.status === 'bound' && (
        <Button blocked={blocked} onClick={() => setReleasing(claim.device_id)}>
          {t('Release…')}
        </Button>
      ),
  }
  return (
    <Page
      title={t('Claims')}
      about={
        (list.items?.length ?? 0) > 0
          ? t('A claim gives a device to a phone, whose app may then see and control it.')
          : undefined
      }
    >
      <Tabs
        label={t('Which claims')}
        tabs={views.map(({ label, view: name }) => ({
          label,
          isOpen: !isSearch && name === chosen.view,
          link: {
            to: below(slug, 'claims'),
            search: (name === undefined ? {} : { view: name }) as never,
          },
        }))}
      />
      <FilterEditor
        label={t('Filter of claims')}
        placeholder={t('In all claims: device, phone id, or: status = released')}
        value={wanted}
        fields={fields}
        problem={isSearch ? list.error : null}
        onTyped={() => {}}
        onSubmit={(text) => {
          void filterOf(id, text).then((next) => change({ filter: next || undefined }))
        }}
      />
      <Panel flush>
        <Table
          label={t('Claims')}
          columns={[...columns, acts]}
          list={list}
          keyOf={({ claim_id }) => claim_id}
          empty={
            isSearch ? (
              <Empty title={t('No claim passes this filter')}>
                {t('Clear the filter to see all claims.')}
              </Empty>
            ) : (
              <Nothing view={view} />
            )
          }
          isMarked={refusalOf(list.error) !== undefined}
        />
      </Panel>
      {releasing !== null && (
        <Release
          deviceId={releasing}
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
